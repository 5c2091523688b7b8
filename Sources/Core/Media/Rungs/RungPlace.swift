import Timebase

/// A viewer's place among the rungs, and how it stands there.
///
/// What the best of each rung takes (`RungPolicy.best`) it is told each time; nil where nobody watches one.
struct RungPlace: Sendable {
    private enum Standing: Sendable {
        case below, right, above
    }

    private(set) var rung = 0
    var rate: Int
    /// The rate is known, and not only believed in.
    var isProven = true
    private var standing = Standing.right
    /// It came to be below by itself, and not because another takes more, or is thought to: of a newcomer it is a guess.
    private var hasFallen = false
    /// When it fell last; who falls again and again is not sent more for it, but what it was before.
    private var fellAt: Instant?
    private var fallsAgain = false
    private var rateBefore: Int?
    /// Good moments take from it but a part of their length: who swings about the border moves as well.
    private var timeBelow = Duration.zero
    private var aboveSince: Instant?
    /// How long it is above before it returns: longer each time that it had to leave soon after.
    private var patience = MediaLimits.timeAboveRung
    /// When it returned last; nil once it has stayed for a while.
    private var returnedAt: Instant?

    init(rate: Int) {
        self.rate = rate
    }

    /// What its rung may make for its sake; nil where it is not waited for.
    func rateOfRung(_ best: [Int?]) -> Int? {
        guard hasFallen, standing(best) == .below else { return rate }
        return fallsAgain ? rateBefore : nil
    }

    /// How much its rate counts as its rung's best: who is about to leave, nothing beside those who stay; who is only believed to
    /// take it, nothing beside those who do.
    func weight(_ best: [Int?]) -> Int { isProven ? rungAbove(best) == nil ? 3 : 1 : 2 }

    /// - Parameters:
    ///   - isNews: it is this viewer whose rate was told.
    ///   - passed: since it was judged before.
    mutating func judge(_ best: [Int?], isNews: Bool, after passed: Duration, at now: Instant) {
        let before = standing
        timeBelow = before == .below
            ? min(timeBelow + passed, MediaLimits.timeBelowRung)
            : max(.zero, timeBelow - passed / MediaLimits.goodTimePerBad)
        standing = standing(best)
        let falls = standing == .below && before != .below && isNews
        if falls {
            fallsAgain = fellAt.map { now - $0 < MediaLimits.memoryOfFall } ?? false
            fellAt = now
        }
        hasFallen = standing == .below && (hasFallen || falls)
        if standing != .below { rateBefore = rate }
        aboveSince = standing == .above ? aboveSince ?? now : nil
        if let returnedAt, now - returnedAt >= MediaLimits.memoryOfReturn {
            (patience, self.returnedAt) = (MediaLimits.timeAboveRung, nil)
        }
    }

    /// - Returns: whether it has been where it does not belong for so long that it moves, straight to where it does.
    mutating func move(_ best: [Int?], at now: Instant) -> Bool {
        switch standing {
        case .right: return false
        case .below:
            let isFar = rate * MediaLimits.rungSpread * 2 < best[rung] ?? 0
            guard timeBelow >= (isFar ? MediaLimits.timeFarBelowRung : MediaLimits.timeBelowRung) else { return false }
            rung = rungBelow(best)
            if returnedAt != nil { patience = min(patience * 2, MediaLimits.longestTimeAboveRung) }
            returnedAt = nil
        case .above:
            guard let aboveSince, let above = rungAbove(best) else { return false }
            guard now - aboveSince >= patience(towards: above, best) else { return false }
            (rung, returnedAt) = (above, now)
        }
        (standing, timeBelow, aboveSince, rateBefore) = (.right, .zero, nil, nil)
        return true
    }

    private func patience(towards above: Int, _ best: [Int?]) -> Duration {
        // Where nobody watches it, nobody is disturbed.
        if best[above] == nil { return MediaLimits.timeAboveRung }
        return isProven ? patience : MediaLimits.longestTimeAboveRung
    }

    // MARK: Where it belongs

    private func standing(_ best: [Int?]) -> Standing {
        // Below the last rung there is nothing: who takes less than that is waited for as far as for any.
        if isBelow(rung, best) { return rung + 1 < best.count ? .below : .right }
        return rungAbove(best) == nil ? .right : .above
    }

    private func isBelow(_ rung: Int, _ best: [Int?]) -> Bool { rate * MediaLimits.rungSpread < best[rung] ?? 0 }

    private func rungBelow(_ best: [Int?]) -> Int {
        (rung + 1..<best.count).first { !isBelow($0, best) } ?? best.count - 1
    }

    /// The first of those above that it takes three quarters of; nil where it is to stay.
    private func rungAbove(_ best: [Int?]) -> Int? {
        guard rung > 0 else { return nil }
        let watched = (0..<rung).filter { best[$0] != nil }
        // Where nobody watches one above, there is no reason for two.
        guard !watched.isEmpty else { return 0 }
        guard let fitting = watched.first(where: { rate * 4 > (best[$0] ?? 0) * 3 }) else { return nil }
        // Who takes less than half as much would have to leave from there, which need not be where the next above will do.
        guard rate > (best[fitting] ?? 0) * MediaLimits.rungSpread else { return fitting }
        return watched.last { $0 < fitting && !isBelow($0, best) } ?? fitting
    }
}
