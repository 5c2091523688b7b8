import Glibc
import Media
import ScreenCapture
import SystemClock
import TestSupport
import Testing
import Timebase

extension XServerSuite {
    @Suite("A server that vanishes or hangs")
    struct LossTests {
        @Test("A killed server ends the source within two seconds, in clear words")
        func killed() throws {
            let server = try VirtualScreen()
            let source = try ScreenSource(display: server.display, target: .display)
            try source.settleDown()
            server.kill()
            let time = elapsed {
                let error = #expect(throws: CaptureError.self) {
                    _ = try source.waitForChange(until: SystemClock.now() + .seconds(10), wakeup: -1)
                }
                #expect(error == .lost("The X server of display \(server.display) is gone."))
            }
            #expect(time < .seconds(2))
            // It stays so, and at once.
            #expect(throws: CaptureError.lost("The X server of display \(server.display) is gone.")) {
                try source.read()
            }
        }

        @Test("A stopped server delays nobody past the deadline, and when it goes on so do the pictures")
        func stopped() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            let (reading, waiting) = try bestOf(3) {
                try delays(of: source, server, painter)
            } isRight: { $0.reading < .milliseconds(400) && $0.waiting < .milliseconds(250) }
            #expect(reading < .milliseconds(400))
            #expect(waiting < .milliseconds(250))
        }

        /// How long anything took that was asked of a stopped server, three times each; a wait is asked to take 150 ms.
        private func delays(
            of source: ScreenSource, _ server: VirtualScreen, _ painter: Painter
        ) throws -> (reading: Duration, waiting: Duration) {
            try source.settleDown()
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 20, height: 20), red)
            painter.finish()
            #expect(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
            server.stop()
            var longest = (reading: Duration.zero, waiting: Duration.zero)
            for _ in 0..<3 {
                let reading = elapsed {
                    _ = #expect(throws: CaptureError.timedOut) { try source.read() }
                }
                let cpu = SystemClock.threadTime()
                let waiting = try elapsed {
                    let event = try source.waitForChange(until: SystemClock.now() + .milliseconds(150), wakeup: -1)
                    #expect(event == .idle)
                }
                #expect(waiting > .milliseconds(140))
                // Waiting, not spinning.
                #expect(SystemClock.threadTime() - cpu < .milliseconds(50))
                longest = (max(longest.reading, reading), max(longest.waiting, waiting))
            }
            server.resume()
            painter.fill(painter.root, PixelRect(x: 50, y: 50, width: 20, height: 20), green)
            painter.finish()
            let first = PixelRect(x: 0, y: 0, width: 20, height: 20)
            let second = PixelRect(x: 50, y: 50, width: 20, height: 20)
            try #require(try source.watch { $0.isFilled(first, red) && $0.isFilled(second, green) } != nil)
            return longest
        }

        @Test("A server whose answers take longer than a read waits gives pictures all the same")
        func late() throws {
            let server = try VirtualScreen("320x240x24")
            let painter = try Painter(server.display)
            let line = try SlowDisplay(server)
            let source = try ScreenSource(display: line.display, target: .display, showsCursor: false)
            try source.settleDown()
            line.delayAnswers(by: .milliseconds(350))
            let area = PixelRect(x: 0, y: 0, width: 20, height: 20)
            painter.fill(painter.root, area, red)
            painter.finish()
            try #require(try source.watch(for: .seconds(8)) { $0.isFilled(area, red) } != nil)
        }

        @Test("It is told how long a read waited for the server's answer")
        func waited() throws {
            let server = try VirtualScreen("320x240x24")
            let painter = try Painter(server.display)
            let line = try SlowDisplay(server)
            let source = try ScreenSource(display: line.display, target: .display, showsCursor: false)
            try source.settleDown()
            line.delayAnswers(by: .milliseconds(40))
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 20, height: 20), red)
            painter.finish()
            let event = try source.waitForChange(until: SystemClock.now() + .seconds(5), wakeup: -1)
            try #require(event == .changed)
            _ = try source.readPatiently()
            #expect(source.waited >= .milliseconds(40))
            // Nothing has changed: nothing is asked.
            _ = try source.readPatiently()
            #expect(source.waited < .milliseconds(40))
        }

        @Test("Whoever shares is told of a server that gives no picture for long, once")
        func told() throws {
            let server = try VirtualScreen()
            let painter = try Painter(server.display)
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 20, height: 20), red)
            painter.finish()
            #expect(try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1) == .changed)
            _ = source.takeNotices()
            server.stop()
            let deadline = SystemClock.now() + .seconds(5)
            while SystemClock.now() < deadline { #expect(throws: CaptureError.timedOut) { try source.read() } }
            let notices = source.takeNotices()
            #expect(notices.count == 1 && notices.allSatisfy { $0.contains("\(server.display) does not answer") })
            server.resume()
            _ = try source.readPatiently()
        }

        @Test("A server that is stopped while it is idle delays nobody either, with the pointer watched")
        func stoppedWithPointer() throws {
            let server = try VirtualScreen()
            let source = try ScreenSource(display: server.display, target: .display)
            let longest = try bestOf(3) { () -> Duration in
                server.resume()
                try source.settleDown()
                server.stop()
                var longest = Duration.zero
                for _ in 0..<5 {
                    let time = try elapsed {
                        let event = try source.waitForChange(until: SystemClock.now() + .milliseconds(100), wakeup: -1)
                        #expect(event == .idle)
                    }
                    longest = max(longest, time)
                }
                return longest
            } isRight: { $0 < .milliseconds(200) }
            #expect(longest < .milliseconds(200))
            server.kill()
            #expect(throws: CaptureError.self) {
                _ = try source.waitForChange(until: SystemClock.now() + .seconds(2), wakeup: -1)
            }
        }

        @Test("Opening a stopped server ends with a message")
        func openingStopped() throws {
            let server = try VirtualScreen()
            server.stop()
            let time = elapsed {
                let error = #expect(throws: CaptureError.self) {
                    try ScreenSource(display: server.display, target: .display)
                }
                #expect(error == .unavailable("The X server of display \(server.display) does not answer."))
            }
            #expect(time < .seconds(6))
            server.resume()
        }

        @Test("Where the process may open no more files opening says so, and nothing ends")
        func noDescriptors() async {
            await #expect(processExitsWith: .success) {
                Shortage.ofFiles()
                do throws(CaptureError) {
                    _ = try ScreenSource(display: ":0", target: .display)
                    exit(1)
                } catch {
                    exit("\(error)".contains("no more files") ? 0 : 2)
                }
            }
        }

        @Test("Where the process may start no more threads opening says so, and nothing ends")
        func noThreads() async {
            await #expect(processExitsWith: .success) {
                Shortage.ofThreads()
                do throws(CaptureError) {
                    _ = try ScreenSource(display: ":0", target: .display)
                    exit(1)
                } catch {
                    exit("\(error)".contains("no more threads") ? 0 : 2)
                }
            }
        }

        @Test("A display that does not exist, and a name that is none, are refused with those that exist")
        func unknownDisplay() throws {
            let server = try VirtualScreen()
            for name in [":32123", "nonsense"] {
                let error = try #require(throws: CaptureError.self) {
                    try ScreenSource(display: name, target: .display)
                }
                guard case .unavailable(let text) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(text.contains(name))
                #expect(text.contains(server.display))
            }
            let error = try #require(throws: CaptureError.self) {
                try ScreenSource(display: server.display + ".7", target: .display)
            }
            #expect("\(error)".contains("no such screen"))
        }
    }
}
