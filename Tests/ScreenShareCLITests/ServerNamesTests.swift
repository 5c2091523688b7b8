import ArgumentParser
import Testing

@testable import ScreenShareCLI

@Suite("The names of a server behind a proxy")
struct ServerNamesTests {
    @Test("one name at a time is taken", arguments: [
        "--allow-host meet.example.org", "--allow-host [::1]", "--allow-origin https://meet.example.org:8443",
    ])
    func taken(words: String) throws {
        _ = try ServerNames.parse(words.split(separator: " ").map(String.init))
    }

    @Test("what would never match is refused, a pattern too", arguments: [
        "--allow-host *", "--allow-host *.example.org", "--allow-host https://meet.example.org",
        "--allow-host meet.example.org:80", "--allow-origin *", "--allow-origin https://*.example.org",
        "--allow-origin https://*", "--allow-origin meet.example.org",
    ])
    func refused(words: String) {
        #expect(throws: (any Error).self) { _ = try ServerNames.parse(words.split(separator: " ").map(String.init)) }
    }
}
