import Timebase

/// How fast a flow grows that sends most of what it may.
extension RateControl {
    /// A short queue that does not grow with the rate is no queue, but the time that a link takes for a packet. Beside
    /// another flow's there is no waiting for an empty one: loss tells when it is enough.
    func mayGrow(_ seen: Observation) -> Bool {
        let isForeign = queueTarget > Limits.queueTarget * 2
        return seen.queue < max(isForeign || seen.isSteady ? queueTarget : queueTarget / 3, queueOfFew / 2)
    }

    /// In bits per second, each second.
    func growth(_ seen: Observation) -> Double {
        if share.isNearPolicer(capacity) { return Double(capacity) * Limits.growthNearPolicer }
        if isCompeting, !competition.isProven { return 0 }
        // Up to what is known to pass it need not be slow (RFC 9438 § 4.10, slow start).
        let known = Double(capacity) * Limits.knownGrowthPerSecond
        if capacity * 100 < passed * Limits.knownPercent { return known }
        if isCompeting { return min(growthOfTCP(seen.roundTrip + seen.queue), known) }
        return Double(share.growthBase(capacity)) * Limits.growthPerSecond
    }
}
