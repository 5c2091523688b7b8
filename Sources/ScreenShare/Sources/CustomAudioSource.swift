import Media
import NIOConcurrencyHelpers
import SystemClock
import Timebase

/// A source whose sound the embedder pushes, in blocks of any length, rate and format.
///
/// Thread-safe. Two seconds are kept for a share that is slow to take them; then the oldest are dropped.
public final class CustomAudioSource: Sendable {
    /// How a sample lies in memory.
    public enum Encoding: Hashable, Sendable, CaseIterable {
        case unsigned8
        case signed16
        /// Packed into three bytes.
        case signed24
        case signed32
        /// IEEE 754, −1 to 1.
        case float32
    }

    public enum ByteOrder: Hashable, Sendable, CaseIterable {
        case little
        case big
    }

    public enum PushError: Error, Hashable, Sendable {
        /// The rate must be 8000…192,000 Hz, the channels 1…32, and the bytes whole frames of at most two seconds.
        case wrongFormat
    }

    private struct State {
        var blocks: [AudioBlock] = []
        var clock = SourceClock()
        var wakeup: Wakeup?
    }

    private let state = NIOLockedValueBox(State())

    public init() {}

    /// Hands over a block. The format may change from one block to the next.
    ///
    /// - Parameters:
    ///   - bytes: interleaved samples, copied before the call returns.
    ///   - sampleRate: frames a second.
    ///   - timestamp: of the first frame, on the clock of the pictures that are pushed; only differences matter.
    public func push(
        _ bytes: RawSpan, encoding: Encoding, byteOrder: ByteOrder = .little, sampleRate: Int, channels: Int,
        timestamp: Duration
    ) throws(PushError) {
        let format = SampleFormat(encoding.encoding, byteOrder == .big ? .big : .little)
        guard AudioSourceLimits.sampleRates.contains(sampleRate), AudioSourceLimits.channels.contains(channels),
            bytes.byteCount > 0, bytes.byteCount % (format.bytesPerSample * channels) == 0,
            bytes.byteCount / format.bytesPerSample / channels <= AudioSourceLimits.seconds * sampleRate
        else { throw .wrongFormat }
        let samples = ChannelMap(channels: channels).stereo(format.samples(from: bytes))
        let frames = bytes.byteCount / format.bytesPerSample / channels
        // A block can't come before its last frame was heard.
        let begin = SystemClock.now() - AudioFormat(sampleRate: sampleRate, channels: channels).duration(frames: frames)
        state.withLockedValue { state in
            let block = AudioBlock(
                format: AudioFormat(sampleRate: sampleRate, channels: 2), samples: samples,
                capturedAt: state.clock.instant(of: timestamp, arrivedAt: begin))
            state.blocks.append(block)
            while Self.duration(of: state.blocks) > .seconds(AudioSourceLimits.seconds) { state.blocks.removeFirst() }
            state.wakeup?.fire()
        }
    }

    private static func duration(of blocks: [AudioBlock]) -> Duration {
        blocks.reduce(.zero) { $0 + $1.format.duration(frames: $1.frameCount) }
    }

    /// The thread of sound reads from here; what was pushed before nobody waits for.
    func makeReader() -> any AudioSource {
        let wakeup = Wakeup()
        state.withLockedValue { state in
            state.blocks.removeAll()
            state.wakeup = wakeup
        }
        return Reader(source: self, wakeup: wakeup)
    }

    private func take() -> AudioBlock? {
        state.withLockedValue { $0.blocks.isEmpty ? nil : $0.blocks.removeFirst() }
    }

    private final class Reader: AudioSource {
        private let source: CustomAudioSource
        private let wakeup: Wakeup
        private(set) var format = AudioFormat.stereo48k

        init(source: CustomAudioSource, wakeup: Wakeup) {
            self.source = source
            self.wakeup = wakeup
        }

        var pollDescriptors: [(descriptor: Int32, events: Int16)] { [(wakeup.descriptor, Wakeup.readable)] }

        func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
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
    /// Of sound in one push, and that waits.
    static let seconds = 2
}

extension CustomAudioSource.Encoding {
    fileprivate var encoding: SampleFormat.Encoding {
        switch self {
        case .unsigned8: .unsigned8
        case .signed16: .signed16
        case .signed24: .signed24
        case .signed32: .signed32
        case .float32: .float32
        }
    }
}
