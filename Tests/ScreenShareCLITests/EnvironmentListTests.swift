import ArgumentParser
import Testing

@testable import ScreenShareCLI

@Suite("Several values in one variable")
struct EnvironmentListTests {
    private static let given = ["host", "--room", "demo"]

    private func merged(_ variable: String, _ value: String) -> [String] {
        Array(EnvironmentArguments.merge(Self.given, environment: [variable: value]).dropFirst(Self.given.count))
    }

    @Test("commas stand between TURN servers, and in passwords", arguments: [
        ("turn:a:b@h,turns:h2", ["turn:a:b@h", "turns:h2"]), ("turn:a:b,c@h,TURN:h2", ["turn:a:b,c@h", "TURN:h2"]),
        ("turn:a:,b,,@h", ["turn:a:,b,,@h"]), (",turn:a:b@h,,turn:h2,", ["turn:a:b@h", "turn:h2"]), (",", []),
        ("turn:a:b, c@h, turns:d:e@h2", ["turn:a:b, c@h", "turns:d:e@h2"]),
    ] as [(String, [String])])
    func turn(value: String, servers: [String]) {
        #expect(merged("SCREENSHARE_TURN", value) == servers.map { "--turn=\($0)" })
    }

    @Test("others have none within them")
    func others() {
        #expect(merged("SCREENSHARE_STUN", "stun:a,b,") == ["--stun=stun:a", "--stun=b"])
        #expect(merged("SCREENSHARE_TOKEN", "a,b") == ["--token=a,b"])
    }

    @Test("a TURN server without its host is refused without its password, also beside a secret")
    func forgottenHost() {
        for secret in [[], ["--turn-secret", "s"]] {
            let error = #expect(throws: (any Error).self) {
                _ = try ICEServerOptions.parse(["--turn", "turn:alice:wonder"] + secret)
            }
            let message = error.map { ICEServerOptions.message(for: $0) } ?? ""
            #expect(message.contains("turn:alice…") && !message.contains("wonder"))
        }
    }
}
