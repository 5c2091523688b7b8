import Timebase

/// What a path takes, told by peers that give no feedback on single packets: receiver reports and REMB.
///
/// Loss as GoogCC's first controller has it (draft-ietf-rmcat-gcc-02 § 6). A receiver's estimate
/// (draft-alvestrand-rmcat-remb-03) follows what comes: of a screen that rests it says no more than that. It binds where
/// more is sent than it names, and it falls, or does not grow.
package struct ReportedRate: Sendable {
    private var rate: Double
    private var maximum: Double
    private var lastReport: Instant?
    /// What reports tell of since the last that counted.
    private var covered = (packets: 0.0, lost: 0.0)
    /// By the peer's estimates; infinite while they say nothing against what is sent.
    private var bound = Double.infinity
    /// What was sent when it was too much.
    private var overload = Double.infinity
    private var lastEstimate: (bitsPerSecond: Double, at: Instant)?
    /// Since when more is sent than the peer believes in, and what it believed in then.
    private var excess: (since: Instant, estimate: Double)?
    private var sending = SendingRate()

    package init(maximum: Int) {
        self.maximum = Double(max(Limits.lowestRate, maximum))
        rate = self.maximum
    }

    package var target: Int { Int(max(Double(Limits.lowestRate), min(rate, bound))) }

    /// A packet has left.
    package mutating func sent(bytes: Int, at now: Instant) { sending.note(bytes: bytes, at: now) }

    /// More, or less, may be used from now on.
    package mutating func setMaximum(_ bitsPerSecond: Int) {
        let isFree = rate >= maximum
        maximum = Double(max(Limits.lowestRate, bitsPerSecond))
        rate = isFree ? maximum : min(rate, maximum)
    }

    /// - Parameters:
    ///   - loss: 0…1, since the last report.
    ///   - packets: that it is of; of few it counts together with that of the next.
    package mutating func reported(loss: Double, of packets: Int, at now: Instant) {
        covered.packets += Double(packets)
        covered.lost += loss * Double(packets)
        guard covered.packets > 0 else { return }
        let loss = covered.lost / covered.packets
        guard loss <= Limits.toleratedLoss || covered.packets >= Double(Limits.packetsOfReport) else { return }
        covered = (0, 0)
        react(to: loss, at: now)
    }

    private mutating func react(to loss: Double, at now: Instant) {
        let elapsed = min(2, max(0, lastReport.map { (now - $0).inSeconds } ?? 1))
        lastReport = now
        if loss > Limits.heavyLoss {
            rate *= 1 - 0.5 * min(1, loss)
        } else if loss <= Limits.toleratedLoss {
            rate *= 1 + Limits.growthPerSecond * elapsed
        }
        rate = max(Double(Limits.lowestRate), min(maximum, rate))
    }

    /// REMB.
    package mutating func estimated(bitsPerSecond: UInt64, at now: Instant) {
        let estimate = max(Double(Limits.lowestRate), Double(min(bitsPerSecond, UInt64(Limits.highestRate))))
        let last = lastEstimate
        lastEstimate = (estimate, now)
        let sent = sending.bitsPerSecond(at: now)
        guard sent > estimate * Limits.excessOverEstimate else {
            excess = nil
            return grow(to: estimate, for: last.map { now - $0.at } ?? .zero)
        }
        let began = excess ?? (now, estimate)
        excess = began
        let falls = last.map { estimate < $0.bitsPerSecond * Limits.fallOfEstimate } ?? true
        let stays = now - began.since >= Limits.patienceWithEstimate && estimate <= began.estimate * Limits.growthOfEstimate
        guard falls || stays else { return }
        bound = estimate
        // GoogCC's is 85 % of what came.
        overload = min(sent, estimate * Limits.overloadOfEstimate)
    }

    /// All that is sent passes.
    private mutating func grow(to estimate: Double, for elapsed: Duration) {
        guard bound.isFinite else { return }
        let isNear = bound > overload * Limits.nearOverload
        let growth = isNear ? Limits.growthPerSecond : Limits.knownGrowthPerSecond
        bound = max(bound * (1 + growth * min(1, elapsed.inSeconds)), min(estimate, overload * Limits.nearOverload))
        if bound > maximum { bound = .infinity }
    }
}
