import Synchronization

/// Whether a thread of the share runs, for whoever waits until it has let go of what it used. Thread-safe.
final class ThreadLife: Sendable {
    private let state = Mutex<(isRunning: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    var isRunning: Bool { state.withLock { $0.isRunning } }

    func begin() { state.withLock { $0.isRunning = true } }

    func end() {
        let waiting = state.withLock { state in
            defer { state = (false, []) }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }

    /// Returns at once where it never began.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                return state.isRunning
            }
            if !isRunning { continuation.resume() }
        }
    }
}
