import Media
import TestSupport
import Testing
import Timebase

@Suite("Content")
struct ContentTests {
    private static let screen = PixelSize(width: 1920, height: 1080)
    private static let window = PixelRect(x: 300, y: 200, width: 960, height: 540)

    /// Looks of some seconds, and what they were taken for at the end.
    private struct Trace {
        var classifier = ContentClassifier(source: ContentTests.screen)
        var detector = CadenceDetector()
        var now = Instant.zero + .seconds(1)
        var switches = 0

        /// - Parameter isFilmNew: whether the place of the film, where one is known and the area holds it, shows
        ///   something new.
        mutating func look(
            after: Duration, area: PixelRect, isFilmNew: Bool = true, changed: Double = 0.9, moved: Double = 0,
            panned: Double = 0
        ) {
            now += after
            classifier.advance(to: now)
            let place = classifier.place.flatMap { area.contains($0) ? $0 : nil }
            let isNew = isFilmNew || place == nil
            if isNew, place != nil || classifier.place == nil { detector.sawPicture(at: now) }
            let was = classifier.content
            classifier.looked(
                at: now, area: area,
                difference: FrameDifference(
                    area: place ?? area, changed: isNew ? changed : 0, moved: moved, panned: panned),
                cadence: detector.cadence)
            if was != classifier.content { switches += 1 }
        }

        mutating func rest(_ time: Duration) {
            now += time
            let was = classifier.content
            classifier.advance(to: now)
            detector.restart()
            if was != classifier.content { switches += 1 }
        }

        /// A film of 24 on a display of 60 Hz that draws every tick.
        mutating func film(
            _ seconds: Int, in area: PixelRect, panned: Double = 0, beside: (Int) -> PixelRect? = { _ in nil }
        ) {
            for tick in 0..<seconds * 60 {
                let isNew = tick * 24 / 60 != (tick - 1) * 24 / 60
                let other = beside(tick)
                look(
                    after: .nanoseconds(16_666_667), area: other.map { area.union($0) } ?? area, isFilmNew: isNew,
                    panned: panned)
            }
        }
    }

    @Test("a film whose player shows a title card for four seconds goes on")
    func titleCard() {
        var trace = Trace()
        trace.film(5, in: Self.window)
        for _ in 0..<240 { trace.look(after: .nanoseconds(16_666_667), area: Self.window, isFilmNew: false) }
        trace.film(5, in: Self.window)
        #expect(trace.classifier.content == .video && trace.switches == 1)
    }

    @Test("a film that was stopped is over, though a clock ticks beside it, or its player draws the same again")
    func stopped() {
        let clock = PixelRect(x: 1800, y: 0, width: 100, height: 24)
        for redraws in [false, true] {
            var trace = Trace()
            trace.film(5, in: Self.window)
            #expect(trace.classifier.content == .video)
            for _ in 0..<120 {
                if redraws { trace.look(after: .milliseconds(10), area: Self.window, isFilmNew: false) }
                trace.look(after: .milliseconds(490), area: clock)
            }
            #expect(trace.classifier.content == .app)
        }
    }

    @Test("a film in a window is seen within two seconds and a half, and is over as soon after its end")
    func film() {
        var trace = Trace()
        trace.film(2, in: Self.window)
        #expect(trace.classifier.content == .video)
        trace.film(600, in: Self.window)
        #expect(trace.switches == 1)
        trace.rest(.seconds(2))
        #expect(trace.classifier.content == .app)
    }

    @Test("typing beside a film changes nothing of it")
    func filmAndTyping() {
        var trace = Trace()
        var random = SeededGenerator(seed: 2)
        trace.film(300, in: Self.window) { _ in
            // A key now and then falls into the same look.
            Int.random(in: 0..<200, using: &random) == 0 ? PixelRect(x: 50, y: 900, width: 12, height: 20) : nil
        }
        #expect(trace.classifier.content == .video && trace.switches == 1)
    }

    @Test("a spinner that was there first does not hide the film around it")
    func spinnerFirst() {
        var trace = Trace()
        let spinner = PixelRect(x: 900, y: 500, width: 64, height: 64)
        for _ in 0..<600 { trace.look(after: .nanoseconds(16_666_667), area: spinner) }
        trace.film(5, in: PixelRect(Self.screen))
        #expect(trace.classifier.content == .video && trace.switches == 1)
        #expect(trace.classifier.place == PixelRect(Self.screen))
    }

    @Test("a film that moves to another window is found there")
    func anotherPlace() {
        var trace = Trace()
        trace.film(5, in: Self.window)
        trace.film(5, in: PixelRect(Self.screen))
        #expect(trace.classifier.content == .video && trace.classifier.place == PixelRect(Self.screen))
    }

    @Test("what is steady but small, dragged or scrolled is no film")
    func impostors() {
        var spinner = Trace()
        for _ in 0..<3600 {
            spinner.look(after: .nanoseconds(16_666_667), area: PixelRect(x: 900, y: 500, width: 64, height: 64))
        }
        #expect(spinner.switches == 0)
        var drag = Trace()
        for step in 0..<600 {
            drag.look(
                after: .nanoseconds(16_666_667),
                area: PixelRect(x: step * 2 % 900, y: 100 + step % 200, width: 800, height: 600))
        }
        #expect(drag.switches == 0)
        var terminal = Trace()
        // Drawn anew as a whole for each letter, while a key is held down.
        for _ in 0..<3600 { terminal.look(after: .nanoseconds(33_333_333), area: Self.window, changed: 0.04) }
        #expect(terminal.switches == 0)
        var scroll = Trace()
        for _ in 0..<3600 { scroll.look(after: .nanoseconds(16_666_667), area: Self.window, moved: 0.9) }
        #expect(scroll.switches == 0)
    }

    @Test("what moves sideways or slantwise is no film, be it at a held key's rate or at the display's")
    func sideways() {
        for rate in [25, 30, 60] as [Int64] {
            var sheet = Trace()
            var drag = Trace()
            for step in 0..<3600 {
                sheet.look(after: .nanoseconds(1_000_000_000 / rate), area: Self.window, panned: 0.9)
                // Now this way, now that, and now and then nothing of it is found again.
                drag.look(
                    after: .nanoseconds(1_000_000_000 / rate), area: Self.window, moved: step % 3 == 0 ? 0.9 : 0,
                    panned: step % 3 == 1 ? 0.9 : 0)
            }
            #expect(sheet.switches == 0 && drag.switches == 0)
        }
    }

    @Test("a film of 24 a second is one also where its camera pans over something drawn")
    func drawnPan() {
        var trace = Trace()
        trace.film(60, in: Self.window, panned: 1)
        #expect(trace.classifier.content == .video && trace.switches == 1)
    }

    @Test("a film of any rate that was found goes on where its codec repeats a pan to the bit")
    func exactPan() {
        for rate in [25, 30, 60] as [Int64] {
            var trace = Trace()
            for step in 0..<600 {
                trace.look(
                    after: .nanoseconds(1_000_000_000 / rate), area: Self.window, panned: step < 240 ? 0 : 1)
            }
            #expect(trace.classifier.content == .video && trace.switches == 1, "\(rate) a second")
        }
    }

    @Test("ten minutes at a desk: not one wrong switch", arguments: 1...4 as ClosedRange<UInt64>)
    func desk(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var trace = Trace()
        while trace.now < .zero + .seconds(600) {
            let place = PixelRect(
                x: Int.random(in: 0...900, using: &random), y: Int.random(in: 0...500, using: &random), width: 800,
                height: 500)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                for key in 0..<40 {
                    trace.look(
                        after: .milliseconds(Int64.random(in: 60...400, using: &random)),
                        area: PixelRect(x: place.x + key * 10, y: place.y, width: 10, height: 20), changed: 1)
                }
            case 1:
                for _ in 0..<Int.random(in: 5...90, using: &random) {
                    trace.look(after: .nanoseconds(16_666_667), area: place, moved: Double.random(in: 0.6...1, using: &random))
                }
            case 2:
                for step in 0..<60 {
                    trace.look(
                        after: .milliseconds(Int64.random(in: 8...30, using: &random)),
                        area: PixelRect(x: place.x + step * 3, y: place.y + step, width: 700, height: 400))
                }
            default:
                // A build log that scrolls by itself.
                for _ in 0..<100 {
                    trace.look(
                        after: .milliseconds(Int64.random(in: 1...120, using: &random)), area: place,
                        moved: Double.random(in: 0.5...1, using: &random))
                }
            }
            trace.rest(.milliseconds(Int64.random(in: 300...4000, using: &random)))
        }
        #expect(trace.switches == 0)
    }

    @Test("rows that stood elsewhere before are scrolled; new rows, and blank ones, are not")
    func rows() {
        let page = (0..<200).map { UInt64($0 * 7 + 1) }[...]
        let scrolled = (Array(page.dropFirst(12)) + (0..<12).map { UInt64(10_000 + $0) })[...]
        #expect(RowMotion.share(before: page, after: scrolled) > 0.9)
        #expect(RowMotion.share(before: page, after: page.map { $0 + 100_000 }[...]) == 0)
        #expect(RowMotion.share(before: page, after: page) == 0)
        #expect(RowMotion.share(before: [UInt64](repeating: 1, count: 200)[...], after: [UInt64](repeating: 2, count: 200)[...]) == 0)
        #expect(RowMotion.share(before: page, after: []) == 0)
    }

    @Test("of a page that is mostly blank, what is written counts, and not the blank rows that came elsewhere")
    func blankRows() {
        // Twenty lines of eight rows, each with twenty-four blank ones behind it.
        let page = (0..<640).map { $0 % 32 < 8 ? UInt64($0 + 1) : 0 }[...]
        let scrolled = (Array(page.dropFirst(8)) + (0..<8).map { UInt64(10_000 + $0) })[...]
        #expect(RowMotion.share(before: page, after: scrolled) > 0.8)
    }

    @Test("a film goes on where the source gets another size, and has as long as ever to be seen again")
    func resized() {
        var trace = Trace()
        trace.film(5, in: Self.window)
        trace.now += .milliseconds(1400)
        trace.classifier.resized(to: PixelSize(width: 1280, height: 720), at: trace.now)
        trace.now += .milliseconds(600)
        trace.classifier.advance(to: trace.now)
        #expect(trace.classifier.content == .video)
        trace.now += .seconds(1)
        trace.classifier.advance(to: trace.now)
        #expect(trace.classifier.content == .app)
    }
}
