import Timebase

/// Who watches which rung of a share: rung 0 is for all whose paths carry about the same, a viewer far below the others
/// gets an encoding of its own rate, and comes back when its path has recovered.
///
///     rung 0 ──below half of what its best takes, for two seconds──► rung 1, or 2           (a quarter: half a second)
///        ▲                                                             │
///        └────────above three quarters of that, for five seconds───────┘
///
/// Who has fallen so far is not waited for until it moves: its pacer holds back what its path does not take. Who falls again
/// and again is waited for as if it took what it took before: more at each fall would fill its queue.
///
/// Each move costs those on the rung that it leads to a keyframe. So it leads straight to where the viewer belongs; who is
/// about to leave drives nobody away meanwhile; who is only believed to take more does not either, and comes back after 80 s;
/// and who had to leave soon after it came back is above for twice as long before the next time, up to 80 s.
package struct RungPolicy<Viewer: Hashable & Sendable>: Sendable {
    package static var rungs: Int { 3 }

    private var places: [Viewer: RungPlace] = [:]
    private var lookedAt: Instant?

    package init() {}

    package func rung(of viewer: Viewer) -> Int { places[viewer]?.rung ?? 0 }

    /// What each rung that somebody watches is to be encoded for: what the slowest takes of those who are to stay there,
    /// but no less than half of what the best does.
    package var rates: [Int: Int] {
        let best = best
        var rates: [Int: Int] = [:]
        for place in places.values {
            guard let rate = place.rateOfRung(best) else { continue }
            rates[place.rung] = min(rates[place.rung] ?? .max, rate)
        }
        for (rung, best) in best.enumerated() {
            guard let best else { continue }
            rates[rung] = max(rates[rung] ?? best, best / MediaLimits.rungSpread)
        }
        return rates
    }

    /// What a viewer's path lets through from now on, in bits per second; nil where it has left.
    ///
    /// - Parameter isProven: it is known, and not only believed in.
    /// - Returns: viewers that change their rung.
    package mutating func update(
        _ viewer: Viewer, bitsPerSecond: Int?, isProven: Bool = true, at now: Instant
    ) -> [Viewer] {
        if let bitsPerSecond {
            var place = places[viewer] ?? RungPlace(rate: bitsPerSecond)
            (place.rate, place.isProven) = (bitsPerSecond, isProven)
            places[viewer] = place
        } else {
            places[viewer] = nil
        }
        let best = best
        judge(best, newsOf: viewer, after: lookedAt.map { max(.zero, now - $0) } ?? .zero, at: now)
        lookedAt = now
        var moved: [Viewer] = []
        for index in places.values.indices where places.values[index].move(best, at: now) {
            moved.append(places.keys[index])
        }
        // Whom others' moves put below has not fallen.
        if !moved.isEmpty { judge(self.best, newsOf: nil, after: .zero, at: now) }
        return moved
    }

    private mutating func judge(_ best: [Int?], newsOf viewer: Viewer?, after passed: Duration, at now: Instant) {
        for index in places.values.indices {
            places.values[index].judge(best, isNews: places.keys[index] == viewer, after: passed, at: now)
        }
    }

    /// What the best viewer of each rung takes, of those whose rate counts most there; nil where nobody watches it.
    private var best: [Int?] {
        var best = [Int?](repeating: nil, count: Self.rungs)
        for rung in best.indices {
            var most = (weight: 0, rate: 0)
            for place in places.values where place.rung == rung {
                let own = (weight: place.weight(best), rate: place.rate)
                if own > most { most = own }
            }
            best[rung] = most.weight > 0 ? most.rate : nil
        }
        return best
    }
}
