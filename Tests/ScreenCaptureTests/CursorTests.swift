import Media
import ScreenCapture
import SystemClock
import TestSupport
import Testing
import Timebase

extension XServerSuite {
    @Suite("The pointer")
    struct CursorTests {
        private let server: VirtualScreen
        private let painter: Painter

        init() throws {
            server = try VirtualScreen()
            painter = try Painter(server.display)
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 1280, height: 720), gray)
            painter.setCursor(side: 16, red: 65535, green: 0, blue: 0)
            painter.movePointer(x: 100, y: 100)
        }

        @Test("It is drawn where it is, moves without a grab, and leaves no trace")
        func moves() throws {
            let source = try ScreenSource(display: server.display, target: .display)
            let here = PixelRect(x: 100, y: 100, width: 16, height: 16)
            let there = PixelRect(x: 300, y: 210, width: 16, height: 16)
            try #require(try source.watch { $0.isFilled(here, red) } != nil)
            try source.settleDown()
            let before = source.counters
            painter.movePointer(x: 300, y: 210)
            let damage = try #require(
                try source.watch { $0.isFilled(there, red) && $0.isFilled(here, gray) })
            #expect(damage == here.union(there))
            #expect(source.counters.grabs == before.grabs)
            #expect(Look(try source.readPatiently())[299, 210] == gray)
        }

        @Test("Motion of a device wakes the waiting thread at once, and once it rests the pointer is hardly looked at")
        func deviceMotion() throws {
            let source = try ScreenSource(display: server.display, target: .display)
            try source.settleDown()
            var there = PixelRect(x: 100, y: 100, width: 16, height: 16)
            // It takes its time to start the program that moves the pointer, too.
            let longest = try bestOf(3) { () -> Duration in
                var longest = Duration.zero
                for _ in 0..<3 {
                    there.x += 40
                    let time = try elapsed {
                        try server.run("xdotool", "mousemove_relative", "40", "0")
                        try #require(try source.watch { $0.isFilled(there, red) } != nil)
                    }
                    longest = max(longest, time)
                    try source.settleDown()
                }
                return longest
            } isRight: { $0 < .milliseconds(400) }
            #expect(longest < .milliseconds(400))
            // Long enough to find the pointer at rest.
            while try source.waitForChange(until: SystemClock.now() + .milliseconds(800), wakeup: -1) == .changed {
                _ = try source.readPatiently()
            }
            let before = source.counters
            #expect(try source.waitForChange(until: SystemClock.now() + .milliseconds(500), wakeup: -1) == .idle)
            #expect(source.counters.pointerLooks - before.pointerLooks <= 2)
        }

        @Test("A new shape is drawn though nothing else changed")
        func shape() throws {
            let source = try ScreenSource(display: server.display, target: .display)
            let small = PixelRect(x: 100, y: 100, width: 16, height: 16)
            try #require(try source.watch { $0.isFilled(small, red) } != nil)
            try source.settleDown()
            let grabs = source.counters.grabs
            painter.setCursor(side: 8, red: 0, green: 0, blue: 65535)
            let blueRect = PixelRect(x: 100, y: 100, width: 8, height: 8)
            let damage = try #require(try source.watch { $0.isFilled(blueRect, blue) && $0[110, 110] == gray })
            #expect(damage == small)
            #expect(source.counters.grabs == grabs)
        }

        @Test("What changes beneath it is fetched without it, and it is drawn over that")
        func changesBeneath() throws {
            let source = try ScreenSource(display: server.display, target: .display)
            try source.settleDown()
            let area = PixelRect(x: 90, y: 90, width: 40, height: 40)
            painter.fill(painter.root, area, green)
            painter.finish()
            try #require(try source.watch { $0[91, 91] == green && $0[105, 105] == red } != nil)
            painter.movePointer(x: 600, y: 600)
            try #require(try source.watch { $0.isFilled(area, green) } != nil)
        }

        @Test("It is cut off at the edge")
        func edge() throws {
            let source = try ScreenSource(display: server.display, target: .display)
            painter.movePointer(x: 1275, y: 716)
            let corner = PixelRect(x: 1275, y: 716, width: 5, height: 4)
            try #require(try source.watch { $0.isFilled(corner, red) && $0[1274, 716] == gray } != nil)
        }

        @Test("It is left out where that is asked for")
        func leftOut() throws {
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            let whole = PixelRect(x: 0, y: 0, width: 1280, height: 720)
            try #require(try source.watch { $0.isFilled(whole, gray) } != nil)
            painter.movePointer(x: 300, y: 300)
            #expect(try source.waitForChange(until: SystemClock.now() + .milliseconds(200), wakeup: -1) == .idle)
            #expect(source.counters.pointerLooks == 0)
        }

        @Test("It is drawn in ten bits on a screen of depth 30")
        func depthThirty() throws {
            let server = try VirtualScreen("640x480x30")
            let painter = try Painter(server.display)
            painter.setCursor(side: 4, red: 65535, green: 0, blue: 65535)
            painter.movePointer(x: 50, y: 60)
            let source = try ScreenSource(display: server.display, target: .display)
            let rect = PixelRect(x: 50, y: 60, width: 4, height: 4)
            try #require(try source.watch { $0.isFilled(rect, 1023 << 20 | 1023) } != nil)
        }
    }
}
