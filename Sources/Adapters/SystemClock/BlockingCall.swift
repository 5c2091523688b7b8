import Synchronization
import Timebase

/// Why a call was not begun. Both may pass.
package enum BlockingCallError: Error, Hashable, Sendable {
    /// The process may open no more files.
    case noDescriptor
    /// It may start no more threads.
    case noThread
}

/// A call that may block for long, made on a thread of its own; its owner may walk away from it. Then the value goes as soon
/// as it has come.
package final class BlockingCall<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let finished: Wakeup

    package init(name: String, _ body: @escaping @Sendable () -> Value) throws(BlockingCallError) {
        guard let finished = Wakeup() else { throw .noDescriptor }
        self.finished = finished
        let isStarted = BlockingThread.startIfPossible(name: name) { [self] in
            let value = body()
            result.withLock { $0 = value }
            finished.fire()
        }
        if !isStarted { throw .noThread }
    }

    /// Readable once there is a value.
    package var descriptor: Int32 { finished.descriptor }

    /// Nil while the call goes on.
    package var value: Value? { result.withLock { $0 } }

    /// Waits for the value; nil where it takes longer.
    package func value(until deadline: Instant) -> Value? {
        while value == nil, SystemClock.now() < deadline { finished.wait(atMost: deadline - SystemClock.now()) }
        return value
    }
}
