import ScreenShare
import Testing

@testable import ScreenShareCLI

@Suite("Where host publishes, and under which rules")
struct SignalingPlanTests {
    private func plan(token: String? = nil, open: Bool = false) -> SignalingPlan {
        SignalingPlan(
            room: "demo", signaling: nil, listen: nil, names: ServerNames(), token: token, open: open, maximumViewers: 10,
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
}
