import CPulse
import Media
import Timebase

/// What a source of a sound server gives, as it has it: the owner of a record stream. Used by one thread.
final class PulseStream {
    let format: AudioFormat
    let channelMap: ChannelMap
    private let sampleFormat: SampleFormat
    private let server: PulseServer
    private let stream: OpaquePointer
    /// Bytes that were read of the piece that the stream hands out now.
    private var position = 0
    /// What it gives is dated by when it comes: a monitor has its sound before that is heard, and what the server says of
    /// the delay of a sink without hardware jumps by hundreds of milliseconds. Of one with hardware PipeWire says 0 here,
    /// and PulseAudio of all Bluetooth headphones the same 25 ms and a block.
    let isMonitor: Bool
    /// Frames of the longest piece that `read` came to since that was asked last.
    private var longestPiece = 0
    /// The source was suspended or resumed since that was asked last.
    private var wasInterrupted = false

    private var pulse: pulse_functions { server.pulse }
    private var bytesPerFrame: Int { format.channels * sampleFormat.bytesPerSample }

    private init(
        _ stream: OpaquePointer, of server: PulseServer, _ format: AudioFormat, _ sampleFormat: SampleFormat,
        _ source: PulseSource
    ) {
        isMonitor = source.isMonitor
        channelMap = ChannelMap(source.channelMap) ?? ChannelMap(channels: format.channels)
        self.stream = stream
        self.server = server
        self.format = format
        self.sampleFormat = sampleFormat
        pulse.pa_stream_set_suspended_callback(stream, { _, userdata in
            guard let userdata else { return }
            Unmanaged<PulseStream>.fromOpaque(userdata).takeUnretainedValue().wasInterrupted = true
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        pulse.pa_stream_set_suspended_callback(stream, nil, nil)
        _ = pulse.pa_stream_disconnect(stream)
        pulse.pa_stream_unref(stream)
    }

    // MARK: Blocking

    /// Begins to record a source in its own format, so that the server converts nothing.
    ///
    /// - Parameter period: how often the server is to send.
    static func record(
        _ source: PulseSource, of server: PulseServer, period: Duration, until deadline: Instant
    ) throws(PulseFailure) -> PulseStream {
        var specification = source.specification
        let format = AudioFormat(sampleRate: Int(specification.rate), channels: Int(specification.channels))
        guard Limits.channels.contains(format.channels), Limits.sampleRates.contains(format.sampleRate) else {
            throw .refused("it has \(format.channels) channels at \(format.sampleRate) Hz")
        }
        // 16 bits hold all of A-law and µ-law.
        let sampleFormat = SampleFormat(specification.format)
        if sampleFormat == nil { specification.format = PA_SAMPLE_S16LE }
        var map = source.channelMap
        guard let stream = server.pulse.pa_stream_new(server.context, "Shared sound", &specification, &map) else {
            throw server.refusal
        }
        let recording = PulseStream(stream, of: server, format, sampleFormat ?? SampleFormat(.signed16), source)
        try recording.connect(to: source.name, period: period, until: deadline)
        return recording
    }

    private func connect(to source: String, period: Duration, until deadline: Instant) throws(PulseFailure) {
        let bounded = min(max(period, Limits.periods.lowerBound), Limits.periods.upperBound)
        let fragment = max(1, format.frames(in: bounded)) * bytesPerFrame
        // All but the fragment as the server likes it.
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(clamping: fragment))
        // Without its source the stream ends: moved to another one, it would give what nobody agreed to share.
        let flags = [
            PA_STREAM_ADJUST_LATENCY, PA_STREAM_AUTO_TIMING_UPDATE, PA_STREAM_INTERPOLATE_TIMING, PA_STREAM_DONT_MOVE,
        ].reduce(0) { $0 | $1.rawValue }
        guard pulse.pa_stream_connect_record(stream, source, &attributes, pa_stream_flags_t(flags)) >= 0 else {
            throw server.refusal
        }
        try server.wait(until: deadline) { hasEnded || isReady && latency != nil }
        if hasEnded { throw server.refusal }
    }

    // MARK: Not blocking

    /// The server ended it, as a rule because the source is gone.
    var hasEnded: Bool {
        let state = pulse.pa_stream_get_state(stream)
        return state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED
    }

    private var isReady: Bool { pulse.pa_stream_get_state(stream) == PA_STREAM_READY }

    /// How long ago the first frame was heard that is still to be read; nil before the server told for the first time.
    ///
    /// A monitor's counts from when it came, and needs no word of the server's: it may have to wait until it is played, but
    /// is here already. Never negative.
    var latency: Duration? { isMonitor ? durationUnread : toldLatency }

    /// How long that lasts which has come and is still to be read.
    private var durationUnread: Duration {
        let waiting = pulse.pa_stream_readable_size(stream)
        let frames = waiting == Int.max || waiting < 0 ? 0 : (waiting - min(waiting, position)) / bytesPerFrame
        return min(format.duration(frames: frames), Limits.longestDelay)
    }

    /// What the server says of its first frame, less what was read of that piece; nil before it told for the first time.
    private var toldLatency: Duration? {
        var microseconds: pa_usec_t = 0
        var isNegative: Int32 = 0
        guard pulse.pa_stream_get_latency(stream, &microseconds, &isNegative) >= 0 else { return nil }
        guard isNegative == 0 else { return .zero }
        let latency = min(.microseconds(Int64(clamping: microseconds)), Limits.longestDelay)
        return max(.zero, latency - format.duration(frames: position / bytesPerFrame))
    }

    /// Whether sound is missing before what comes next, because the source was suspended; true once for each time.
    func takeInterruption() -> Bool {
        defer { wasInterrupted = false }
        return wasInterrupted
    }

    /// In how long pieces the server gives what was read since this was asked last.
    func takeLongestPiece() -> Int {
        defer { longestPiece = 0 }
        return longestPiece
    }

    /// Appends the samples of at most so many frames, of those that have come.
    ///
    /// - Returns: how many there were.
    func read(frames: Int, into samples: inout [Float]) -> Int {
        var total = 0
        while total < frames {
            var data: UnsafeRawPointer?
            var count = 0
            guard pulse.pa_stream_peek(stream, &data, &count) >= 0, count > 0 else { break }
            let taken = min((count - position) / bytesPerFrame, frames - total)
            longestPiece = max(longestPiece, count / bytesPerFrame)
            append(UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : count), frames: taken, to: &samples)
            total += taken
            position += taken * bytesPerFrame
            guard count - position < bytesPerFrame else { continue }
            _ = pulse.pa_stream_drop(stream)
            position = 0
        }
        return total
    }

    /// - Parameter piece: empty for a hole, which is silence of that length.
    private func append(_ piece: UnsafeRawBufferPointer, frames: Int, to samples: inout [Float]) {
        guard !piece.isEmpty else {
            samples += repeatElement(0, count: frames * format.channels)
            return
        }
        let bytes = position..<position + frames * bytesPerFrame
        sampleFormat.append(from: piece.bytes.extracting(bytes), to: &samples)
    }
}
