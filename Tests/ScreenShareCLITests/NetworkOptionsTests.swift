import ArgumentParser
import Testing

@testable import ScreenShareCLI

@Suite("The options for the network")
struct NetworkOptionsTests {
    private static let commands = [["host", "--room", "demo"], ["view", "--room", "demo"], ["doctor"]]

    @Test("an interface is an address, or a name that this machine has", arguments: ["127.0.0.1", "::1", "lo"])
    func interface(text: String) throws {
        for command in Self.commands { _ = try Screenshare.parseAsRoot(command + ["--interface", text]) }
    }

    @Test("there are eight at most, and a ninth is not left out without a word", arguments: [8, 9])
    func most(count: Int) throws {
        for command in Self.commands {
            let words = command + (1...count).flatMap { ["--interface", "127.0.0.\($0)"] }
            if count <= 8 {
                _ = try Screenshare.parseAsRoot(words)
            } else {
                let error = #expect(throws: (any Error).self) { _ = try Screenshare.parseAsRoot(words) }
                #expect(error.map { Screenshare.exitCode(for: $0) } == .validationFailure)
            }
        }
    }

    @Test("credentials without a TURN server are not passed over without a word", arguments: [
        ["--turn-user", "a", "--turn-password", "p"], ["--turn-secret", "s"], ["--turn-secret", "s", "--stun", "stun:example.org"],
    ])
    func noServer(words: [String]) throws {
        for command in Self.commands + [["serve"]] {
            let error = #expect(throws: (any Error).self) { _ = try Screenshare.parseAsRoot(command + words) }
            #expect(error.map { Screenshare.exitCode(for: $0) } == .validationFailure)
            #expect(error.map { Screenshare.message(for: $0).contains("\(words[0]) is for a TURN server") } == true)
            _ = try Screenshare.parseAsRoot(command + words + ["--turn", "turn:example.org"])
        }
    }

    @Test("in the environment they are for a server that is named there or on the command line")
    func environment() throws {
        let given = ["host", "--room", "demo"]
        let variables = [
            "SCREENSHARE_TURN_USER": "a", "SCREENSHARE_TURN_PASSWORD": "p", "SCREENSHARE_TURN_CA": "/nonexistent/ca.pem",
        ]
        #expect(EnvironmentArguments.merge(given, environment: variables) == given)
        let named = given + ["--turn", "turn:example.org"]
        let login = ["--turn-user=a", "--turn-password=p"]
        #expect(EnvironmentArguments.merge(named, environment: variables) == named + login)
        let all = variables.merging(["SCREENSHARE_TURN": "turn:example.org,turns:example.org"]) { $1 }
        let servers = ["--turn=turn:example.org", "--turn=turns:example.org"]
        let merged = EnvironmentArguments.merge(given, environment: all)
        #expect(merged == given + servers + login + ["--turn-ca=/nonexistent/ca.pem"])
    }

    @Test("what can be neither is wrong usage", arguments: ["nope", "[::1]", "127.0.0.1:80", "localhost"])
    func noInterface(text: String) {
        for command in Self.commands {
            let error = #expect(throws: (any Error).self) {
                _ = try Screenshare.parseAsRoot(command + ["--interface", "127.0.0.1", "--interface", text])
            }
            #expect(error.map { Screenshare.exitCode(for: $0) } == .validationFailure)
        }
    }
}
