import ArgumentParser
import Glibc
import ScreenShare
import Testing

@testable import ScreenShareCLI

@Suite("Where host publishes, and under which rules")
struct SignalingPlanTests {
    /// As parsed: options that were never parsed have no values.
    private static let noNames = (try? ServerNames.parse([])) ?? ServerNames()

    private func plan(
        room: String = "demo", names: ServerNames? = nil, token: String? = nil, open: Bool = false
    ) -> SignalingPlan {
        SignalingPlan(
            room: room, signaling: nil, listen: nil, names: names ?? Self.noNames, token: token, open: open, maximumViewers: 10,
            iceServers: { [] })
    }

    @Test("a token is made where others in the network reach the server, unless there is one or --open")
    func token() throws {
        let made = try #require(plan().viewerToken(isLocal: false))
        #expect(made.count >= 20 && made != plan().viewerToken(isLocal: false))
        #expect(plan().viewerToken(isLocal: true) == nil)
        #expect(plan(open: true).viewerToken(isLocal: false) == nil)
        for isLocal in [true, false] { #expect(plan(token: "sesame").viewerToken(isLocal: isLocal) == "sesame") }
    }

    @Test("who shares at a server that others in the network reach is told so, and whether they need a token")
    func note() {
        #expect(!plan().standingNote(isLocal: true).contains("others"))
        #expect(plan().standingNote(isLocal: false).hasSuffix("others in the network reach it, and need the token."))
        #expect(plan(open: true).standingNote(isLocal: false).hasSuffix("and need no token (--open)."))
    }

    @Test("a room is asked for at this user's server alone, and without a token where only this machine reaches it")
    func objection() throws {
        let here = try #require(Listener(at: 0x7F00_0001))
        let everywhere = try #require(Listener(at: 0))
        for isForLoopback in [true, false] {
            #expect(SignalingPlan.objection(port: here.port, isForLoopback: isForLoopback) == nil)
        }
        #expect(SignalingPlan.objection(port: everywhere.port, isForLoopback: false) == nil)
        let exposed = try #require(SignalingPlan.objection(port: everywhere.port, isForLoopback: true))
        #expect(exposed.contains("others in the network"))
        close(here.descriptor)
        let gone = try #require(SignalingPlan.objection(port: here.port, isForLoopback: false), "the token is for nobody else")
        #expect(gone.contains("nobody listens"))
        close(everywhere.descriptor)
    }

    @Test("whose server's names are of no use at one that runs already is told so", arguments: [true, false])
    func names(isLocal: Bool) throws {
        for option in [["--allow-host", "meet.example.org"], ["--allow-origin", "https://meet.example.org"]] {
            let note = plan(names: try ServerNames.parse(option)).standingNote(isLocal: isLocal)
            #expect(note.contains("its own --allow-host and --allow-origin"))
        }
        #expect(!plan().standingNote(isLocal: isLocal).contains("--allow"))
    }

    @Test("with --signaling they are wrong usage, and their variables are not for this run")
    func namesElsewhere() throws {
        let given = ["host", "--room", "demo", "--signaling", "https://meet.example.org"]
        for command in [given, ["doctor"] + given.suffix(2)] {
            #expect(throws: (any Error).self) {
                _ = try Screenshare.parseAsRoot(command + ["--allow-host", "meet.example.org"])
            }
            let environment = ["SCREENSHARE_ALLOW_HOST": "a", "SCREENSHARE_ALLOW_ORIGIN": "https://a"]
            #expect(EnvironmentArguments.merge(command, environment: environment) == command)
            let here = Array(command.dropLast(2))
            let elsewhere = environment.merging(["SCREENSHARE_SIGNALING": "https://meet.example.org"]) { $1 }
            let merged = EnvironmentArguments.merge(here, environment: elsewhere)
            #expect(merged == here + ["--signaling=https://meet.example.org"], "one file for serve and host")
            let listening = EnvironmentArguments.merge(here + ["--listen=:80"], environment: elsewhere)
            #expect(listening == here + ["--listen=:80", "--allow-host=a", "--allow-origin=https://a"])
            #expect(throws: (any Error).self) {
                let named = EnvironmentArguments.merge(here + ["--allow-host=a"], environment: elsewhere)
                _ = try Screenshare.parseAsRoot(named)
            }
        }
        let serve = EnvironmentArguments.merge(
            ["serve"], environment: ["SCREENSHARE_SIGNALING": "https://meet.example.org", "SCREENSHARE_ALLOW_HOST": "a"])
        #expect(serve == ["serve", "--allow-host=a"])
    }

    @Test("the printed command watches in this very room, whatever the room's and the token's names begin with", arguments: [
        ("demo", "sesame", "view --room demo --signaling http://[::1]:80 --token sesame"),
        ("-x", "-secret", "view --room=-x --signaling http://[::1]:80 --token=-secret"),
        ("~root", "a==", "view --room ~root --signaling http://[::1]:80 --token a=="),
        ("-~", "~", "view --room=-~ --signaling http://[::1]:80 --token ~"),
    ])
    func command(room: String, token: String, command: String) throws {
        let lines = plan(room: room).greeting(server: "http://[::1]:80/", token: token, note: nil)
        let line = try #require(lines.last)
        #expect(line.replacing("'", with: "").hasSuffix("\(command) | ffplay -"))
        let words = line.split(separator: " ").filter { $0.contains { "~[".contains($0) } }
        #expect(words.allSatisfy { $0.hasSuffix("'") && $0.split(separator: "'").count <= 2 }, "a shell leaves it alone")
        let parsed = try ViewCommand.parse(command.split(separator: " ").dropFirst().map(String.init))
        #expect(parsed.room == room && parsed.token == token)
    }
}

/// Somebody who listens at a port of this machine.
private struct Listener {
    let descriptor: Int32
    let port: Int

    init?(at host: UInt32) {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(host.bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(made, place, size) == 0 && listen(made, 1) == 0 && getsockname(made, place, &size) == 0
            }
        }
        guard isListening else { return nil }
        descriptor = made
        port = Int(UInt16(bigEndian: address.sin_port))
    }
}
