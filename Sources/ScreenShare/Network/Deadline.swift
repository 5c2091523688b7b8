import SystemClock
import Timebase

/// Work that can't be cancelled, such as a name's lookup: its owner walks away from it.
enum Deadline {
    /// Nil where it takes longer.
    static func result<Value: Sendable>(
        within limit: Duration, of work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (results, continuation) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let worker = Task { _ = continuation.yield(await work()) }
        let timer = Task {
            try await Task.sleep(for: limit)
            continuation.yield(nil)
        }
        defer {
            worker.cancel()
            timer.cancel()
        }
        for await result in results { return result }
        return nil
    }
}

/// Does on a thread of its own what blocks; nil where it takes longer, or the system has no thread left.
func blocking<Value: Sendable>(
    _ name: String, atMost limit: Duration, _ work: @escaping @Sendable () -> Value
) async -> Value? {
    await Deadline.result(within: limit) {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let isStarted = BlockingThread.startIfPossible(name: name) { continuation.resume(returning: work()) }
            if !isStarted { continuation.resume(returning: nil) }
        }
    } ?? nil
}
