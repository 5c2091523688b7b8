import Media
import ScreenCapture
import SystemClock
import Testing
import Timebase

extension XServerSuite {
    @Suite("Regions, monitors and new sizes")
    struct AreaTests {
        private let server: VirtualScreen
        private let painter: Painter

        init() throws {
            server = try VirtualScreen()
            painter = try Painter(server.display)
        }

        @Test("A region shows its part of the screen only, and is cut off at the edge")
        func region() throws {
            let region = PixelRect(x: 1001, y: 503, width: 401, height: 101)
            let source = try ScreenSource(display: server.display, target: .region(region), showsCursor: false)
            #expect(source.size == PixelSize(width: 279, height: 101))
            painter.fill(painter.root, PixelRect(x: 1000, y: 510, width: 11, height: 5), red)
            painter.finish()
            let seen = PixelRect(x: 0, y: 7, width: 10, height: 5)
            try #require(try source.watch { $0.isFilled(seen, red) } != nil)
            try source.settleDown()
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 1000, height: 720), green)
            painter.finish()
            #expect(try source.waitForChange(until: SystemClock.now() + .milliseconds(200), wakeup: -1) == .idle)
        }

        @Test("Of what changes beside a region nothing is fetched, and of the region only what changed")
        func beside() throws {
            let region = PixelRect(x: 500, y: 300, width: 200, height: 100)
            let source = try ScreenSource(display: server.display, target: .region(region), showsCursor: false)
            try source.settleDown()
            let before = source.counters
            for step: UInt32 in 1...4 {
                // Between both lies the whole region.
                for x in [0, 900] {
                    painter.fill(painter.root, PixelRect(x: x, y: 0, width: 300, height: 720), step)
                    painter.finish()
                    #expect(try source.waitForChange(until: SystemClock.now() + .milliseconds(100), wakeup: -1) == .idle)
                }
                let key = PixelRect(x: 600, y: 340 + Int(step), width: 8, height: 12)
                painter.fill(painter.root, key, red + step)
                painter.finish()
                #expect(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
                let look = Look(try source.readPatiently())
                #expect(look.frame.damage == PixelRect(x: 100, y: 40 + Int(step), width: 8, height: 12))
                #expect(look.isFilled(look.frame.damage, red + step))
            }
            #expect(source.counters.grabs == before.grabs + 4)
            #expect(source.counters.rows == before.rows + 4 * 12)
        }

        @Test("What changes beside a region is not told as more that follows upon a change of its own")
        func noMoreBeside() throws {
            let region = PixelRect(x: 500, y: 300, width: 200, height: 100)
            let source = try ScreenSource(display: server.display, target: .region(region), showsCursor: false)
            try source.settleDown()
            painter.fill(painter.root, PixelRect(x: 510, y: 310, width: 10, height: 10), red)
            painter.finish()
            #expect(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
            #expect(try source.waitForMore(until: SystemClock.now() + .milliseconds(20), wakeup: -1) == false)
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 300, height: 720), green)
            painter.finish()
            #expect(try source.waitForMore(until: SystemClock.now() + .milliseconds(100), wakeup: -1) == false)
            painter.fill(painter.root, PixelRect(x: 512, y: 312, width: 1, height: 1), blue)
            painter.finish()
            #expect(try source.waitForMore(until: SystemClock.now() + .seconds(2), wakeup: -1) == true)
        }

        @Test("The pointer is drawn relative to the region")
        func pointerInRegion() throws {
            painter.setCursor(side: 6, red: 0, green: 65535, blue: 0)
            painter.movePointer(x: 205, y: 106)
            let region = PixelRect(x: 200, y: 100, width: 50, height: 50)
            let source = try ScreenSource(display: server.display, target: .region(region))
            let rect = PixelRect(x: 5, y: 6, width: 6, height: 6)
            try #require(try source.watch { $0.isFilled(rect, green) && $0[4, 6] != green } != nil)
            painter.movePointer(x: 700, y: 600)
            try #require(try source.watch { $0[5, 6] != green } != nil)
        }

        @Test("A resized screen goes on in its new, odd size within half a second")
        func resize() throws {
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            for (width, height) in [(1023, 577), (321, 201), (1279, 719)] {
                try server.resize(width: width, height: height)
                let size = PixelSize(width: width, height: height)
                let time = try elapsed {
                    try #require(try source.watch { $0.size == size } != nil)
                }
                #expect(time < .milliseconds(500))
                #expect(source.size == size)
                let corner = PixelRect(x: width - 3, y: height - 2, width: 3, height: 2)
                painter.fill(painter.root, corner, UInt32(width))
                painter.finish()
                try #require(try source.watch { $0.size == size && $0.isFilled(corner, UInt32(width)) } != nil)
            }
        }

        @Test("Pictures keep coming while a screen is resized under load")
        func resizeRace() throws {
            let source = try ScreenSource(display: server.display, target: .display)
            for round in 0..<6 {
                let size = PixelSize(width: round % 2 == 0 ? 640 : 1280, height: round % 2 == 0 ? 360 : 720)
                // Not read between: the next read meets a screen that has another size than it knows.
                painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 1280, height: 720), UInt32(round))
                painter.finish()
                try server.resize(width: size.width - round, height: size.height)
                let look = Look(try source.readPatiently())
                #expect(look.size == PixelSize(width: size.width - round, height: size.height))
            }
        }

        @Test("A region outside the screen is hidden, and shown when the screen reaches it")
        func regionOutside() throws {
            let region = PixelRect(x: 900, y: 500, width: 100, height: 100)
            let source = try ScreenSource(display: server.display, target: .region(region))
            try source.settleDown()
            try server.resize(width: 800, height: 600)
            let reason = try #require(try source.watchUntilHidden())
            #expect(reason.contains("100x100+900+500"))
            #expect(reason.contains("800x600"))
            // While hidden it waits, instead of reporting again and again.
            let time = try elapsed {
                let event = try source.waitForChange(until: SystemClock.now() + .milliseconds(200), wakeup: -1)
                #expect(event == .hidden(reason))
            }
            #expect(time > .milliseconds(190))
            #expect(throws: CaptureError.timedOut) { try source.read() }
            try server.resize(width: 950, height: 550)
            try #require(try source.watch { $0.size == PixelSize(width: 50, height: 50) } != nil)
        }

        @Test("A region that is nowhere on the screen is refused at once, with the screen's size", arguments: [
            PixelRect(x: 5000, y: 0, width: 100, height: 100), PixelRect(x: 0, y: 720, width: 100, height: 100),
            PixelRect(x: -100, y: 0, width: 100, height: 100),
        ])
        func nowhere(region: PixelRect) throws {
            let error = try #require(throws: CaptureError.self) {
                try ScreenSource(display: server.display, target: .region(region))
            }
            let text = "The region \(region.geometry) lies outside the screen, which is 1280x720."
            #expect(error == .unavailable(text))
        }

        @Test("A monitor is found by name, followed, hidden when it goes and shown when it is back")
        func monitor() throws {
            try server.run("xrandr", "--setmonitor", "left", "400/100x300/80+16+9", "screen")
            let source = try ScreenSource(display: server.display, target: .monitor("left"), showsCursor: false)
            #expect(source.size == PixelSize(width: 400, height: 300))
            painter.fill(painter.root, PixelRect(x: 16, y: 9, width: 1, height: 1), blue)
            painter.finish()
            try #require(try source.watch { $0[0, 0] == blue && $0[1, 0] != blue } != nil)
            try server.run("xrandr", "--delmonitor", "left")
            let reason = try #require(try source.watchUntilHidden())
            #expect(reason.contains("monitor left"))
            try server.run("xrandr", "--setmonitor", "left", "333/100x111/80+15+8", "screen")
            try #require(
                try source.watch { $0.size == PixelSize(width: 333, height: 111) && $0[1, 1] == blue } != nil)
        }

        @Test("An unknown monitor is refused with a list of those that exist")
        func unknownMonitor() throws {
            let error = try #require(throws: CaptureError.self) {
                try ScreenSource(display: server.display, target: .monitor("HDMI-7"))
            }
            #expect(error == .unavailable("There is no monitor \"HDMI-7\". There is screen."))
        }
    }
}
