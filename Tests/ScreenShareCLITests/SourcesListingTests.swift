import Foundation
import ScreenShare
import Testing
@testable import ScreenShareCLI

@Suite("What sources lists")
struct SourcesListingTests {
    @Test("without a display the listing has all its fields, and nothing in those of the display")
    func noDisplay() throws {
        let bytes = try JSONEncoder().encode(SourcesListing(sources: nil, audio: []))
        let listed = try JSONDecoder().decode([String: [String]].self, from: bytes)
        #expect(listed == ["displays": [], "monitors": [], "windows": [], "audio": []])
    }
}
