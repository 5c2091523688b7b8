import CLinux
import Glibc
import Timebase

/// Waits for file descriptors, to the nanosecond where poll(2) has milliseconds. Who waits again and again keeps one, for
/// it keeps its memory.
package struct Poll {
    private var entries: [pollfd] = []
    /// Whose each of them is.
    private var owners: [Int] = []

    package init() {}

    /// - Parameter owner: whose it is, for `isReady`.
    package mutating func add(_ descriptor: Int32, _ events: Int16, of owner: Int = 0) {
        entries.append(pollfd(fd: descriptor, events: events, revents: 0))
        owners.append(owner)
    }

    /// Nothing is waited for any more, and nothing is ready.
    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
    }

    /// Blocks until one of them has one of its events, or the time has come.
    package mutating func wait(until deadline: Instant) {
        let left = deadline == .distantFuture ? -1 : max(0, (deadline - SystemClock.now()).nanoseconds)
        let count = UInt(entries.count)
        // A wait that was interrupted says nothing of them.
        if linux_poll(&entries, count, left) <= 0 { removeAll() }
    }

    /// Whether the last wait found an event of this owner's.
    package func isReady(_ owner: Int) -> Bool {
        entries.indices.contains { owners[$0] == owner && entries[$0].revents != 0 }
    }
}
