import CXCB
import Media
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import ScreenCapture

extension XServerSuite {
    @Suite("Memory of System V, for a server that can't pass a descriptor")
    struct SharedMemoryTests {
        private let server: VirtualScreen
        private let connection: XConnection
        private let deadline = SystemClock.now() + .seconds(10)

        init() throws {
            server = try VirtualScreen()
            guard let handle = xcb_connect(server.display, nil), xcb_connection_has_error(handle) == 0 else {
                throw Program.Failure("no connection to \(server.display)")
            }
            let screen = try #require(XScreen.all(of: handle).first)
            var extensions = Extensions(blockingOn: handle)
            extensions.passesDescriptors = false
            connection = XConnection(adopting: handle, display: server.display, screen: screen, extensions: extensions)
        }

        private func makeMemory() throws -> (memory: PictureMemory, segment: xcb_shm_seg_t) {
            let made = try PictureMemory.makeShared(byteCount: 64, on: connection, until: deadline)
            let memory = try #require(made)
            guard case .shared(let segment) = memory.kind else { throw Program.Failure("it is not shared") }
            return (memory, segment)
        }

        @Test("It counts as shared only where the server's pixels arrive in it, not in another's")
        func another() throws {
            let (memory, segment) = try makeMemory()
            let (other, foreign) = try makeMemory()
            #expect(try memory.isUsable(by: connection, segment: segment, until: deadline))
            #expect(try !memory.isUsable(by: connection, segment: foreign, until: deadline))
            #expect(try other.isUsable(by: connection, segment: foreign, until: deadline))
        }

        @Test("It does so whatever the screen shows", arguments: PictureMemory.marks)
        func mark(_ color: UInt32) throws {
            let painter = try Painter(server.display)
            painter.fill(painter.root, PixelRect(x: 0, y: 0, width: 1, height: 1), color)
            painter.finish()
            let (memory, segment) = try makeMemory()
            #expect(try memory.isUsable(by: connection, segment: segment, until: deadline))
        }
    }
}
