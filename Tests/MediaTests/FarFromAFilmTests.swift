import Media
import Testing
import Timebase

/// Windows far from each other that are drawn at the same ticks of a display of 60 Hz: a source tells each area by itself.
@Suite("Far from a film")
struct FarFromAFilmTests {
    private struct Window {
        var area: PixelRect
        /// New pictures a second.
        var rate: Int
        /// Each tick draws it, be it with the same picture.
        var isDrawnAlways = false
        var changed = 0.9
        var moved = 0.0
        /// Seconds.
        var from = 0

        func isNew(at tick: Int) -> Bool { tick >= from * 60 && tick * rate / 60 != (tick - 1) * rate / 60 }
        func isDrawn(at tick: Int) -> Bool { tick >= from * 60 && (isDrawnAlways || isNew(at: tick)) }
    }

    private static let screen = PixelSize(width: 1920, height: 1080)
    private static let left = PixelRect(x: 60, y: 100, width: 854, height: 480)
    private static let right = PixelRect(x: 1000, y: 80, width: 800, height: 900)
    private static let charts = [
        PixelRect(x: 1000, y: 80, width: 800, height: 420), PixelRect(x: 1000, y: 600, width: 800, height: 400),
        PixelRect(x: 60, y: 700, width: 840, height: 360),
    ]

    private struct Seen {
        /// Second by second.
        var content: [Content] = []
        var cadences: [Int64?] = []
        var switches = 0
        var place: PixelRect?
    }

    private func watch(_ windows: [Window], seconds: Int) -> Seen {
        var classifier = ContentClassifier(source: Self.screen)
        var detector = CadenceDetector()
        var seen = Seen()
        for tick in 1...seconds * 60 {
            let now = Instant.zero + .seconds(1) + .nanoseconds(Int64(tick) * 16_666_667)
            let before = classifier.content
            detector.advance(to: now)
            classifier.advance(to: now)
            if windows.contains(where: { $0.isDrawn(at: tick) }) { look(at: windows, tick, now, &classifier, &detector) }
            seen.switches += before != classifier.content ? 1 : 0
            if tick % 60 == 0 {
                seen.content.append(classifier.content)
                seen.cadences.append(detector.cadence?.rate.nominal)
            }
        }
        seen.place = classifier.place
        return seen
    }

    /// What the line of pictures does with a look: it compares the place where that was drawn, or else the largest window.
    private func look(
        at windows: [Window], _ tick: Int, _ now: Instant, _ classifier: inout ContentClassifier,
        _ detector: inout CadenceDetector
    ) {
        let drawn = windows.filter { $0.isDrawn(at: tick) }.sorted { $0.area.size.area > $1.area.size.area }
        let place = classifier.place
        guard let looked = drawn.first(where: { $0.area == place }) ?? drawn.first else { return }
        let isNew = looked.isNew(at: tick)
        classifier.looked(
            at: now, area: looked.area, beside: drawn.map(\.area).filter { $0 != looked.area },
            difference: FrameDifference(area: looked.area, changed: isNew ? looked.changed : 0, moved: looked.moved),
            cadence: detector.cadence)
        if isNew, place == nil || looked.area == place { detector.sawPicture(at: now) }
    }

    @Test("a film that each tick draws is found while each tick scrolls something, and keeps its own rate")
    func scrolled() {
        for isFilmFirst in [false, true] {
            let film = Window(area: Self.left, rate: 24, isDrawnAlways: true, from: isFilmFirst ? 0 : 5)
            let scrolled = Window(area: Self.right, rate: 60, moved: 0.9, from: isFilmFirst ? 5 : 0)
            let seen = watch([scrolled, film], seconds: 30)
            #expect(seen.content[..<4].allSatisfy { $0 == .app } != isFilmFirst)
            #expect(seen.content[9...].allSatisfy { $0 == .video } && seen.switches == 1, "\(seen.content)")
            #expect(seen.cadences[9...].allSatisfy { $0 == 24 } && seen.place == Self.left, "\(seen.cadences)")
        }
    }

    @Test("a film is found among several that change with each tick: each of them has its turn", arguments: [false, true])
    func severalPlaces(isDrawnAlways: Bool) {
        for from in 3...6 {
            let charts = Self.charts.map { Window(area: $0, rate: 60, changed: 0.1) }
            let film = Window(area: Self.left, rate: 24, isDrawnAlways: isDrawnAlways, from: from)
            let seen = watch(charts + [film], seconds: 30)
            #expect(seen.content[..<from].allSatisfy { $0 == .app })
            #expect(seen.content[15...].allSatisfy { $0 == .video } && seen.switches == 1, "\(seen.content)")
            #expect(seen.cadences[15...].allSatisfy { $0 == 24 } && seen.place == Self.left, "\(seen.cadences)")
        }
    }

    @Test("of two films with the same ticks one is found, and kept")
    func twoFilms() {
        let seen = watch([Window(area: Self.left, rate: 30), Window(area: Self.right, rate: 30)], seconds: 30)
        #expect(seen.content[4...].allSatisfy { $0 == .video } && seen.switches == 1, "\(seen.content)")
        #expect(seen.cadences[4...].allSatisfy { $0 == 30 })
        #expect(seen.place == Self.left || seen.place == Self.right)
    }

    @Test("two windows that are scrolled are no film", arguments: [(24, 30), (30, 60), (60, 60), (20, 50)] as [(Int, Int)])
    func twoScrolled(one: Int, other: Int) {
        let windows = [Window(area: Self.left, rate: one, moved: 0.9), Window(area: Self.right, rate: other, moved: 0.9)]
        #expect(watch(windows, seconds: 60).switches == 0)
    }
}
