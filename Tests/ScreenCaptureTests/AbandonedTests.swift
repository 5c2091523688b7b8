import CXCB
import Media
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import ScreenCapture

extension XServerSuite {
    @Suite("What a server makes for somebody who has given up waiting")
    struct AbandonedTests {
        private let server: VirtualScreen

        init() throws { server = try VirtualScreen() }

        private func connect(passesDescriptors: Bool) throws -> XConnection {
            guard let handle = xcb_connect(server.display, nil), xcb_connection_has_error(handle) == 0 else {
                throw Program.Failure("no connection to \(server.display)")
            }
            let screen = try #require(XScreen.all(of: handle).first)
            var extensions = Extensions(blockingOn: handle)
            extensions.passesDescriptors = passesDescriptors
            return XConnection(adopting: handle, display: server.display, screen: screen, extensions: extensions)
        }

        /// - Returns: what was to be made while the server did not answer, which it has done by now.
        private func identifier(
            ofMadeLateOn connection: XConnection, by make: (Instant) throws -> Void
        ) throws -> UInt32 {
            let before = connection.makeIdentifier()
            server.stop()
            #expect(throws: XFailure.timedOut) { try make(SystemClock.now() + .milliseconds(100)) }
            server.resume()
            try connection.catchUp(until: SystemClock.now() + .seconds(5))
            // Identifiers are given one by one.
            #expect(connection.makeIdentifier() == before + 2)
            return before + 1
        }

        @Test("Memory is given back", arguments: [true, false])
        func memory(passesDescriptors: Bool) throws {
            let connection = try connect(passesDescriptors: passesDescriptors)
            let segment = try identifier(ofMadeLateOn: connection) { deadline in
                _ = try PictureMemory.makeShared(byteCount: 64, on: connection, until: deadline)
            }
            let cookie = xcb_shm_get_image(
                connection.handle, connection.root, 0, 0, 1, 1, .max, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), segment, 0)
            let error = #expect(throws: XFailure.self) {
                _ = try connection.reply(
                    cookie.sequence, as: xcb_shm_get_image_reply_t.self, until: SystemClock.now() + .seconds(5))
            }
            guard case .refused = error else { throw Program.Failure("the server has it still") }
        }

        @Test("A window's pixels are given back")
        func pixmap() throws {
            let painter = try Painter(server.display)
            let window = painter.makeWindow(PixelRect(x: 0, y: 0, width: 40, height: 30), title: "", border: 0, color: gray)
            painter.map(window)
            painter.finish()
            let connection = try connect(passesDescriptors: true)
            let subject = try WindowSubject(window, title: "", on: connection, until: SystemClock.now() + .seconds(5))
            let pixmap = try identifier(ofMadeLateOn: connection) { try subject.namePixmap(until: $0) }
            let error = #expect(throws: XFailure.self) {
                _ = try connection.geometry(of: pixmap, until: SystemClock.now() + .seconds(5))
            }
            guard case .refused = error else { throw Program.Failure("the server has it still") }
        }
    }
}
