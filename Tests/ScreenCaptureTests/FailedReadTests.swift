import Media
import SystemClock
import Testing
import Timebase

@testable import ScreenCapture

extension XServerSuite {
    @Suite("A read that failed after it had fetched")
    struct FailedReadTests {
        @Test("What it left is not damage of a smaller picture that follows")
        func smaller() throws {
            let server = try VirtualScreen()
            let source = try ScreenSource(display: server.display, target: .display, showsCursor: false)
            try source.settleDown()
            let former = PixelRect(source.size)
            try server.resize(width: 640, height: 360)
            let deadline = SystemClock.now() + .seconds(3)
            while !source.isStale, SystemClock.now() < deadline {
                _ = source.connection.wait(until: deadline)
                try source.absorbEvents()
            }
            try #require(source.isStale)
            (source.undelivered, source.undeliveredPointer) = (DamagedAreas(former), former)
            let frame = try source.readPatiently()
            let size = PixelSize(width: 640, height: 360)
            #expect(frame.pixels.size == size)
            #expect(frame.damage == PixelRect(size) && frame.content == PixelRect(size))
        }
    }
}
