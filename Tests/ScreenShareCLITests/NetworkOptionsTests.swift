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
