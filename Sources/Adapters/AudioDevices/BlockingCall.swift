import Media
import Synchronization
import SystemClock
import Timebase

/// A call that may block for long, made on a thread of its own; its owner may walk away from it.
final class BlockingCall<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let finished: Wakeup

    /// - Throws: where no file descriptor or no thread is left.
    init(name: String, _ body: @escaping @Sendable () -> Value) throws(AudioSourceError) {
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
    var descriptor: Int32 { finished.descriptor }

    /// Nil while the call goes on.
    var value: Value? { result.withLock { $0 } }

    func value(atMost time: Duration) -> Value? {
        if value == nil { finished.wait(atMost: time) }
        return value
    }
}

extension AudioSourceError {
    /// What may pass, as the lack of descriptors may.
    fileprivate static let noThread = AudioSourceError.unavailable(
        "The process may start no more threads; sound waits for one.")
}
