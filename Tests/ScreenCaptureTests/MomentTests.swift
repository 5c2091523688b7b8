import CXCB
import Glibc
import Media
import ScreenCapture
import Synchronization
import SystemClock
import TestSupport
import Testing
import Timebase

extension XServerSuite {
    @Suite("One moment")
    struct MomentTests {
        /// Draws on a thread of its own, as fast as it can, until it goes out of scope.
        private final class Worker: Sendable {
            private let goesOn = Atomic(true)
            private let ended = Wakeup.made()

            init(
                _ display: String, prepare: @escaping @Sendable (Painter) -> UInt32 = { $0.root },
                draw: @escaping @Sendable (Painter, _ prepared: UInt32, _ step: UInt32) -> Void
            ) {
                BlockingThread.start(name: "painter") { [self] in
                    defer { ended.fire() }
                    guard let painter = try? Painter(display) else { return }
                    let prepared = prepare(painter)
                    var step: UInt32 = 1
                    while goesOn.load(ordering: .relaxed) {
                        draw(painter, prepared, step)
                        step += 1
                    }
                }
            }

            func stop() {
                goesOn.store(false, ordering: .relaxed)
                ended.wait(atMost: .seconds(5))
            }
        }

        @Test("What changed between the question and the answer is fetched before the picture is handed out")
        func overtaken() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            let top = PixelRect(x: 0, y: 0, width: 1280, height: 40)
            let bottom = PixelRect(x: 0, y: 680, width: 1280, height: 40)
            // When the server goes on, it finds two things waiting: what is drawn at the bottom, and the question for
            // the rows at the top, the only ones of which the source knows. Mostly it takes them in this order.
            for step: UInt32 in 1...20 where source.counters.repeats == 0 {
                painter.fill(painter.root, top, step)
                painter.finish()
                #expect(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
                server.stop()
                painter.fill(painter.root, bottom, step)
                painter.flush()
                server.resume(after: .milliseconds(50))
                let look = Look(try source.readPatiently())
                #expect(look.isFilled(top, step))
                if source.counters.repeats > 0 {
                    #expect(look.isFilled(bottom, step))
                    #expect(look.frame.damage == top.union(bottom))
                }
                try source.settleDown()
            }
            #expect(source.counters.repeats == 1)
        }

        @Test("What is read late is dated by when it was drawn")
        func readLate() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            let area = PixelRect(x: 0, y: 0, width: 64, height: 64)
            // What is noticed soon tells how the server's clock goes with ours.
            for step: UInt32 in 1...20 {
                painter.fill(painter.root, area, step)
                painter.finish()
                try #require(try source.watch { $0[0, 0] == step } != nil)
            }
            // On a busy machine it may be read so late that nobody believes its date.
            for step: UInt32 in 21...40 {
                let before = SystemClock.now()
                painter.fill(painter.root, area, step)
                painter.finish()
                let after = SystemClock.now()
                usleep(50_000)
                let frame = try source.readPatiently()
                guard frame.capturedAt - before < .milliseconds(90) else { continue }
                #expect(frame.drawnAt > before - .milliseconds(10) && frame.drawnAt < after + .milliseconds(10))
                return
            }
            Issue.record("the machine was too busy for it")
        }

        @Test("Two far ends of a picture never come from different moments")
        func farEnds() throws {
            let server = try VirtualScreen()
            let top = PixelRect(x: 0, y: 0, width: 1280, height: 40)
            let bottom = PixelRect(x: 0, y: 680, width: 1280, height: 40)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            // Each step draws the top, later the bottom: at any moment the top is as new or one step newer. How much
            // later varies, so that the bottom often changes just after the top's rows were asked for.
            let elsewhere = PixelRect(x: 0, y: 0, width: 1280, height: 360)
            let worker = Worker(
                server.display, prepare: { $0.makePixmap(width: elsewhere.width, height: elsewhere.height) }
            ) { painter, unseen, step in
                painter.fill(painter.root, top, step)
                for _ in 0..<step % 8 { painter.fill(unseen, elsewhere, step) }
                painter.fill(painter.root, bottom, step)
                painter.finish()
                usleep(500)
            }
            defer { worker.stop() }
            var looks = 0
            var mixed: [String] = []
            while looks < 400 {
                let event = try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1)
                guard event == .changed else { break }
                let look = Look(try source.readPatiently())
                let (above, below) = (look[640, 0], look[640, 719])
                let areWhole =
                    look.isFilled(PixelRect(x: 7, y: 0, width: 1, height: 40), above)
                    && look.isFilled(PixelRect(x: 7, y: 680, width: 1, height: 40), below)
                if !areWhole || (above != below && above != below + 1) { mixed.append("\(above) above \(below)") }
                looks += 1
            }
            #expect(looks == 400)
            #expect(mixed.isEmpty)
            // It was put to the test: pictures were fetched in parts, and some of the parts were too small.
            #expect(source.counters.repeats > 0)
            #expect(source.counters.rows < source.counters.grabs * 720)
        }

        @Test("No change of a region is lost among those beside it, which hardly wake anybody")
        func amongOthers() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let region = PixelRect(x: 640, y: 0, width: 640, height: 720)
            let source = try ScreenSource(display: server.display, target: .region(region), showsCursor: false)
            try source.settleDown()
            let worker = Worker(server.display) { painter, root, step in
                painter.fill(root, PixelRect(x: 0, y: 0, width: 600, height: 40), step)
                painter.finish()
            }
            defer { worker.stop() }
            for step: UInt32 in 1...300 {
                let (x, y) = (Int(step * 7 % 640), Int(step * 11 % 720))
                painter.fill(painter.root, PixelRect(x: region.x + x, y: y, width: 1, height: 1), step)
                painter.finish()
                try #require(try source.watch { $0[x, y] == step } != nil)
            }
            try source.settleDown()
            let before = source.counters
            #expect(try source.waitForChange(until: SystemClock.now() + .milliseconds(500), wakeup: -1) == .idle)
            #expect(source.counters.grabs == before.grabs)
            // What changes there again and again is told once, until the next grab.
            #expect(source.counters.wakeups - before.wakeups <= 20)
        }

        @Test("Scrolling stripes never tear")
        func scrolling() throws {
            let server = try VirtualScreen()
            let page = PixelRect(x: 0, y: 100, width: 1280, height: 400)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            // Like a terminal: everything moves up by a row, then the last row is drawn anew, in its own colour.
            let worker = Worker(server.display) { painter, root, step in
                let rest = PixelRect(x: 0, y: page.y + 1, width: page.width, height: page.height - 1)
                painter.copy(root, from: rest, toY: page.y)
                painter.fill(root, PixelRect(x: 0, y: page.maxY - 1, width: page.width, height: 1), step)
                painter.finish()
            }
            defer { worker.stop() }
            try #require(try source.watch { $0[640, page.y] > 0 } != nil)
            for _ in 0..<200 {
                try #require(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
                let look = Look(try source.readPatiently())
                let first = look[640, page.y]
                // Between the two requests of a step the last row is there twice.
                let torn = (page.y..<page.maxY - 1).first { look[640, $0] != first + UInt32($0 - page.y) }
                #expect(torn == nil, "row \(torn ?? 0) is of another moment")
            }
        }
    }
}
