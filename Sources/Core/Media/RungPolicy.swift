import Timebase

/// Who watches which rung of a share: rung 0 is for all whose paths carry about the same, a viewer far below the others
/// gets an encoding of its own rate, and comes back when its path has recovered.
///
///     rung 0 ──below half of what the rung is sent, for two seconds──► rung 1 ──► rung 2      (a quarter: half a second)
///        ▲                                                               │
///        └──────above three quarters of that rung, for five seconds──────┘
package struct RungPolicy<Viewer: Hashable & Sendable>: Sendable {
    package static var rungs: Int { 3 }

    private struct Place: Sendable {
        var rung = 0
        var rate: Int
        /// Since when it belongs elsewhere.
        var misplacedSince: Instant?
    }

    private var places: [Viewer: Place] = [:]

    package init() {}

    package func rung(of viewer: Viewer) -> Int { places[viewer]?.rung ?? 0 }

    /// What each rung that somebody watches is to be encoded for: what its slowest viewer takes.
    package var rates: [Int: Int] {
        var rates: [Int: Int] = [:]
        for place in places.values { rates[place.rung] = min(rates[place.rung] ?? .max, place.rate) }
        for (rung, best) in best { rates[rung] = max(rates[rung] ?? 0, best / MediaLimits.rungSpread) }
        return rates
    }

    /// What a viewer's path lets through from now on, in bits per second; nil where it has left.
    ///
    /// - Returns: viewers that change their rung.
    package mutating func update(_ viewer: Viewer, bitsPerSecond: Int?, at now: Instant) -> [Viewer] {
        guard let bitsPerSecond else {
            places[viewer] = nil
            return move(at: now)
        }
        places[viewer, default: Place(rate: bitsPerSecond)].rate = bitsPerSecond
        return move(at: now)
    }

    /// What the best viewer of each rung takes.
    private var best: [Int: Int] { places.values.reduce(into: [:]) { $0[$1.rung] = max($0[$1.rung] ?? 0, $1.rate) } }

    private mutating func move(at now: Instant) -> [Viewer] {
        var moved: [Viewer] = []
        let best = best
        for (viewer, place) in places {
            guard let wanted = wanted(place, best) else {
                places[viewer]?.misplacedSince = nil
                continue
            }
            let since = place.misplacedSince ?? now
            places[viewer]?.misplacedSince = since
            let isFar = place.rate * MediaLimits.rungSpread * 2 < best[place.rung] ?? 0
            let patience = wanted < place.rung ? MediaLimits.timeAboveRung
                : isFar ? MediaLimits.timeFarBelowRung : MediaLimits.timeBelowRung
            guard now - since >= patience else { continue }
            places[viewer]?.rung = wanted
            places[viewer]?.misplacedSince = nil
            moved.append(viewer)
        }
        return moved
    }

    /// The rung next to its own where it belongs; nil where it is right.
    private func wanted(_ place: Place, _ best: [Int: Int]) -> Int? {
        if let own = best[place.rung], place.rate * MediaLimits.rungSpread < own {
            return place.rung + 1 < Self.rungs ? place.rung + 1 : nil
        }
        guard place.rung > 0 else { return nil }
        // A rung that nobody else watches is left as well: there is no reason for two.
        guard let above = best[place.rung - 1] else { return place.rung - 1 }
        return place.rate * 4 > above * 3 ? place.rung - 1 : nil
    }
}
