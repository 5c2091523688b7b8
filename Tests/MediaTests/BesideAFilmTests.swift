import Media
import Testing
import Timebase

/// Windows that change in their own time on a display of 60 Hz, near each other: a source tells one rectangle around all.
@Suite("Beside a film")
struct BesideAFilmTests {
    private typealias Window = FilmScreen.Window

    private static let (screen, left, right) = (FilmScreen.size, FilmScreen.left, FilmScreen.right)
    private static let banner = PixelRect(x: 1000, y: 700, width: 320, height: 250)

    private func watch(_ windows: [Window], seconds: Int) -> FilmScreen.Seen {
        FilmScreen.watch(windows, seconds: seconds) { drawn, _, now, eye in look(at: drawn, now, &eye) }
    }

    /// What the video pipeline does with a look.
    private func look(at drawn: [Window], _ now: Instant, _ eye: inout FilmScreen.Eye) {
        let hull = drawn.reduce(PixelRect.nothing) { $0.union($1.area) }
        let place = eye.classifier.place
        let area = place.flatMap { hull.contains($0) ? $0 : nil } ?? hull
        let there = drawn.filter { !$0.area.intersection(area).isEmpty }
        let moved = there.contains { !$0.isScrolled } ? 0 : 0.9
        let difference = FrameDifference(area: area, changed: there.isEmpty ? 0 : 0.9, moved: moved)
        eye.classifier.looked(at: now, area: hull, difference: difference, cadence: eye.detector.cadence)
        if !there.isEmpty, place.map({ area.isSimilar(to: $0) }) ?? true { eye.detector.sawPicture(at: now) }
    }

    @Test("what is scrolled, be it with each tick, does not end a film that plays", arguments: [13, 15, 20, 30, 60])
    func scrolledBeside(rate: Int) {
        let film = Window(area: Self.left, rate: 24)
        let scrolled = Window(area: Self.right, rate: rate, isScrolled: true, from: 5, to: 40)
        let seen = watch([film, scrolled], seconds: 60)
        #expect(seen.switches == 1)
        #expect(seen.cadences.dropFirst(3).allSatisfy { $0 == 24 }, "\(seen.cadences)")
        #expect(seen.place == Self.left)
    }

    @Test("a film that begins beside what is scrolled already is found within four seconds", arguments: [15, 20, 30])
    func scrolledFirst(rate: Int) {
        let scrolled = Window(area: Self.right, rate: rate, isScrolled: true)
        let film = Window(area: Self.left, rate: 24, from: 10)
        let seen = watch([scrolled, film], seconds: 60)
        #expect(seen.content[..<10].allSatisfy { $0 == .app })
        #expect(seen.content[14...].allSatisfy { $0 == .video } && seen.switches == 1, "\(seen.content)")
        #expect(seen.cadences[14...].allSatisfy { $0 == 24 }, "\(seen.cadences)")
    }

    @Test(
        "of two films one is found, and kept",
        arguments: [(24, 25), (24, 30), (25, 30), (24, 60), (30, 30)] as [(Int, Int)])
    func twoFilms(one: Int, other: Int) {
        let seen = watch([Window(area: Self.left, rate: one), Window(area: Self.right, rate: other)], seconds: 60)
        #expect(seen.content[4...].allSatisfy { $0 == .video } && seen.switches == 1, "\(seen.content)")
        let found = Set(seen.cadences[6...])
        #expect(found.count == 1 && found.isSubset(of: [Int64(one), Int64(other)]), "\(found)")
    }

    @Test("an advertisement that begins beside a film ends it not", arguments: [13, 15, 20, 30, 60])
    func advertisement(rate: Int) {
        let seen = watch([Window(area: Self.left, rate: 24), Window(area: Self.banner, rate: rate, from: 6)], seconds: 60)
        #expect(seen.switches == 1 && seen.cadences.dropFirst(3).allSatisfy { $0 == 24 }, "\(seen.cadences)")
    }

    @Test("once a film has ended, one that goes on beside it is found, and the place of one that is over is forgotten")
    func next() {
        let windows = [Window(area: Self.left, rate: 24, to: 20), Window(area: Self.right, rate: 25, from: 3, to: 40)]
        let seen = watch(windows, seconds: 60)
        #expect(seen.cadences[5..<19].allSatisfy { $0 == 24 } && seen.cadences[24..<39].allSatisfy { $0 == 25 }, "\(seen.cadences)")
        #expect(seen.content[24..<39].allSatisfy { $0 == .video } && seen.content[43...].allSatisfy { $0 == .app })
    }

    @Test("a film of the whole screen has ended, though a part of the screen goes on changing a few times a second")
    func partGoesOn() {
        for rate in [2, 5, 10] {
            let windows = [Window(area: PixelRect(Self.screen), rate: 24, to: 20), Window(area: Self.right, rate: rate)]
            let seen = watch(windows, seconds: 60)
            #expect(seen.content[5..<19].allSatisfy { $0 == .video } && seen.content[23...].allSatisfy { $0 == .app }, "\(rate)")
        }
    }

    @Test("a film that rests for a second goes on, though its buttons or a title are drawn meanwhile")
    func title() {
        let film = PixelRect(Self.screen)
        let windows = [
            Window(area: film, rate: 24, to: 20), Window(area: Self.banner, rate: 2, from: 20, to: 21),
            Window(area: film, rate: 24, from: 21),
        ]
        let seen = watch(windows, seconds: 40)
        #expect(seen.switches == 1 && seen.place == film)
    }

    @Test("of two that played with the same ticks the one that goes on is followed")
    func oneGoesOn() {
        let windows = [
            Window(area: Self.left, rate: 30), Window(area: Self.right, rate: 30, to: 10), Window(area: Self.right, rate: 3, from: 10),
        ]
        let seen = watch(windows, seconds: 60)
        #expect(seen.content[4...].allSatisfy { $0 == .video } && seen.cadences[16...].allSatisfy { $0 == 30 }, "\(seen.cadences)")
        #expect(seen.place == Self.left)
    }

    @Test("two windows that are scrolled are no film")
    func twoScrolled() {
        for (one, other) in [(24, 30), (30, 60), (60, 60), (20, 50)] {
            let windows = [
                Window(area: Self.left, rate: one, isScrolled: true), Window(area: Self.right, rate: other, isScrolled: true),
            ]
            #expect(watch(windows, seconds: 60).switches == 0, "\(one) and \(other)")
        }
    }

    @Test("a film goes on where the source changes its size, and is over where it does not")
    func resized() {
        for goesOn in [true, false] {
            var eye = FilmScreen.Eye()
            var now = Instant.zero + .seconds(1)
            var ended = 0
            for picture in 0..<240 {
                now += .nanoseconds(41_666_667)
                if picture == 120 {
                    eye.classifier.resized(to: PixelSize(width: 1280, height: 720), at: now)
                    ended -= 1
                }
                let before = eye.classifier.content
                eye.advance(to: now)
                let film = Window(area: picture < 120 ? Self.left : PixelRect(x: 0, y: 0, width: 1280, height: 720), rate: 24)
                if picture < 120 || goesOn { look(at: [film], now, &eye) }
                if before == .video, eye.classifier.content == .app { ended += 1 }
            }
            #expect(eye.classifier.content == (goesOn ? .video : .app))
            #expect(ended == (goesOn ? -1 : 0))
        }
    }
}
