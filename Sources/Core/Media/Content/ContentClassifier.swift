import Timebase

/// What the pictures are about.
package enum Content: Hashable, Sendable {
    /// Programs, pages, text.
    case app
    /// Something plays: in the whole picture or in a part of it.
    case video
}

/// Decides from evidence whether something plays, and where.
///
///     app ──one place, large enough, whose pictures keep to a rate for a second, all over and not scrolled──► video
///      ▲──────────────────── for a second and a half nothing of that ◄────────────────────────────────────────┘
///
/// Typing has no rate and changes few rows, a dragged window has no place, a spinner is small, and what is scrolled was
/// there before. What is typed, scrolled or plays beside a film makes the area larger now and then, and moves nothing
/// (`ChangingPlaces`). Neither held keys nor displays have a rate of 24: what has it is a film, even where it pans without a
/// trace of noise.
///
/// Whole pages that a held key turns come as evenly as a film's pictures, and all of each is new: they are taken for a
/// film while they are turned. Nothing that was found tells them apart without making films late.
package struct ContentClassifier: Sendable {
    package private(set) var content = Content.app
    private var places: ChangingPlaces
    private var moved = 0.0
    private var panned = 0.0
    private var changed = 0.0
    /// Since when all of it speaks for a film, and when it last did.
    private var since: Instant?
    private var last = Instant.zero
    /// When the place was drawn last, be it with the same picture.
    private var drawn = Instant.zero
    /// When pictures last kept to a rate, and whether those of this place did.
    private var kept = Instant.zero
    private var hasKept = false

    package init(source: PixelSize) {
        places = ChangingPlaces(source: source)
    }

    /// Where something changes again and again, as far as that is known.
    package var place: PixelRect? { places.visits >= ContentLimits.knownVisits ? places.home : nil }

    /// The source has another size: what plays goes on, wherever that is now.
    package mutating func resized(to source: PixelSize, at now: Instant) {
        places = ChangingPlaces(source: source)
        (moved, panned, changed) = (0, 0, 0)
        if content == .video { last = max(last, now) }
    }

    /// Takes in a look.
    ///
    /// - Parameters:
    ///   - area: where the source changed; what the pointer hides and bares does not count.
    ///   - beside: where else it changed, far from that.
    ///   - difference: what of the area was new, in `place` where it holds that.
    ///   - cadence: what was found of the pictures so far.
    package mutating func looked(
        at now: Instant, area: PixelRect, beside: [PixelRect] = [], difference: FrameDifference, cadence: Cadence?
    ) {
        let isFilm = (since != nil || content == .video) && now - kept < ContentLimits.patience
        if places.changed([area] + beside, isFilm: isFilm, at: now) {
            (moved, panned, changed, hasKept) = (0, 0, 0, false)
        }
        if cadence != nil { (kept, hasKept) = (now, true) }
        let isThere = difference.area.isSimilar(to: places.home)
        if difference.isNew, isThere {
            moved += (difference.moved - moved) / ContentLimits.memory
            panned += (difference.panned - panned) / ContentLimits.memory
            changed += (difference.changed - changed) / ContentLimits.memory
        }
        // Once something plays there, it may stumble.
        guard cadence != nil || content == .video && hasKept, speaksForFilm(cadence) else {
            if content == .app { since = nil }
            return advance(to: now)
        }
        // What changes beside it, and a repeat, speak neither for it nor against it.
        if isThere { drawn = now }
        guard isThere, difference.isNew else { return advance(to: now) }
        let since = since ?? now
        self.since = since
        last = now
        if now - since >= ContentLimits.certainty { content = .video }
    }

    /// Time passes without a look.
    package mutating func advance(to now: Instant) {
        // A player that draws a title card all the time goes on; one that draws nothing has stopped.
        let isDrawn = now - drawn < ContentLimits.patience
        guard now - last >= (isDrawn ? ContentLimits.patienceWithStill : ContentLimits.patience) else { return }
        content = .app
        since = nil
    }

    private func speaksForFilm(_ cadence: Cadence?) -> Bool {
        // What is dragged about goes now this way, now that. A codec repeats a pan in whole pixels to the bit: that ends no
        // film which was found.
        let scrolled = content == .video || cadence?.rate.nominal == 24 ? moved : moved + panned
        // A few changes of another place do not go on with a film that has ended.
        guard places.visits >= ContentLimits.visits || content == .video && cadence != nil else { return false }
        return scrolled < ContentLimits.moved && changed > ContentLimits.changed
    }
}

enum ContentLimits {
    /// A change comes to the same place so often before that is where something plays, and so often before it is known.
    static let visits = 16
    static let knownVisits = 8
    /// So many places beside the one that is looked at, each for so long behind its last visit.
    static let places = 4
    static let memoryOfPlaces = Duration.seconds(1)
    /// A place in which nothing speaks for a film keeps its turn for so long where another is as steady.
    static let turn = Duration.seconds(2)
    /// All that changes is one area around the film: it is shown larger. Two windows that change with the same ticks for so
    /// long are rare.
    static let timeAround = Duration.seconds(2)
    /// Of a place that is drawn no more, but for a part of it: that plays alone now.
    static let patienceWithPart = Duration.milliseconds(400)
    /// The smallest thing that is worth the rate of a film: a thumbnail of 160 by 90, and a 48th of the picture.
    static let side = 160
    static let share = 48
    /// New pictures over which the shares are averaged. Above the one it is scrolling, below the other a detail.
    static let memory = 8.0
    static let moved = 0.3
    static let changed = 0.25
    /// How long all has to speak for a film, and how long nothing until it is over.
    static let certainty = Duration.seconds(1)
    static let patience = Duration.milliseconds(1500)
    /// The same where its place is drawn again and again with one picture.
    static let patienceWithStill = Duration.seconds(6)
    /// Pixels by which a place may differ from itself.
    static let slack = 16
}

extension PixelRect {
    /// The same place, but for a border.
    package func isSimilar(to other: PixelRect) -> Bool {
        let slack = ContentLimits.slack
        return abs(x - other.x) <= slack && abs(y - other.y) <= slack && abs(maxX - other.maxX) <= slack
            && abs(maxY - other.maxY) <= slack
    }
}
