import Timebase

/// How the controlling side chooses (RFC 8445 § 8.1.1): regular nomination, as soon as there is nothing to wait for.
struct Nomination {
    /// A pair whose check with USE-CANDIDATE is queued or in the air.
    var pending: AddressPair?
    private(set) var selected: AddressPair?
    private(set) var selectedAt: Instant?
    private(set) var firstValidAt: Instant?
    /// The peer speaks from elsewhere: is the selected pair still there?
    var challenge: Challenge?

    /// A valid pair that takes over unless the selected one answers after `startedAt`.
    struct Challenge: Hashable {
        let pair: AddressPair
        let startedAt: Instant
        var due: Instant { startedAt + Limits.challengeTime }
    }

    mutating func foundValidPair(at now: Instant) {
        if firstValidAt == nil { firstValidAt = now }
    }

    mutating func selected(_ addresses: AddressPair, at now: Instant) {
        selected = addresses
        if selectedAt == nil { selectedAt = now }
        pending = nil
        challenge = nil
    }

    /// In the first seconds, the choice may still change (RFC 8445 § 8.3.1).
    func isSettling(at now: Instant) -> Bool {
        selectedAt.map { now - $0 < Limits.settlingTime } ?? true
    }

    /// The pair to nominate now.
    func choice(of checklist: Checklist, listIsComplete: Bool, at now: Instant) -> AddressPair? {
        guard pending == nil, let best = Self.bestValid(checklist) else { return nil }
        guard let selected, let current = checklist[selected] else {
            return mayConclude(best, checklist, listIsComplete, now) ? best.addresses : nil
        }
        return isSettling(at: now) && best.pair.quality > current.pair.quality ? best.addresses : nil
    }

    /// The best valid pair but the selected one, when that has fallen silent.
    func replacement(in checklist: Checklist) -> AddressPair? {
        guard pending == nil else { return nil }
        return Self.bestValid(checklist, except: selected)?.addresses
    }

    /// When a choice falls due that time alone decides.
    func due(_ checklist: Checklist) -> Instant? {
        guard pending == nil, selected == nil, let firstValidAt, checklist.hasValidPair else { return nil }
        return firstValidAt + Limits.nominationDelay
    }

    /// At once where nothing better can come: the pair is direct, or the peer has listed everything and what is still
    /// unanswered is no better. Else after a moment.
    private func mayConclude(
        _ best: CheckedPair, _ checklist: Checklist, _ listIsComplete: Bool, _ now: Instant
    ) -> Bool {
        if best.pair.quality >= CandidatePair.bestQuality { return true }
        let hasBetter = checklist.pairs.contains { $0.isPending && $0.pair.quality > best.pair.quality }
        if listIsComplete && !hasBetter { return true }
        return firstValidAt.map { now >= $0 + Limits.nominationDelay } ?? false
    }

    private static func bestValid(_ checklist: Checklist, except excluded: AddressPair? = nil) -> CheckedPair? {
        checklist.pairs.filter { $0.isValid && $0.addresses != excluded }
            .max { ($0.pair.quality, $0.priority) < ($1.pair.quality, $1.priority) }
    }
}
