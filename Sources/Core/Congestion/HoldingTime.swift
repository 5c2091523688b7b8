import Timebase

/// How long a peer keeps what it has to tell: of what it tells in one moment, from the first arrival to the last.
///
/// GStreamer makes a feedback for each picture and holds them until its session may send RTCP: one early packet between
/// two regular ones (RFC 4585 § 3.5.2), which in the first seconds come up to 1.5 s after each other. What is late for that
/// is neither in a queue nor lost.
struct HoldingTime: Sendable {
    private var moment: (began: Instant, arrival: Duration)?
    private var longest = Duration.zero

    /// What may be waited for beyond a round trip; nothing for who tells within a fraction of a second.
    var allowance: Duration {
        longest < Limits.shortHolding ? .zero : min(longest * Limits.holdingFactor, Limits.longestHolding)
    }

    mutating func observe(_ reports: [PacketReport], at now: Instant) {
        let arrivals = reports.lazy.compactMap(\.arrival)
        guard let first = arrivals.min(), let last = arrivals.max() else { return }
        if let moment, now - moment.began < Limits.momentOfFeedback {
            self.moment?.arrival = min(moment.arrival, first)
        } else {
            moment = (now, first)
            longest -= longest / Limits.holdingMemory
        }
        longest = max(longest, last - (moment?.arrival ?? first))
    }
}
