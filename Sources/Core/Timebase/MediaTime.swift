/// A moment on a 90 kHz media clock (RFC 6184 § 8.2.1), not wrapped: 64 bits last for ever.
///
/// Each viewer's RTP timestamp is this plus a random offset, cut to 32 bits (RFC 3550 § 5.1).
package struct MediaTime: Hashable, Comparable, Sendable {
    package static let ticksPerSecond: Int64 = 90_000
    package var ticks: Int64

    package init(ticks: Int64) {
        self.ticks = ticks
    }

    /// The nearest tick to `elapsed` since the media clock's zero.
    package init(elapsed: Duration) {
        let nanoseconds = elapsed.nanoseconds
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        ticks = seconds * Self.ticksPerSecond + (rest * Self.ticksPerSecond + 500_000_000) / 1_000_000_000
    }

    /// Since the media clock's zero, to the nanosecond.
    package var elapsed: Duration {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: Self.ticksPerSecond)
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Self.ticksPerSecond)
    }

    package static func < (left: MediaTime, right: MediaTime) -> Bool { left.ticks < right.ticks }
}
