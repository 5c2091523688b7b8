import ArgumentParser
import Testing

@testable import ScreenShareCLI

@Suite("Options that take an address of the web")
struct WebAddressTests {
    private static let hosts = [
        "127.0.0.1:1", "127.0.0.1:65535", "127.0.0.1", "[::1]:8080", "[::1]", "localhost:8080",
        "meet.example.org",
    ]

    @Test("a host and a port are taken, also at the ends of what a port can be", arguments: hosts)
    func taken(host: String) throws {
        for scheme in ["http", "https", "HTTP"] {
            try WebAddress.check("\(scheme)://\(host)", of: "--signaling", isServer: true)
            try WebAddress.check("\(scheme)://\(host)/", of: "--signaling", isServer: true)
            try WebAddress.check("\(scheme)://\(host)/live@1/whep?x=1@2", of: "--whep", isServer: false)
        }
    }

    @Test("a user name and a password are refused, and not told on", arguments: [
        "user:wonder@", "wonder@", "user:wonder@[::1",
    ])
    func login(text: String) {
        let error = #expect(throws: ValidationError.self) {
            try WebAddress.check("http://\(text)example.org", of: "--signaling", isServer: true)
        }
        #expect(error?.message.contains("password") == true && error?.message.contains("wonder") == false)
    }

    static let noHosts = [
        "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:99999", "127.0.0.1:99999999999999999999", "127.0.0.1:-1",
        "127.0.0.1:+80", "127.0.0.1:x", "[::1]:65536", "[::1]x", "[::1", "::1:18599", "[]", "[]:80", "%5B%5D", ":80",
        "meet.example.org:65536",
    ]

    @Test("an address that nothing can listen at is wrong usage for every command", arguments: noHosts)
    func refused(host: String) {
        let server = "http://\(host)"
        for isServer in [true, false] {
            #expect(throws: ValidationError.self) { try WebAddress.check(server, of: "--x", isServer: isServer) }
        }
        let commands = [
            ["host", "--room", "demo", "--signaling", server], ["view", "--room", "demo", "--signaling", server],
            ["view", "--whep", "\(server)/whep"], ["doctor", "--signaling", server],
        ]
        for command in commands {
            #expect(throws: (any Error).self, "\(command)") { _ = try Screenshare.parseAsRoot(command) }
        }
        let merged = EnvironmentArguments.merge(["doctor"], environment: ["SCREENSHARE_SIGNALING": server])
        #expect(throws: (any Error).self) { _ = try Screenshare.parseAsRoot(merged) }
    }
}
