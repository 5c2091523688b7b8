import Foundation
import Testing
@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("What sources lists")
struct SourcesListingTests {
    @Test("without a display the listing has all its fields, and nothing in those of the display")
    func noDisplay() throws {
        let bytes = try JSONEncoder().encode(SourcesListing(sources: nil, audio: []))
        let listed = try JSONDecoder().decode([String: [String]].self, from: bytes)
        #expect(listed == ["displays": [], "monitors": [], "windows": [], "audio": []])
    }

    @Test("where there is no sound of a kind its list says so, and what it takes")
    func noSound() {
        let microphone = ShareableAudio(id: "hw:0", name: "Built-in", kind: .microphone, isDefault: true)
        #expect([ShareableAudio]().text.contains("System sound (--system ID)\n  none: it takes a sound server"))
        #expect([ShareableAudio]().text.hasSuffix("Microphones (--mic ID)\n  none found"))
        #expect([microphone].text.hasSuffix("Microphones (--mic ID)\n  hw:0  Built-in  default"))
    }
}
