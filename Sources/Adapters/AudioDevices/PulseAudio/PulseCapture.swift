import Media
import Timebase

/// A source of a sound server that gives sound. Used by one thread.
///
/// One connection brings the sound and tells what becomes of the source, in the order in which it happens: what another
/// source gives is not handed out. It needs no thread, for the server's packets are taken while it is read.
final class PulseCapture: AudioSource {
    private let watch: PulseWatch
    private let stream: PulseStream
    private var smoother = TimestampSmoother()
    /// In the latest block: the next one is as long, as a rule.
    private var usualFrames = 0
    /// When all there was had been read: until time goes on there is no more.
    private var emptiedAt: Instant?
    /// The server's sink may render for the least of its listeners, and hands on each piece.
    private(set) var givesShortPieces = false

    init(_ stream: PulseStream, _ watch: PulseWatch) {
        self.stream = stream
        self.watch = watch
    }

    var format: AudioFormat { stream.format }
    var channelMap: ChannelMap { stream.channelMap }

    var pollDescriptors: [PollEntry] { watch.descriptors }

    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        if emptiedAt == now { return nil }
        try watch.check()
        if stream.hasEnded { throw watch.sourceIsGone }
        if stream.takeInterruption() { smoother.interrupt() }
        let heard = now - (stream.latency ?? .zero)
        let samples = try readSamples(at: now)
        guard !samples.isEmpty else { return nil }
        let duration = format.duration(frames: samples.count / format.channels)
        let piece = stream.takeLongestPiece()
        let wasReadLate = givesShortPieces
        givesShortPieces = format.duration(frames: piece) <= Limits.shortPiece
        let lateness = wasReadLate && stream.isMonitor ? min(format.duration(frames: piece), Limits.shortPiece) : .zero
        return AudioBlock(
            format: format, samples: samples,
            capturedAt: smoother.stamp(heard, duration: duration, lateness: lateness),
            longestPiece: wasReadLate ? piece : nil)
    }

    private func readSamples(at now: Instant) throws(AudioSourceError) -> [Float] {
        let most = format.frames(in: Limits.blockTime)
        var samples: [Float] = []
        samples.reserveCapacity(usualFrames * format.channels)
        var frames = 0
        while frames < most {
            let count = stream.read(frames: most - frames, into: &samples)
            guard count > 0 else { break }
            frames += count
            // The server gets its memory back with the next look. Where the thread waits for the server it must be now:
            // what is left to be done would wake it.
            if givesShortPieces { break }
            try watch.check()
        }
        if frames < most { emptiedAt = now }
        if frames > 0 { usualFrames = frames }
        return samples
    }
}
