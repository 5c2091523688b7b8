import Foundation
import Testing
@testable import ScreenShare

@Suite("What can be shared, as JSON")
struct ShareableSourcesTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("A monitor has the keys that scripts read")
    func monitor() throws {
        let monitor = ShareableSources.Monitor(name: "HDMI-1", x: 1280, y: 0, width: 1920, height: 1080, isPrimary: true)
        #expect(try json(monitor) == #"{"height":1080,"name":"HDMI-1","primary":true,"width":1920,"x":1280,"y":0}"#)
    }

    @Test("So has a window")
    func window() throws {
        let window = ShareableSources.Window(
            id: "0x1", title: "Editor", pid: 7, x: -8, y: 20, width: 640, height: 480, isVisible: false)
        #expect(
            try json(window)
                == #"{"height":480,"id":"0x1","pid":7,"title":"Editor","visible":false,"width":640,"x":-8,"y":20}"#)
    }
}
