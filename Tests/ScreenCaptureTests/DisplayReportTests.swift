import Media
@testable import ScreenCapture
import Testing

extension XServerSuite {
    @Suite("What a display gives")
    struct DisplayReportTests {
        @Test("A whole server: its size, a picture through shared memory, and how long that took")
        func whole() throws {
            let server = try VirtualScreen("800x600x24")
            let report = try DisplayReport.make(display: server.display)
            #expect(report.display == server.display && report.depth == 24)
            #expect(report.size == PixelSize(width: 800, height: 600))
            #expect(report.sharesMemory && report.seesPointer && report.knowsMonitors)
            #expect(report.pictureTime > .zero)
        }

        @Test("Without MIT-SHM pictures come through the connection, and without RandR no monitor is known by name")
        func reduced() throws {
            let server = try VirtualScreen(options: ["-extension", "MIT-SHM", "-extension", "RANDR"])
            let report = try DisplayReport.make(display: server.display)
            #expect(!report.sharesMemory && !report.knowsMonitors)
        }

        @Test("Without DAMAGE, of a depth without meaning here, or where there is no server, it says why")
        func unusable() throws {
            let server = try VirtualScreen(options: ["-extension", "DAMAGE"])
            let error = #expect(throws: CaptureError.self) { try DisplayReport.make(display: server.display) }
            #expect("\(String(describing: error))".contains("DAMAGE"))
            let shallow = try VirtualScreen("640x480x8")
            #expect(throws: CaptureError.self) { try DisplayReport.make(display: shallow.display) }
            #expect(throws: CaptureError.self) { try DisplayReport.make(display: ":987") }
        }
    }
}
