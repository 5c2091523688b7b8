import NIOConcurrencyHelpers

/// What one reader of samples has not taken yet: of pictures and of sound the newest few. Thread-safe.
final class SampleQueue: Sendable {
    private struct State {
        var samples: [ShareSample] = []
        var readers: [CheckedContinuation<ShareSample?, Never>] = []
        var isFinished = false
    }

    private let state = NIOLockedValueBox(State())

    func put(_ sample: ShareSample) {
        let reader = state.withLockedValue { state -> CheckedContinuation<ShareSample?, Never>? in
            if state.isFinished { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            state.samples.append(sample)
            state.samples.dropOldest(ofPictures: sample.kind == .video)
            return nil
        }
        reader?.resume(returning: sample)
    }

    /// The next one, when it comes; nil once there will be none.
    func next() async -> ShareSample? {
        await withCheckedContinuation { continuation in
            let found = state.withLockedValue { state -> ShareSample?? in
                if !state.samples.isEmpty { return .some(state.samples.removeFirst()) }
                if state.isFinished { return .some(nil) }
                state.readers.append(continuation)
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// What is there can still be read.
    func finish() {
        let readers = state.withLockedValue { state in
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
    /// Blocks of two devices have 10 ms or more.
    static let blocks = 24
}

extension [ShareSample] {
    fileprivate mutating func dropOldest(ofPictures: Bool) {
        let limit = ofPictures ? SampleLimits.pictures : SampleLimits.blocks
        let same = indices.filter { (self[$0].kind == .video) == ofPictures }
        if same.count > limit { remove(at: same[0]) }
    }
}
