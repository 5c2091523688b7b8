import ArgumentParser
import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("The command doctor")
struct DoctorCommandTests {
    @Test("it takes every option of host's")
    func all() {
        let host = Self.options(in: HostCommand.helpMessage(columns: 200))
        let own = Self.options(in: DoctorCommand.helpMessage(includeHidden: true, columns: 200))
        #expect(host.isSuperset(of: ["--room", "--window", "--mic", "--udp-port", "--token", "--stats-json"]))
        #expect(host.isSubset(of: own), "\(host.subtracting(own))")
    }

    /// Those that a help page lists.
    private static func options(in help: String) -> Set<String> {
        let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
        return Set(lines.compactMap { $0.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init) })
    }

    @Test("it takes them with what host takes for each", arguments: [
        "--token sesame", "--open", "--allow-host meet.example.org", "--allow-origin https://meet.example.org",
        "--window x", "--monitor x", "--region 10x10+0+0", "--test-pattern", "--no-cursor", "--size 720p",
        "--max-pixels 256",
        "--mode detail", "--fps 24", "--bitrate 1M", "--preset fast", "--mic x --mic-gain=6", "--ptime 10",
        "--max-viewers 3", "--duration 1", "--stats-json -", "--log-level debug", "--room demo --udp-port 5004",
    ])
    func options(words: String) throws {
        _ = try DoctorCommand.parse(words.split(separator: " ").map(String.init))
        // And host itself.
        let room = words.contains("--room") ? [] : ["--room", "demo"]
        _ = try HostCommand.parse(room + words.split(separator: " ").map(String.init))
    }

    @Test("what host refuses it refuses", arguments: ["--size huge", "--window x --monitor y", "--allow-host a/b"])
    func refused(words: String) {
        #expect(throws: (any Error).self) { _ = try DoctorCommand.parse(words.split(separator: " ").map(String.init)) }
    }

    @Test("advice stands behind one full stop, and that sharing fails is left to the failure")
    func text() {
        let findings = [
            Finding(.sound, .warning, "there is none.", advice: "See it."),
            Finding(.nat, .warning, "unknown", advice: "Look."),
        ]
        let lines = Diagnosis(findings: findings).text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasSuffix("none. See it.") && lines[1].hasSuffix("unknown. Look."))
        #expect(lines.last == "Sharing will work, but see the warnings.")
        let failed = Diagnosis(findings: findings + [Finding(.display, .failure, "gone")]).text.split(separator: "\n")
        #expect(failed.count == 3 && failed.last?.hasSuffix("gone") == true)
    }
}
