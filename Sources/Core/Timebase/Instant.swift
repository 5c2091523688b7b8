/// A point on the monotonic clock, in nanoseconds since an epoch that only its clock knows.
///
/// Core never reads a clock: instants come in as arguments, so that every run can be repeated. Arithmetic saturates
/// instead of trapping, because differences may come from what a peer sent.
package struct Instant: InstantProtocol, Hashable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static let zero = Instant(nanoseconds: 0)
    /// Later than anything that happens: "no deadline".
    package static let distantFuture = Instant(nanoseconds: .max)

    package func advanced(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds.addingSaturating(duration.nanoseconds))
    }

    package func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds.subtractingSaturating(nanoseconds))
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    package static func + (instant: Instant, duration: Duration) -> Instant { instant.advanced(by: duration) }
    package static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds.subtractingSaturating(duration.nanoseconds))
    }
    package static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }
    package static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }
}

extension Int64 {
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    package func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
