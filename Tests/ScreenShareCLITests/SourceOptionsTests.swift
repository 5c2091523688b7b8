import ArgumentParser
import Testing

@testable import ScreenShareCLI

@Suite("What is shared")
struct SourceOptionsTests {
    private static let commands = [["host", "--room", "demo"], ["doctor"]]

    @Test("a test pattern is on no display: who names one as well is told so")
    func patternOnDisplay() throws {
        for command in Self.commands {
            let error = #expect(throws: (any Error).self) {
                _ = try Screenshare.parseAsRoot(command + ["--test-pattern", "--display", ":0"])
            }
            #expect(error.map { Screenshare.exitCode(for: $0) } == .validationFailure)
            #expect(error.map { Screenshare.message(for: $0).contains("--display or --test-pattern") } == true)
        }
    }

    @Test("of the two the one on the command line is for this run, whatever is in the environment")
    func environment() {
        for command in Self.commands {
            for (option, variables) in [("--test-pattern", ["SCREENSHARE_DISPLAY": ":0"]),
                ("--display=:0", ["SCREENSHARE_TEST_PATTERN": "1"])] {
                #expect(EnvironmentArguments.merge(command + [option], environment: variables) == command + [option])
            }
        }
    }
}
