import Media
import ScreenCapture
import SystemClock
import TestSupport
import Testing
import Timebase

extension XServerSuite {
    @Suite("A whole screen")
    struct WholeScreenTests {
        @Test("Pixels arrive where and as they were drawn")
        func knownPixels() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            #expect(source.size == PixelSize(width: 1280, height: 720))
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 1280, height: 720), 0x12_3456)
            painter.fill(painter.root, PixelRect(x: 639, y: 359, width: 1, height: 1), red)
            painter.fill(painter.root, PixelRect(x: 1279, y: 719, width: 1, height: 1), green)
            painter.finish()
            try #require(try source.watch { $0[1279, 719] == green } != nil)
            let look = Look(try source.readPatiently())
            #expect(look[639, 359] == red)
            #expect(look[638, 359] == 0x12_3456)
            #expect(look[0, 0] == 0x12_3456)
            #expect(look.frame.pixels.format == .bgra)
            #expect(source.takeNotices().isEmpty)
        }

        @Test("Ten bits for each colour of depth 30 arrive")
        func depthThirty() throws {
            let server = try VirtualScreen("640x480x30")
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display)
            let color: UInt32 = 1023 << 20 | 514 << 10 | 3
            painter.fill(painter.root, PixelRect(x: 10, y: 20, width: 30, height: 40), color)
            painter.finish()
            try #require(try source.watch { $0.isFilled(PixelRect(x: 10, y: 20, width: 30, height: 40), color) } != nil)
            #expect(try source.readPatiently().pixels.format == .bgr10)
        }

        @Test("Depths 16 and 8 are refused in clear words", arguments: [16, 8])
        func depthRefused(_ depth: Int) throws {
            let server = try VirtualScreen("640x480x\(depth)")
            let error = try #require(throws: CaptureError.self) {
                try ScreenSource(display: server.display, target: .display)
            }
            guard case .unsupported(let text) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(text.contains("depth \(depth) "))
            #expect(text.contains("24 and 30"))
        }

        @Test("What follows upon a change is told too, and both are in the picture")
        func more() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            let (whole, part) = (PixelRect(x: 0, y: 100, width: 1280, height: 200), PixelRect(x: 9, y: 150, width: 5, height: 5))
            painter.fill(painter.root, whole, red)
            painter.finish()
            #expect(try source.waitForChange(until: SystemClock.now() + .seconds(5), wakeup: -1) == .changed)
            #expect(try source.waitForMore(until: SystemClock.now() + .milliseconds(20), wakeup: -1) == false)
            // Inside what was damaged before: the server would say nothing of it by itself.
            painter.fill(painter.root, part, green)
            painter.finish()
            #expect(try source.waitForMore(until: SystemClock.now() + .seconds(5), wakeup: -1) == true)
            #expect(try source.waitForChange(until: SystemClock.now() + .seconds(5), wakeup: -1) == .changed)
            let look = Look(try source.readPatiently())
            #expect(look.frame.damage == whole)
            #expect(look.isFilled(part, green))
            #expect(look[1279, 299] == red)
        }

        @Test("Areas far from each other are told one by one, those near each other as one")
        func parts() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            let film = PixelRect(x: 20, y: 30, width: 400, height: 225)
            let controls = PixelRect(x: 20, y: 260, width: 400, height: 20)
            let spinner = PixelRect(x: 1100, y: 600, width: 48, height: 48)
            for color in [red, green] {
                for rect in [film, spinner, controls] { painter.fill(painter.root, rect, color) }
                painter.finish()
                #expect(try source.waitForChange(until: SystemClock.now() + .seconds(5), wakeup: -1) == .changed)
                let frame = try source.readPatiently()
                #expect(Set(frame.parts) == [film.union(controls), spinner])
                #expect(frame.content == film.union(spinner) && frame.damage == frame.content)
                try source.settleDown()
            }
            #expect(try source.readPatiently().parts.isEmpty)
        }

        @Test("Only the rows that changed are fetched, and the picture stays whole")
        func band() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 1280, height: 720), gray)
            painter.finish()
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            let before = source.counters
            painter.fill(painter.root, PixelRect(x: 100, y: 200, width: 50, height: 10), red)
            painter.finish()
            #expect(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
            let frame = try source.readPatiently()
            #expect(frame.damage == PixelRect(x: 100, y: 200, width: 50, height: 10))
            #expect(source.counters.grabs == before.grabs + 1)
            #expect(source.counters.rows == before.rows + 10)
            let look = Look(frame)
            #expect(look.isFilled(frame.damage, red))
            #expect(look.isFilled(PixelRect(x: 0, y: 0, width: 1280, height: 200), gray))
            #expect(look.isFilled(PixelRect(x: 0, y: 210, width: 1280, height: 510), gray))
        }

        @Test(
            "A still screen costs no grab, and no wakeup but the deadline's and a few looks at the pointer",
            arguments: [true, false])
        func idle(_ showsCursor: Bool) throws {
            let server = try VirtualScreen()
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: showsCursor)
            try source.settleDown()
            let late = try bestOf(3) {
                try lateness(of: source, showsCursor: showsCursor)
            } isRight: { $0 < .milliseconds(50) }
            #expect(late < .milliseconds(50))
        }

        /// How much later than asked for a wait ends.
        private func lateness(of source: ScreenSource, showsCursor: Bool) throws -> Duration {
            let before = source.counters
            let deadline = SystemClock.now() + .milliseconds(600)
            #expect(try source.waitForChange(until: deadline, wakeup: -1) == .idle)
            let late = SystemClock.now() - deadline
            #expect(late >= .zero)
            #expect(source.counters.grabs == before.grabs)
            let looks = source.counters.pointerLooks - before.pointerLooks
            #expect(looks <= (showsCursor ? 3 : 0))
            // Each look is a timer and an answer.
            #expect(source.counters.wakeups - before.wakeups <= 1 + 2 * looks)
            // Reading an unchanged picture costs no grab either.
            let frame = try source.readPatiently()
            #expect(frame.damage.isEmpty)
            #expect(source.counters.grabs == before.grabs)
            return late
        }

        @Test("A wakeup ends the wait")
        func wakeup() throws {
            let server = try VirtualScreen()
            let source = try ScreenSource(display: server.display, target: .display)
            try source.settleDown()
            let wakeup = Wakeup.made()
            wakeup.fire()
            let time = try elapsed {
                let event = try source.waitForChange(
                    until: SystemClock.now() + .seconds(10), wakeup: wakeup.descriptor)
                #expect(event == .idle)
            }
            #expect(time < .seconds(1))
        }

        @Test("Without shared memory pictures come through the connection, and it says so", arguments: [true, false])
        func noSharedMemory(_ isRemote: Bool) throws {
            // A server that has no such extension, and one that is reached by TCP as if it were far away.
            let server = try VirtualScreen(options: isRemote ? ["-listen", "tcp", "-ac"] : ["-extension", "MIT-SHM"])
            let painter = try Painter(server.display)
            let display = isRemote ? "127.0.0.1" + server.display : server.display
            let source = try ScreenSource(display: display, target: .display, showsCursor: false)
            #expect(source.takeNotices().contains { $0.contains("No memory can be shared") })
            #expect(source.takeNotices().isEmpty)
            try source.settleDown()
            painter.fill(painter.root, PixelRect(x: 5, y: 300, width: 70, height: 3), blue)
            painter.finish()
            try #require(try source.watch { $0.isFilled(PixelRect(x: 5, y: 300, width: 70, height: 3), blue) } != nil)
            #expect(Look(try source.readPatiently())[4, 300] != blue)
        }
    }
}
