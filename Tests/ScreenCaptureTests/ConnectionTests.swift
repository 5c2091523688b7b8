import CXCB
import Media
import SystemClock
import Testing
import Timebase

@testable import ScreenCapture

extension XServerSuite {
    /// libxcb reads what comes whenever it writes or looks for a reply: poll(2) does not tell of that.
    @Suite("A connection that waits for news")
    struct ConnectionTests {
        private let server: VirtualScreen
        private let painter: Painter
        private let connection: XConnection

        init() throws {
            server = try VirtualScreen()
            painter = try Painter(server.display)
            let deadline = SystemClock.now() + .seconds(10)
            connection = try XConnection.open(display: server.display, until: deadline)
            xcb_damage_create(
                connection.handle, connection.makeIdentifier(), connection.root,
                UInt8(XCB_DAMAGE_REPORT_LEVEL_RAW_RECTANGLES.rawValue))
            try ask()
            _ = try connection.takeEvents()
        }

        /// Returns when the server has answered all that it was asked so far.
        private func ask() throws {
            let question = xcb_get_input_focus(connection.handle).sequence
            _ = try connection.reply(
                question, as: xcb_get_input_focus_reply_t.self, until: SystemClock.now() + .seconds(10))
        }

        private func draw() {
            painter.fill(painter.root, PixelRect(x: 10, y: 20, width: 30, height: 40), red)
            painter.finish()
        }

        private func waitShortly() -> XConnection.Wake { connection.wait(until: SystemClock.now() + .milliseconds(300)) }

        @Test("hears at once what was read while something was written")
        func writing() throws {
            draw()
            xcb_no_operation(connection.handle)
            #expect(waitShortly() == .readable)
            #expect(try connection.takeEvents().count == 1)
            #expect(waitShortly() == .deadline)
        }

        @Test("hears at once what was read with a reply")
        func replying() throws {
            draw()
            try ask()
            #expect(waitShortly() == .readable)
            #expect(try connection.takeEvents().count == 1)
            #expect(waitShortly() == .deadline)
        }
    }
}
