import Timebase

/// The timer Ta (RFC 8445 § 6.1.4.2): the first check leaves at once, the others one at a time.
struct Pacing {
    private var lastCheck: Instant?

    mutating func sent(at now: Instant) { lastCheck = now }

    /// When an ordinary check may leave.
    var ordinaryDue: Instant { lastCheck.map { $0 + Limits.checkInterval } ?? .zero }
    /// When a triggered one may.
    var triggeredDue: Instant { lastCheck.map { $0 + Limits.triggeredInterval } ?? .zero }
}
