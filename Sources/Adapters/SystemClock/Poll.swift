import CLinux
import Glibc
import Timebase

/// Waits for file descriptors, to the nanosecond where poll(2) has milliseconds.
package enum Poll {
    /// Blocks until one of them has one of its events, or the time has come.
    ///
    /// - Returns: of each, whether it has one.
    @discardableResult
    package static func wait(
        for descriptors: [(descriptor: Int32, events: Int16)], until deadline: Instant
    ) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        let left = deadline == .distantFuture ? -1 : max(0, (deadline - SystemClock.now()).nanoseconds)
        guard linux_poll(&entries, UInt(entries.count), left) > 0 else { return entries.map { _ in false } }
        return entries.map { $0.revents != 0 }
    }
}
