import ArgumentParser
import Testing

@testable import ScreenShareCLI

@Suite("Flags of the environment")
struct EnvironmentFlagTests {
    private static let given = ["host", "--room", "demo"]

    private func merged(_ value: String) -> [String] {
        EnvironmentArguments.merge(Self.given, environment: ["SCREENSHARE_NO_TCP": value])
    }

    @Test("yes in all its words is the flag", arguments: ["1", "true", "YES", "on"])
    func yes(value: String) throws {
        #expect(merged(value) == Self.given + ["--no-tcp"])
        #expect(try (Screenshare.parseAsRoot(merged(value)) as? HostCommand)?.network.common.noTcp == true)
    }

    @Test("no, and nothing, is none", arguments: ["0", "false", "No", "off", ""])
    func no(value: String) {
        #expect(merged(value) == Self.given)
    }

    @Test("anything else is wrong usage, and the variable can be told", arguments: ["maybe", "2", " ", "=", "--open"])
    func neither(value: String) {
        let arguments = merged(value)
        let error = #expect(throws: (any Error).self) { _ = try Screenshare.parseAsRoot(arguments) }
        #expect(error.map { Screenshare.exitCode(for: $0) } == .validationFailure)
        let variables = EnvironmentArguments.variables(of: arguments.dropFirst(Self.given.count))
        #expect(variables == ["SCREENSHARE_NO_TCP"])
    }

    @Test("a flag on the command line doesn't look at its variable")
    func commandLine() {
        let given = Self.given + ["--no-tcp"]
        #expect(EnvironmentArguments.merge(given, environment: ["SCREENSHARE_NO_TCP": "maybe"]) == given)
    }
}
