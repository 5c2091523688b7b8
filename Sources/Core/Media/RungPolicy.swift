import Timebase

/// Who watches which rung of a share: rung 0 is for all whose paths carry about the same, a viewer far below the others
/// gets an encoding of its own rate, and comes back when its path has recovered.
///
///     rung 0 ──below half of what its best takes, for two seconds──► rung 1 ──► rung 2      (a quarter: half a second)
///        ▲                                                             │
///        └─────above three quarters of that rung's, for five seconds───┘
///
/// Who has fallen so far is not waited for until it moves: its pacer holds back what its path does not take. Who falls again
/// and again is waited for as if it took what it took before: more at each fall would fill its queue.
package struct RungPolicy<Viewer: Hashable & Sendable>: Sendable {
    package static var rungs: Int { 3 }

    private enum Standing: Sendable {
        case below, right, above
    }

    private struct Place: Sendable {
        var rung = 0
        var rate: Int
        var standing = Standing.right
        /// It came to be below by itself, and not because another takes more, or is thought to: of a newcomer it is a guess.
        var hasFallen = false
        /// When it fell last; who falls again and again is not sent more for it, but what it was before.
        var fellAt: Instant?
        var fallsAgain = false
        var rateBefore: Int?
        /// Good moments take from it but a part of their length: who swings about the border moves as well.
        var timeBelow = Duration.zero
        var aboveSince: Instant?
    }

    private var places: [Viewer: Place] = [:]
    private var lookedAt: Instant?

    package init() {}

    package func rung(of viewer: Viewer) -> Int { places[viewer]?.rung ?? 0 }

    /// What each rung that somebody watches is to be encoded for: what the slowest takes of those who are to stay there,
    /// but no less than half of what the best does.
    package var rates: [Int: Int] {
        let best = best
        var rates: [Int: Int] = [:]
        for place in places.values {
            var rate = place.rate
            if place.hasFallen, standing(of: place, best) == .below {
                guard place.fallsAgain, let before = place.rateBefore else { continue }
                rate = before
            }
            rates[place.rung] = min(rates[place.rung] ?? .max, rate)
        }
        return rates.merging(best) { max($0, $1 / MediaLimits.rungSpread) }
    }

    /// What a viewer's path lets through from now on, in bits per second; nil where it has left.
    ///
    /// - Returns: viewers that change their rung.
    package mutating func update(_ viewer: Viewer, bitsPerSecond: Int?, at now: Instant) -> [Viewer] {
        if let bitsPerSecond {
            places[viewer, default: Place(rate: bitsPerSecond)].rate = bitsPerSecond
        } else {
            places[viewer] = nil
        }
        let best = best
        let passed = lookedAt.map { max(.zero, now - $0) } ?? .zero
        lookedAt = now
        var moved: [Viewer] = []
        for (other, var place) in places {
            judge(&place, best, isNews: other == viewer, after: passed, at: now)
            if move(&place, best, at: now) { moved.append(other) }
            places[other] = place
        }
        return moved
    }

    /// What the best viewer of each rung takes.
    private var best: [Int: Int] { places.values.reduce(into: [:]) { $0[$1.rung] = max($0[$1.rung] ?? 0, $1.rate) } }

    /// - Parameters:
    ///   - isNews: it is this viewer whose rate was told.
    ///   - passed: since it was judged before.
    private func judge(_ place: inout Place, _ best: [Int: Int], isNews: Bool, after passed: Duration, at now: Instant) {
        let before = place.standing
        place.timeBelow = before == .below
            ? min(place.timeBelow + passed, MediaLimits.timeBelowRung)
            : max(.zero, place.timeBelow - passed / MediaLimits.goodTimePerBad)
        place.standing = standing(of: place, best)
        let falls = place.standing == .below && before != .below && isNews
        if falls {
            place.fallsAgain = place.fellAt.map { now - $0 < MediaLimits.memoryOfFall } ?? false
            place.fellAt = now
        }
        place.hasFallen = place.standing == .below && (place.hasFallen || falls)
        if place.standing != .below { place.rateBefore = place.rate }
        place.aboveSince = place.standing == .above ? place.aboveSince ?? now : nil
    }

    /// - Returns: whether it has been where it does not belong for so long that it moves to the next rung.
    private func move(_ place: inout Place, _ best: [Int: Int], at now: Instant) -> Bool {
        switch place.standing {
        case .right: return false
        case .below:
            let isFar = place.rate * MediaLimits.rungSpread * 2 < best[place.rung] ?? 0
            guard place.timeBelow >= (isFar ? MediaLimits.timeFarBelowRung : MediaLimits.timeBelowRung) else { return false }
            place.rung += 1
        case .above:
            guard let since = place.aboveSince, now - since >= MediaLimits.timeAboveRung else { return false }
            place.rung -= 1
        }
        (place.standing, place.timeBelow, place.aboveSince, place.rateBefore) = (.right, .zero, nil, nil)
        return true
    }

    private func standing(of place: Place, _ best: [Int: Int]) -> Standing {
        // Below the last rung there is nothing: who takes less than that is waited for as far as for any.
        if place.rate * MediaLimits.rungSpread < best[place.rung] ?? 0 {
            return place.rung + 1 < Self.rungs ? .below : .right
        }
        guard place.rung > 0 else { return .right }
        // A rung that nobody else watches is left as well: there is no reason for two.
        guard let above = best[place.rung - 1] else { return .above }
        return place.rate * 4 > above * 3 ? .above : .right
    }
}
