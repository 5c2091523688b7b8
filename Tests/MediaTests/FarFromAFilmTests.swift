import Media
import Testing
import Timebase

/// Windows far from each other that are drawn at the same ticks of a display of 60 Hz: a source tells each area by itself.
@Suite("Far from a film")
struct FarFromAFilmTests {
    private typealias Window = FilmScreen.Window

    private static let (left, right) = (FilmScreen.left, FilmScreen.right)
    private static let charts = [
        PixelRect(x: 1000, y: 80, width: 800, height: 420), PixelRect(x: 1000, y: 600, width: 800, height: 400),
        PixelRect(x: 60, y: 700, width: 840, height: 360),
    ]

    private func watch(_ windows: [Window], seconds: Int) -> FilmScreen.Seen {
        FilmScreen.watch(windows, seconds: seconds, look: look)
    }

    /// What the video pipeline does with a look: it compares the place where that was drawn, or else the largest window.
    private func look(at windows: [Window], _ tick: Int, _ now: Instant, _ eye: inout FilmScreen.Eye) {
        let drawn = windows.sorted { $0.area.size.area > $1.area.size.area }
        let place = eye.classifier.place
        guard let looked = drawn.first(where: { $0.area == place }) ?? drawn.first else { return }
        let isNew = looked.isNew(at: tick)
        eye.classifier.looked(
            at: now, area: looked.area, beside: drawn.map(\.area).filter { $0 != looked.area },
            difference: FrameDifference(area: looked.area, changed: isNew ? looked.changed : 0, moved: looked.moved),
            cadence: eye.detector.cadence)
        if isNew, place == nil || looked.area == place { eye.detector.sawPicture(at: now) }
    }

    @Test("a film that each tick draws is found while each tick scrolls something, and keeps its own rate")
    func scrolled() {
        for isFilmFirst in [false, true] {
            let film = Window(area: Self.left, rate: 24, isDrawnAlways: true, from: isFilmFirst ? 0 : 5)
            let scrolled = Window(area: Self.right, rate: 60, isScrolled: true, from: isFilmFirst ? 5 : 0)
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
        let windows = [
            Window(area: Self.left, rate: one, isScrolled: true), Window(area: Self.right, rate: other, isScrolled: true),
        ]
        #expect(watch(windows, seconds: 60).switches == 0)
    }
}
