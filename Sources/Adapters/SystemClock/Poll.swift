import CLinux
import Glibc
import Timebase

/// Waits for file descriptors, to the nanosecond where poll(2) has milliseconds.
package enum Poll {
    /// Blocks until one of them has one of its events, or the time has come. Who is ready is to be asked of each.
    package static func wait(for descriptors: [(descriptor: Int32, events: Int16)], until deadline: Instant) {
        var entries = descriptors.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        let left = deadline == .distantFuture ? -1 : max(0, (deadline - SystemClock.now()).nanoseconds)
        _ = linux_poll(&entries, UInt(entries.count), left)
    }
}
