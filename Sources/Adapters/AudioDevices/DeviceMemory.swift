import Media
import Synchronization
import SystemClock

/// What one opening of a device leaves to the next. Thread-safe.
package final class DeviceMemory: Sendable {
    typealias Opening = BlockingCall<Result<OpenDevice, AudioSourceError>>

    private struct Last {
        /// Not kept alive: what nobody waits for any more is closed as soon as it is open.
        weak var opening: Opening?
    }

    private let seen = Atomic<Bool>(false)
    private let last = Mutex(Last())

    package init() {}

    /// Whether it was had from a sound server.
    var hadServer: Bool { seen.load(ordering: .relaxed) }
    func noteServer() { seen.store(true, ordering: .relaxed) }

    /// The opening that goes on, or else another: one that hangs keeps a thread and descriptors until it ends, and who tries
    /// again and again would have ever more of these.
    func opening(
        orBegin begin: () throws(AudioSourceError) -> Opening
    ) throws(AudioSourceError) -> Opening {
        try last.withLock { (last) throws(AudioSourceError) -> Opening in
            if let opening = last.opening, opening.value == nil { return opening }
            let opening = try begin()
            last.opening = opening
            return opening
        }
    }
}
