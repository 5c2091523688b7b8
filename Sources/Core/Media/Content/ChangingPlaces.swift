import Timebase

/// Where something changes again and again: the place that is looked at, and others that could be it.
///
/// A source tells areas far from each other, but one rectangle around what is near: of two such windows that change in their
/// own time it tells the one, the other, or what holds both. A place keeps its turn while it is drawn, whatever goes on
/// beside it. It loses it to another that changes while it is still, to a larger one that it is always a part of, and, as
/// long as nothing in it speaks for a film, after a while to any that is steady, to one after the other.
struct ChangingPlaces: Sendable {
    private struct Place: Sendable {
        var area: PixelRect
        var visits: Int
        var visitedAt: Instant
        /// When it lost its turn.
        var lookedAt = Instant.zero
    }

    private let source: PixelSize
    private var looked = Place(area: .nothing, visits: 0, visitedAt: .zero)
    /// When the place got its turn, and when it was last drawn, by itself or with others.
    private var since = Instant.zero
    private var drawnAt = Instant.zero
    /// Visited within the last second; of the same area as none of the others.
    private var others: [Place] = []
    /// Since when all that changes is one larger area, around the place.
    private var around: (area: PixelRect, since: Instant)?

    init(source: PixelSize) {
        self.source = source
    }

    var home: PixelRect { looked.area }
    /// How often the place was drawn, and nothing near it.
    var visits: Int { looked.visits }

    /// Takes in what changed at once. What is too small for a film is neither a place nor a sign against one.
    ///
    /// - Parameter isFilm: the place shows a film; it is not given up for what merely changes beside it.
    /// - Returns: whether another place has its turn now.
    mutating func changed(_ areas: [PixelRect], isFilm: Bool, at now: Instant) -> Bool {
        let large = areas.filter { isLarge($0) }
        if large.isEmpty { return false }
        if large.contains(where: { $0.isSimilar(to: home) }) {
            visitHome(at: now)
        } else {
            let larger = large.first { $0.contains(home) }
            follow(larger, at: now)
            if !home.isEmpty, larger != nil { drawnAt = now }
        }
        var next: Place?
        for area in large where !area.isSimilar(to: home) {
            let visited = visit(area, at: now)
            if next == nil, takesTurn(visited, isFilm: isFilm, at: now) { next = visited }
        }
        guard let next else { return false }
        giveTurn(to: next, at: now)
        return true
    }

    private mutating func giveTurn(to next: Place, at now: Instant) {
        looked.lookedAt = now
        if looked.visits > 0 { others.append(looked) }
        others.removeAll { $0.area == next.area }
        looked = next
        (since, drawnAt) = (now, now)
        around = nil
    }

    private mutating func visitHome(at now: Instant) {
        looked.visits = min(looked.visits + 1, ContentLimits.visits * 2)
        looked.visitedAt = now
        drawnAt = now
        around = nil
    }

    /// One visit more to that place, or the first.
    private mutating func visit(_ area: PixelRect, at now: Instant) -> Place {
        others.removeAll { now - $0.visitedAt > ContentLimits.memoryOfPlaces }
        var place = Place(area: area, visits: 0, visitedAt: now)
        if let index = others.firstIndex(where: { $0.area.isSimilar(to: area) }) { place = others.remove(at: index) }
        place.visits = min(place.visits + 1, ContentLimits.visits * 2)
        place.visitedAt = now
        // The one whose last visit is longest ago is the first.
        if others.count >= ContentLimits.places { others.removeFirst() }
        others.append(place)
        return place
    }

    private mutating func follow(_ larger: PixelRect?, at now: Instant) {
        guard let larger else { return around = nil }
        if around?.area.isSimilar(to: larger) != true { around = (larger, now) }
    }

    private func takesTurn(_ place: Place, isFilm: Bool, at now: Instant) -> Bool {
        if home.isEmpty { return true }
        // A part of it that goes on was drawn with it until now: the rest has stopped. Once it may be a title, or a button.
        let isPart = home.contains(place.area) && (!isFilm || place.visits >= ContentLimits.knownVisits)
        let patience = isPart ? ContentLimits.patienceWithPart : ContentLimits.patience
        if now - drawnAt >= (isFilm ? patience : ContentLimits.patienceWithPart) { return true }
        if let around, around.area.isSimilar(to: place.area) {
            let least = isFilm ? ContentLimits.timeAround : ContentLimits.patienceWithPart
            if now - around.since >= least, place.visits >= ContentLimits.visits { return true }
        }
        guard !isFilm, place.visits >= ContentLimits.knownVisits, now - since >= ContentLimits.turn else { return false }
        return !others.contains { $0.visits >= ContentLimits.knownVisits && $0.lookedAt < place.lookedAt }
    }

    private func isLarge(_ area: PixelRect) -> Bool {
        area.width >= ContentLimits.side && area.height >= ContentLimits.side * 9 / 16
            && area.size.area * ContentLimits.share >= source.area
    }
}
