import SignalingClient
import Testing

@testable import ScreenShare

@Suite("What a viewer makes of a server's refusal")
struct OutcomeTests {
    private func waits(_ error: SignalingError, hasJoined: Bool) -> Bool {
        let outcome = try? ViewLife.Outcome(of: error, at: "http://127.0.0.1:9/whep", hasJoined: hasJoined)
        guard case .nothingYet? = outcome else { return false }
        return true
    }

    @Test("an answer that is none of the server's ends no recording that it has taken before, and is told to who begins")
    func odd() {
        let odd: [SignalingError] = [
            .refused(status: 200, words: "status 200"), .refused(status: 302, words: "status 302"), .unreadable("answer"),
            .elsewhere("https://login.example.org"),
        ]
        for error in odd {
            #expect(!waits(error, hasJoined: false) && waits(error, hasJoined: true), "\(error)")
        }
    }

    @Test("a sharer without video that could be taken ends it at any time", arguments: [false, true])
    func unsupported(hasJoined: Bool) {
        #expect(!waits(.refused(status: 406, words: "no H.264"), hasJoined: hasJoined))
    }

    @Test("a token that is missing or wrong ends it at any time, and what passes at none")
    func others() {
        for hasJoined in [false, true] {
            let lasting: [SignalingError] = [
                .tokenRequired, .forbidden(words: "the token is not accepted"), .badAddress("x"),
            ]
            #expect(!lasting.contains { waits($0, hasJoined: hasJoined) })
            let passing: [SignalingError] = [
                .gone, .unreachable(.timeout), .refused(status: 500, words: "status 500"),
                .notThereYet(retryAfter: .zero, words: "nobody shares yet"), .roomTaken(retryAfter: .zero),
            ]
            #expect(passing.allSatisfy { waits($0, hasJoined: hasJoined) })
        }
    }

    @Test("who named http where the server has https is told what to name")
    func elsewhere() {
        let error = SignalingError.elsewhere("https://meet.example.org").shareError("http://meet.example.org")
        #expect(error == .signaling("http://meet.example.org: the address leads to https://meet.example.org; name that one"))
    }

    @Test("a program is told whether another try makes sense, and when at the earliest", arguments: [
        (.unreachable(.connectionRefused), .seconds(1)), (.notThereYet(retryAfter: .seconds(3), words: "busy"), .seconds(3)),
        (.gone, .seconds(1)), (.refused(status: 500, words: "status 500"), .seconds(1)),
        (.badAddress("x"), nil), (.refused(status: 400, words: "status 400"), nil), (.unreadable("receipt"), nil),
    ] as [(SignalingError, Duration?)])
    func again(error: SignalingError, after time: Duration?) {
        let words = "http://127.0.0.1:9: \(error)"
        let expected = time.map { ShareError.unavailable(words, retryAfter: $0) } ?? .signaling(words)
        #expect(error.shareError("http://127.0.0.1:9") == expected)
    }

    @Test("who is cancelled is told so, and not that the server failed")
    func cancelled() {
        #expect(SignalingError.cancelled.shareError("http://127.0.0.1:9") == .cancelled)
    }

    @Test("what a viewer waited for in vain is worth another try, when its server says so")
    func givenUp() throws {
        let busy = SignalingError.notThereYet(retryAfter: .seconds(3), words: "nobody shares yet")
        let outcome = try ViewLife.Outcome(of: busy, at: "http://127.0.0.1:9/whep", hasJoined: false)
        #expect(outcome.givenUp == .unavailable("nobody shares yet", retryAfter: .seconds(3)))
    }

    @Test("a sharer is told when a room that is taken may be free")
    func taken() {
        let error = SignalingError.roomTaken(retryAfter: .seconds(4)).shareError("http://127.0.0.1:9")
        #expect(error == .roomTaken(retryAfter: .seconds(4)) && error.description.hasSuffix("try again in 4 s"))
    }
}
