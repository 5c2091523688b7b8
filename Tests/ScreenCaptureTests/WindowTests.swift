import Media
import ScreenCapture
import SystemClock
import Testing
import Timebase

extension XServerSuite {
    @Suite("One window")
    struct WindowTests {
        private let server: VirtualScreen
        private let painter: Painter
        private let place = PixelRect(x: 200, y: 150, width: 301, height: 203)

        init() throws {
            server = try VirtualScreen()
            painter = try Painter(server.display)
        }

        private func makeWindow(_ title: String = "Quarterly figures", border: Int = 0) -> UInt32 {
            let window = painter.makeWindow(place, title: title, border: border, color: gray)
            painter.map(window)
            painter.finish()
            return window
        }

        private func source(_ text: String, showsCursor: Bool = false) throws -> ScreenSource {
            try ScreenSource(display: server.display, target: .window(text), showsCursor: showsCursor)
        }

        @Test("It is found by a part of its title in any case, and by its number in both ways of writing")
        func search() throws {
            let window = makeWindow()
            let numbers = ["0x" + String(window, radix: 16), String(window)]
            for text in ["quarterly", "FIGURES", "Quarterly figures"] + numbers {
                #expect(try source(text).size == place.size)
            }
        }

        @Test("An unknown window, and a title that fits several, are refused with a list")
        func searchFails() throws {
            let first = makeWindow("Report one")
            _ = makeWindow("Report two")
            let unknown = try #require(throws: CaptureError.self) { try source("letter") }
            #expect("\(unknown)".contains("no window \\\"letter\\\""))
            #expect("\(unknown)".contains("Report two"))
            let several = try #require(throws: CaptureError.self) { try source("report") }
            #expect("\(several)".contains("2 windows match"))
            #expect("\(several)".contains("0x" + String(first, radix: 16)))
            // The whole title decides where it is also a part of another.
            _ = makeWindow("Report")
            #expect(try source("report").size == place.size)
        }

        @Test("An empty text is refused, also where one window has no title")
        func emptySearch() throws {
            _ = makeWindow("")
            _ = makeWindow("Report")
            let refusal = try #require(throws: CaptureError.self) { try source("") }
            #expect("\(refusal)".contains("Report"))
        }

        @Test("It shows its own pixels while another window covers it and when it is moved")
        func coveredAndMoved() throws {
            let window = makeWindow(border: 3)
            let source = try source("quarterly")
            let whole = PixelRect(place.size)
            try #require(try source.watch { $0.size == place.size && $0.isFilled(whole, gray) } != nil)
            try source.settleDown()
            let cover = painter.makeWindow(PixelRect(x: 100, y: 100, width: 600, height: 500), color: red)
            painter.map(cover)
            painter.finish()
            painter.fill(window, PixelRect(x: 5, y: 6, width: 7, height: 8), green)
            painter.finish()
            let spot = PixelRect(x: 5, y: 6, width: 7, height: 8)
            let damage = try #require(try source.watch { $0.isFilled(spot, green) })
            #expect(damage == spot)
            #expect(Look(try source.readPatiently())[4, 6] == gray)
            painter.place(window, PixelRect(x: -50, y: 600, width: place.width, height: place.height))
            painter.finish()
            painter.fill(window, PixelRect(x: 0, y: 200, width: 301, height: 3), blue)
            painter.finish()
            let last = PixelRect(x: 0, y: 200, width: 301, height: 3)
            try #require(try source.watch { $0.isFilled(last, blue) && $0.isFilled(spot, green) } != nil)
        }

        @Test("What its child windows draw is part of it")
        func children() throws {
            let window = makeWindow()
            let child = painter.makeWindow(PixelRect(x: 50, y: 40, width: 30, height: 20), in: window, color: blue)
            painter.map(child)
            painter.finish()
            let source = try source("quarterly")
            let inside = PixelRect(x: 50, y: 40, width: 30, height: 20)
            try #require(try source.watch { $0.isFilled(inside, blue) } != nil)
            try source.settleDown()
            painter.fill(child, PixelRect(x: 1, y: 2, width: 3, height: 4), red)
            painter.finish()
            let drawn = PixelRect(x: 51, y: 42, width: 3, height: 4)
            #expect(try source.watch { $0.isFilled(drawn, red) } == drawn)
        }

        @Test("It goes on in its new size within half a second, larger or smaller")
        func resize() throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            for (width, height) in [(501, 303), (37, 21), (640, 480)] {
                let size = PixelSize(width: width, height: height)
                let time = try elapsed {
                    painter.place(window, PixelRect(x: 10, y: 10, width: width, height: height))
                    painter.finish()
                    try #require(try source.watch { $0.size == size } != nil)
                }
                #expect(time < .milliseconds(500))
                let corner = PixelRect(x: width - 2, y: height - 1, width: 2, height: 1)
                painter.fill(window, corner, green)
                painter.finish()
                try #require(try source.watch { $0.isFilled(corner, green) } != nil)
            }
        }

        @Test("It goes on where it was made larger and as large as before at once")
        func resizeAndBack() throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            painter.place(window, PixelRect(x: 10, y: 10, width: 500, height: 400))
            painter.place(window, PixelRect(x: 10, y: 10, width: place.width, height: place.height))
            painter.finish()
            let spot = PixelRect(x: 5, y: 6, width: 7, height: 8)
            try source.watch(for: .milliseconds(400)) { $0.isFilled(spot, green) }
            painter.fill(window, spot, green)
            painter.finish()
            try #require(try source.watch { $0.isFilled(spot, green) } != nil)
        }

        /// Whether a colour is in what the source shows for a while.
        ///
        /// - Parameter end: what it shows from then on doesn't count.
        private func shows(
            _ color: UInt32, _ source: ScreenSource, for time: Duration, before end: Instant = .distantFuture
        ) throws -> Bool {
            try source.watch(for: time) { look in
                guard SystemClock.now() < end else { return false }
                return (0..<look.size.height).contains { y in (0..<look.size.width).contains { look[$0, y] == color } }
            } != nil
        }

        /// How long a window has to draw itself anew; then it is shown as it is.
        private static let drawingTime = Duration.milliseconds(200)

        @Test("Of the window that covers it nothing is shown, also where it takes a moment to draw itself")
        func secretAbove() throws {
            let window = painter.makeWindow(place, title: "Quarterly figures", color: nil)
            var end = SystemClock.now() + Self.drawingTime
            painter.map(window)
            let secret = painter.makeWindow(PixelRect(x: 250, y: 100, width: 400, height: 300), color: red)
            painter.map(secret)
            painter.finish()
            let source = try source("quarterly")
            #expect(try !shows(red, source, for: .milliseconds(80), before: end))
            let larger = PixelRect(x: 200, y: 150, width: 340, height: 260)
            for size in [place, larger] {
                // As large as before it need not draw itself anew.
                if size != place { end = SystemClock.now() + Self.drawingTime }
                painter.place(window, size)
                painter.finish()
                #expect(try !shows(red, source, for: .milliseconds(80), before: end))
                painter.fill(window, PixelRect(size.size), gray)
                painter.finish()
                try #require(try source.watch { $0.isFilled(PixelRect(size.size), gray) } != nil)
                #expect(try !shows(red, source, for: .milliseconds(50)))
            }
            painter.unmap(window)
            painter.finish()
            _ = try #require(try source.watchUntilHidden())
            end = SystemClock.now() + Self.drawingTime
            painter.map(window)
            painter.finish()
            #expect(try !shows(red, source, for: .milliseconds(80), before: end))
            painter.fill(window, PixelRect(larger.size), blue)
            painter.finish()
            try #require(try source.watch { $0.isFilled(PixelRect(larger.size), blue) } != nil)
        }

        @Test("Nothing is shown of what stands outside its shape, and what comes into it is", arguments: [0, 3])
        func shaped(border: Int) throws {
            painter.map(painter.makeWindow(PixelRect(x: 100, y: 100, width: 700, height: 500), color: red))
            let window = painter.makeWindow(place, title: "Quarterly figures", border: border, color: nil)
            let shape = PixelRect(x: 20, y: 30, width: 250, height: 160)
            painter.setShape(window, shape)
            painter.map(window)
            painter.fill(window, PixelRect(place.size), gray)
            painter.finish()
            let source = try source("quarterly")
            try #require(try source.watch { $0.isFilled(shape, gray) } != nil)
            #expect(try !shows(red, source, for: .milliseconds(300)))
            #expect(Look(try source.readPatiently()).isFilled(PixelRect(x: 0, y: 0, width: 301, height: 30), 0))
            let larger = PixelRect(x: 200, y: 150, width: 340, height: 260)
            painter.place(window, larger)
            painter.finish()
            #expect(try !shows(red, source, for: .milliseconds(300)))
            painter.setShape(window, PixelRect(larger.size))
            painter.fill(window, PixelRect(larger.size), blue)
            painter.finish()
            try #require(try source.watch { $0.isFilled(PixelRect(larger.size), blue) } != nil)
        }

        @Test("A window that never draws itself again is shown all the same")
        func idle() throws {
            _ = makeWindow()
            let source = try source("quarterly")
            try #require(try source.watch { $0.isFilled(PixelRect(place.size), gray) } != nil)
        }

        @Test("Minimised it is hidden, and shown again it goes on")
        func minimised() throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            painter.unmap(window)
            painter.finish()
            let reason = try #require(try source.watchUntilHidden())
            #expect(reason.contains("\"Quarterly figures\""))
            #expect(reason.contains("minimised"))
            painter.map(window)
            painter.finish()
            painter.fill(window, PixelRect(x: 0, y: 0, width: 9, height: 9), red)
            painter.finish()
            let spot = PixelRect(x: 0, y: 0, width: 9, height: 9)
            try #require(try source.watch { $0.isFilled(spot, red) } != nil)
        }

        @Test("Without time to look where it is, it does not say that there is something to see")
        func noTimeToLook() throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            painter.unmap(window)
            painter.finish()
            // What the server told is there by then.
            for _ in 0..<100 {
                #expect(try source.waitForChange(until: SystemClock.now() + .milliseconds(1), wakeup: -1) == .idle)
            }
            _ = try #require(try source.watchUntilHidden())
            painter.destroy(window)
            painter.finish()
            for _ in 0..<100 {
                let event = try source.waitForChange(until: SystemClock.now() + .milliseconds(1), wakeup: -1)
                #expect(event != .changed)
            }
            let reason = try #require(try source.watchUntilEnded())
            #expect(reason.contains("was closed"))
        }

        @Test("A window that is minimised at the start is waited for")
        func minimisedAtStart() throws {
            let window = painter.makeWindow(place, title: "Later", color: gray)
            painter.finish()
            let source = try source(String(window))
            _ = try #require(try source.watchUntilHidden())
            painter.map(window)
            painter.finish()
            try #require(try source.watch { $0.size == place.size && $0[0, 0] == gray } != nil)
        }

        @Test("Within the frame of a window manager the client alone is shown, and hidden with its frame")
        func reparented() throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            let frame = painter.makeWindow(PixelRect(x: 300, y: 300, width: 340, height: 260), color: red)
            painter.map(frame)
            painter.reparent(window, into: frame, x: 20, y: 30)
            painter.map(window)
            painter.finish()
            painter.fill(window, PixelRect(x: 1, y: 1, width: 2, height: 2), green)
            painter.finish()
            let spot = PixelRect(x: 1, y: 1, width: 2, height: 2)
            try #require(try source.watch { $0.size == place.size && $0.isFilled(spot, green) } != nil)
            painter.unmap(frame)
            painter.finish()
            _ = try #require(try source.watchUntilHidden())
            painter.map(frame)
            painter.finish()
            try #require(try source.watch { $0.size == place.size && $0[150, 100] == gray } != nil)
        }

        @Test("The pointer is drawn while it is over the window, not over one that covers it")
        func pointer() throws {
            painter.setCursor(side: 4, red: 65535, green: 65535, blue: 0)
            painter.movePointer(x: 210, y: 160)
            let yellow: UInt32 = 0xFF_FF00
            let window = makeWindow()
            let source = try source("quarterly", showsCursor: true)
            let spot = PixelRect(x: 10, y: 10, width: 4, height: 4)
            try #require(try source.watch { $0.isFilled(spot, yellow) } != nil)
            let cover = painter.makeWindow(PixelRect(x: 100, y: 100, width: 600, height: 500), color: red)
            painter.map(cover)
            painter.finish()
            painter.movePointer(x: 215, y: 165)
            try #require(try source.watch { $0.isFilled(PixelRect(place.size), gray) } != nil)
            painter.unmap(cover)
            painter.movePointer(x: 220, y: 170)
            try #require(try source.watch { $0[20, 20] == yellow } != nil)
            // The window moves beneath a pointer that stands still.
            painter.place(window, PixelRect(x: 190, y: 140, width: place.width, height: place.height))
            painter.finish()
            try #require(try source.watch { $0[30, 30] == yellow && $0[20, 20] == gray } != nil)
        }

        @Test("Closed, it has ended, with its name and what to do, also where it was minimised", arguments: [false, true])
        func closed(isMinimised: Bool) throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            if isMinimised {
                painter.unmap(window)
                painter.finish()
                _ = try #require(try source.watchUntilHidden())
            }
            painter.destroy(window)
            painter.finish()
            #expect(
                try source.watchUntilEnded()
                    == "The window \"Quarterly figures\" was closed. Share another one, or this one again once it is open.")
            #expect(throws: CaptureError.timedOut) { try source.read() }
        }

        @Test("Another window that gets the number of one that was closed is not shown")
        func numberAgain() throws {
            let window = makeWindow()
            let source = try source("quarterly")
            try source.settleDown()
            painter.destroy(window)
            painter.map(painter.makeWindow(place, title: "Salaries", color: red, number: window))
            painter.finish()
            #expect(
                try source.watchUntilEnded()
                    == "The window \"Quarterly figures\" was closed. Share another one, or this one again once it is open.")
            #expect(throws: CaptureError.timedOut) { try source.read() }
        }

        @Test("The whole screen is no window")
        func root() throws {
            let root = try #require(throws: CaptureError.self) { try source(String(painter.root)) }
            #expect("\(root)".contains("Share the display instead"))
        }
    }
}
