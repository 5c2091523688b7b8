import DequeModule
import Media
import Synchronization
import SystemClock
import Timebase

/// A source whose sound the embedder pushes, in blocks of any length, rate and format.
///
/// Thread-safe, and for one share at a time: each block is taken once. Two seconds are kept for a share that is slow to
/// take them; then the oldest are dropped.
public final class CustomAudioSource: Sendable {
    /// How a sample lies in memory.
    @nonexhaustive public enum Encoding: Hashable, Sendable, CaseIterable {
        /// 128 is silence.
        case unsigned8
        /// Two's complement, as WAV has it.
        case signed16
        /// Packed into three bytes.
        case signed24
        /// In the low three bytes of four, as ALSA's S24_LE and S24_BE; what the fourth holds doesn't count. That one is the
        /// last with `ByteOrder.little`, and the first with `big`.
        case signed24In32
        /// Of which the upper 24 bits are taken.
        case signed32
        /// IEEE 754, −1 to 1.
        case float32
    }

    /// Of a sample's bytes in memory; of no matter to `unsigned8`.
    public enum ByteOrder: Hashable, Sendable, CaseIterable {
        /// Least significant byte first: x86, ARM, WAV.
        case little
        /// Most significant byte first: network order, AIFF.
        case big
    }

    /// A block that was not taken; what was pushed before stays.
    @nonexhaustive public enum PushError: Error, Hashable, Sendable {
        /// The rate must be 8000…192,000 Hz, the channels 1…32, and the bytes whole frames of at most one second.
        case wrongFormat
    }

    private struct State {
        private(set) var blocks: Deque<AudioBlock> = []
        /// Of all of them.
        private var duration = Duration.zero
        var clock = EmbedderClock().soundInput()
        var wakeup: Wakeup?

        mutating func append(_ block: AudioBlock) {
            blocks.append(block)
            duration += block.duration
            while duration > .seconds(AudioSourceLimits.seconds), pop() != nil {}
        }

        mutating func pop() -> AudioBlock? {
            guard let block = blocks.popFirst() else { return nil }
            duration -= block.duration
            return block
        }

        mutating func removeAll() {
            blocks = []
            duration = .zero
        }
    }

    private let state = Mutex(State())

    /// Empty. What is pushed while nobody listens is not heard.
    public init() {}

    /// Hands over a block. The format may change from one block to the next, and several may come at once: up to a second in
    /// all. What is older when it comes counts as heard then, and most of a longer burst is left out.
    ///
    /// - Parameters:
    ///   - bytes: interleaved samples, copied before the call returns.
    ///   - sampleRate: frames a second.
    ///   - channels: mixed to stereo. One is mono, three are FL FR FC, four to six and eight the first of FL FR RL RR FC
    ///     LFE SL SR; of any other number the first two are left and right.
    ///   - timestamp: of the first frame, on the clock of all that is pushed; only differences matter, those to pictures and to
    ///     the other sound too: what has the same timestamp is of one moment, as long as it comes less than 100 ms apart. Where
    ///     it is counted from samples, a device's clock is to be followed: it may be off by seconds a day.
    public func push(
        _ bytes: RawSpan, encoding: Encoding, byteOrder: ByteOrder = .little, sampleRate: Int, channels: Int,
        timestamp: Duration
    ) throws(PushError) {
        let format = SampleFormat(encoding.encoding, byteOrder == .big ? .big : .little)
        guard AudioSourceLimits.sampleRates.contains(sampleRate), AudioSourceLimits.channels.contains(channels),
            bytes.byteCount > 0, bytes.byteCount % (format.bytesPerSample * channels) == 0,
            bytes.byteCount / format.bytesPerSample / channels <= AudioSourceLimits.longestPush * sampleRate
        else { throw .wrongFormat }
        let samples = ChannelMap(channels: channels).stereo(format.samples(from: bytes))
        let frames = bytes.byteCount / format.bytesPerSample / channels
        // A block can't come before its last frame was heard.
        let begin = SystemClock.now() - AudioFormat(sampleRate: sampleRate, channels: channels).duration(frames: frames)
        state.withLock { state in
            let block = AudioBlock(
                format: AudioFormat(sampleRate: sampleRate, channels: 2), samples: samples,
                capturedAt: state.clock.instant(of: timestamp, arrivedAt: begin))
            state.append(block)
            state.wakeup?.fire()
        }
    }

    /// The thread of sound reads from here; what was pushed before nobody waits for.
    func makeReader(clock: EmbedderClock.SoundInput) -> any AudioSource {
        let wakeup = Wakeup()
        state.withLock { state in
            state.removeAll()
            state.clock = clock
            state.wakeup = wakeup
        }
        return Reader(source: self, wakeup: wakeup)
    }

    /// Whoever listened does no more: what is pushed dates none of its pictures.
    private func leave(_ wakeup: Wakeup?) {
        state.withLock { state in
            guard state.wakeup === wakeup else { return }
            state.wakeup = nil
            state.clock = EmbedderClock().soundInput()
        }
    }

    private func take() -> AudioBlock? {
        state.withLock { $0.pop() }
    }

    private final class Reader: AudioSource {
        private let source: CustomAudioSource
        /// Nil where no file descriptor was left.
        private let wakeup: Wakeup?
        private(set) var format = AudioFormat.stereo48k

        init(source: CustomAudioSource, wakeup: Wakeup?) {
            self.source = source
            self.wakeup = wakeup
        }

        deinit { source.leave(wakeup) }

        var pollDescriptors: [PollEntry] {
            wakeup.map { [PollEntry(descriptor: $0.descriptor, events: Wakeup.readable)] } ?? []
        }

        func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
            guard let wakeup else { throw .unavailable("The process may open no more files; sound waits for one.") }
            wakeup.drain()
            guard let block = source.take() else { return nil }
            format = block.format
            return block
        }
    }
}

enum AudioSourceLimits {
    /// From telephony to the best sound cards.
    static let sampleRates = 8000...192_000
    /// PulseAudio's have no more.
    static let channels = 1...32
    /// Of sound in one push, in seconds: what is older than that is heard no more.
    static let longestPush = 1
    /// Of sound that waits.
    static let seconds = 2
}

extension CustomAudioSource.Encoding {
    fileprivate var encoding: SampleFormat.Encoding {
        switch self {
        case .unsigned8: .unsigned8
        case .signed16: .signed16
        case .signed24: .signed24
        case .signed24In32: .signed24In32
        case .signed32: .signed32
        case .float32: .float32
        }
    }
}

extension AudioBlock {
    fileprivate var duration: Duration { format.duration(frames: frameCount) }
}
