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
/// there before. Text typed beside a film makes the area larger now and then, and moves nothing. Neither held keys nor
/// displays have a rate of 24: what has it is a film, even where it pans without a trace of noise.
///
/// Whole pages that a held key turns come as evenly as a film's pictures, and all of each is new: they are taken for a
/// film while they are turned. Nothing that was found tells them apart without making films late.
package struct ContentClassifier: Sendable {
    package private(set) var content = Content.app
    private let source: PixelSize
    /// The place that changes again and again.
    private var home = PixelRect.nothing
    private var visits = 0
    private var moved = 0.0
    private var panned = 0.0
    private var changed = 0.0
    /// Since when all of it speaks for a film, and when it last did.
    private var since: Instant?
    private var last = Instant.zero
    /// When the place was drawn last, be it with the same picture.
    private var drawn = Instant.zero

    package init(source: PixelSize) {
        self.source = source
    }

    /// Where something changes again and again, as far as that is known.
    package var place: PixelRect? { visits >= ContentLimits.knownVisits ? home : nil }

    /// Takes in a look.
    ///
    /// - Parameters:
    ///   - area: where the source changed; what the pointer hides and bares does not count.
    ///   - difference: what of it was new, in `place` where the area holds that.
    ///   - cadence: what was found of the pictures so far.
    package mutating func looked(
        at now: Instant, area: PixelRect, difference: FrameDifference, cadence: Cadence?
    ) {
        visit(area)
        if difference.isNew, home.isEmpty || difference.area.isSimilar(to: home) {
            moved += (difference.moved - moved) / ContentLimits.memory
            panned += (difference.panned - panned) / ContentLimits.memory
            changed += (difference.changed - changed) / ContentLimits.memory
        }
        // Once something plays, it may stumble.
        guard cadence != nil || content == .video, speaksForFilm(cadence) else {
            if content == .app { since = nil }
            return advance(to: now)
        }
        // What changes beside it, and a repeat, speak neither for it nor against it.
        let isThere = difference.area.isSimilar(to: home)
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
        return visits >= ContentLimits.visits && scrolled < ContentLimits.moved && changed > ContentLimits.changed
    }

    /// What is too small for a film is neither its place nor a sign against it.
    private mutating func visit(_ area: PixelRect) {
        guard isLarge(area) else { return }
        if area.isSimilar(to: home) {
            visits = min(visits + 1, ContentLimits.visits * 2)
        } else {
            visits -= area.contains(home) ? 1 : ContentLimits.stray
            if visits > 0 { return }
            home = area
            visits = 1
        }
    }

    private func isLarge(_ area: PixelRect) -> Bool {
        area.width >= ContentLimits.side && area.height >= ContentLimits.side * 9 / 16
            && area.size.area * ContentLimits.share >= source.area
    }
}

enum ContentLimits {
    /// A change comes to the same place so often before that is where something plays, and so often before it is known.
    static let visits = 16
    static let knownVisits = 8
    /// A change elsewhere takes so many back.
    static let stray = 2
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
