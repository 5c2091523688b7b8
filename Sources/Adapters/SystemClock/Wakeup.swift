import CLinux
import Glibc
import Timebase

/// Wakes a thread that blocks in poll(2): an eventfd. Thread-safe.
package final class Wakeup: Sendable {
    /// Readable after `fire()`, until `drain()`.
    package let descriptor: Int32

    /// Nil where no file descriptor is left.
    package init?() {
        descriptor = linux_eventfd()
        if descriptor < 0 { return nil }
    }

    /// What poll(2) is to wait for.
    package static let readable = Int16(POLLIN)

    deinit { close(descriptor) }

    package func fire() {
        var one: UInt64 = 1
        // EAGAIN means that it is readable already.
        _ = write(descriptor, &one, 8)
    }

    package func drain() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    /// Blocks until fired, or the time is over: to the nanosecond, because a slot of the frame grid is waited for so.
    package func wait(atMost timeout: Duration) {
        var entry = pollfd(fd: descriptor, events: Self.readable, revents: 0)
        _ = linux_poll(&entry, 1, max(0, timeout.nanoseconds))
    }
}
