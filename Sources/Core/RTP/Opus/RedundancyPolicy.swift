import Timebase

/// How many copies of each packet of sound are worth their bits (RFC 2198), by what the receiver reports as lost.
///
///     none ──2 %──► one ──7 %──► two
///        ◄── 1 % ──    ◄─ 4.5 % ─       (and only after ten quiet seconds)
///
/// Where single packets get lost at random, what is missing at the end is the loss to the power of levels + 1.
package struct RedundancyPolicy: Sendable {
    /// Copies of each packet.
    package private(set) var levels = 0
    /// Averaged, 0…1.
    package private(set) var loss = 0.0
    private var reportedAt: Instant?
    /// Since when fewer levels would do.
    private var quietSince: Instant?

    package init() {}

    /// A report of the receiver says what share was lost since the one before (RFC 3550 § 6.4.1).
    package mutating func reported(lossFraction: Double, at now: Instant) {
        let fraction = max(0, min(1, lossFraction.isNaN ? 0 : lossFraction))
        let elapsed = reportedAt.map { max(.zero, now - $0) } ?? Limits.lossMemory
        let share = elapsed.inSeconds / (elapsed + Limits.lossMemory).inSeconds
        loss += (fraction - loss) * share
        reportedAt = now
        let wanted = Limits.lossForRedundancy.filter { loss >= $0 }.count
        let kept = Limits.lossWithoutRedundancy.filter { loss >= $0 }.count
        if wanted > levels { levels = wanted }
        if kept >= levels { quietSince = nil } else { lower(at: now) }
    }

    private mutating func lower(at now: Instant) {
        guard let since = quietSince else { return quietSince = now }
        guard now - since >= Limits.redundancyHold else { return }
        levels -= 1
        quietSince = now
    }

    /// As many levels as fit into what sound may use; each costs the bit rate of the stream once more.
    package func levels(bitsPerSecond: Int, budget: Int) -> Int {
        max(0, min(levels, budget / max(1, bitsPerSecond) - 1))
    }
}
