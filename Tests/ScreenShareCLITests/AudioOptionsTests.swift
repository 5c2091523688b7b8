import ArgumentParser
import ScreenShare
import Testing
@testable import ScreenShareCLI

@Suite("The options of host for sound")
struct AudioOptionsTests {
    private func parse(_ words: String) throws -> AudioOptions {
        try AudioOptions.parse(words.split(separator: " ").map(String.init))
    }

    @Test("a gain of what is not shared is refused, as its device is", arguments: [
        "--audio system --mic-gain=6", "--audio none --mic-gain=6", "--mic-gain=6", "--audio none --mic-gain=0",
        "--audio mic --system-gain=-6", "--audio none --system-gain=-6", "--mic a --system-gain=-6",
        "--audio system --mic a", "--audio none --system a",
    ])
    func ofNoUse(words: String) {
        #expect(throws: (any Error).self) { try parse(words) }
    }

    @Test("a gain of what is shared is taken", arguments: [
        "--audio mic --mic-gain=6", "--audio both --mic-gain=6", "--mic a --mic-gain=6",
        "--mic a --system b --mic-gain=6 --system-gain=0",
    ])
    func micGain(words: String) throws {
        #expect(try parse(words).micGain == 6)
    }

    @Test("so is one of system sound, which is shared by default", arguments: [
        "--audio system --system-gain=-6", "--audio both --system-gain=-6", "--system a --system-gain=-6",
        "--system-gain=-6",
    ])
    func systemGain(words: String) throws {
        #expect(try parse(words).systemGain == -6)
    }

    @Test("a gain is -60 to 24 dB, as the library has it", arguments: [-61, -60, 24, 25])
    func range(gain: Int) throws {
        #expect(AudioConfiguration.gains == -60...24)
        if (-60...24).contains(gain) {
            #expect(try parse("--audio mic --mic-gain=\(gain)").micGain == Double(gain))
        } else {
            #expect(throws: (any Error).self) { try parse("--audio mic --mic-gain=\(gain)") }
        }
    }

    @Test("a gain in the environment yields to the sound that is asked for", arguments: [
        ("--audio none", []), ("--audio system", ["--system-gain=-6"]), ("--audio mic", ["--mic-gain=6"]),
        ("--audio both", ["--mic-gain=6", "--system-gain=-6"]), ("--mic a", ["--mic-gain=6"]),
        ("--audio none --mic-gain=1", []), ("", ["--system-gain=-6"]),
    ] as [(String, [String])])
    func environment(words: String, added: [String]) {
        let given = ["host", "--room", "demo"] + words.split(separator: " ").map(String.init)
        let environment = ["SCREENSHARE_MIC_GAIN": "6", "SCREENSHARE_SYSTEM_GAIN": "-6"]
        #expect(EnvironmentArguments.merge(given, environment: environment) == given + added)
        let variables = added.map { $0.hasPrefix("--mic") ? "SCREENSHARE_MIC_GAIN" : "SCREENSHARE_SYSTEM_GAIN" }
        #expect(EnvironmentArguments.variables(of: (given + added).dropFirst(given.count)) == variables)
    }
}
