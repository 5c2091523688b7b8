import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Words of a later version", .timeLimit(.minutes(1)))
struct LaterVersionTests {
    @Test("A sharer that says words which aren't known here keeps its room: it counts as paused, and the rest is told")
    func state() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let body = #"{"state":"interrupted","viewers":3,"audio":"spoken","muted":["camera","microphone"]}"#
            let reply = try await bench.json(.put, "\(sharer.path)/state", token: sharer.secret, body)
            #expect(reply.status == .noContent)
            let state = try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self)
            #expect(state.state == .paused && state.viewers == 3)
            #expect(state.audio == nil && state.muted == [.microphone])
        }
    }

    @Test("A refusal for a reason that isn't known here is told at once, in the sharer's words, and to be tried again")
    func refusal() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let session = try await events.nextOffer().sessionId
            let body = #"{"refusal":{"reason":"waiting","detail":"Somebody is asked."}}"#
            let reply = try await bench.json(
                .post, "\(sharer.path)/sessions/\(session.text)/answer", token: sharer.secret, body)
            try #require(reply.status == .noContent)
            let refused = try await response
            refused.problem(.sharerBusy)
            #expect(try refused.decode(Problem.self).detail == "Somebody is asked.")
            #expect(refused.headers[.retryAfter] != nil)
        }
    }

    @Test("A client that is made from the OpenAPI document takes words that the document doesn't name")
    func document() async throws {
        try await Bench.run { bench in
            let text = try await bench.send(.get, "/openapi.json").text
            let choices = text.split(separator: #""enum":["#).count - 1
            #expect(choices > 0)
            #expect(text.ranges(of: #"{"anyOf":[{"enum":["#).count == choices)
            #expect(text.ranges(of: #"]},{"type":"string"}]}"#).count == choices)
        }
    }
}
