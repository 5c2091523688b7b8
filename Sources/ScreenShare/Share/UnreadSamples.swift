import DequeModule
import Synchronization

/// What one reader of samples has not taken yet: the newest few pictures, and a second of each sound. Thread-safe.
final class UnreadSamples: Sendable {
    private struct State {
        var samples = Unread()
        var readers: [CheckedContinuation<ShareSample?, Never>] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    func put(_ sample: ShareSample) {
        let reader = state.withLock { state -> CheckedContinuation<ShareSample?, Never>? in
            if state.isFinished { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            state.samples.append(sample)
            return nil
        }
        reader?.resume(returning: sample)
    }

    /// The next one, when it comes; nil once there will be none.
    func next() async -> ShareSample? {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> ShareSample?? in
                if let sample = state.samples.popFirst() { return .some(sample) }
                if state.isFinished { return .some(nil) }
                state.readers.append(continuation)
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// What is there can still be read.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        readers.forEach { $0.resume(returning: nil) }
    }
}

enum SampleLimits {
    /// A picture of 1080p has 3 MB.
    static let pictures = 3
    /// Of each kind of sound.
    static let sound = Duration.seconds(1)
}

/// Samples in their order, with what there is of each kind.
private struct Unread {
    private var samples: Deque<ShareSample> = []
    private var pictures = 0
    private var sound: [ShareSample.Kind: Duration] = [:]

    mutating func append(_ sample: ShareSample) {
        samples.append(sample)
        count(sample, 1)
        while isTooMuch(sample.kind), let oldest = samples.firstIndex(where: { $0.kind == sample.kind }) {
            count(samples.remove(at: oldest), -1)
        }
    }

    mutating func popFirst() -> ShareSample? {
        guard let sample = samples.popFirst() else { return nil }
        count(sample, -1)
        return sample
    }

    private func isTooMuch(_ kind: ShareSample.Kind) -> Bool {
        kind == .video ? pictures > SampleLimits.pictures : sound[kind, default: .zero] > SampleLimits.sound
    }

    private mutating func count(_ sample: ShareSample, _ sign: Int) {
        switch sample {
        case .video: pictures += sign
        case .audio(let block, _): sound[sample.kind, default: .zero] += block.duration * sign
        }
    }
}

extension AudioSample {
    /// A block that is empty counts too.
    fileprivate var duration: Duration {
        max(.microseconds(20), .seconds(samples.count / max(1, channels)) / max(1, sampleRate))
    }
}
