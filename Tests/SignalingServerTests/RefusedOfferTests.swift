import HTTPTypes
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Offers that the sharer refuses", .timeLimit(.minutes(1)))
struct RefusedOfferTests {
    @Test(
        "What the sharer refuses comes back with the status it means",
        arguments: [
            (Refusal.Reason.malformed, ProblemType.malformedSDP), (.unsupported, .offerNotServed), (.full, .roomFull),
            (.busy, .sharerBusy),
        ])
    func refused(_ reason: Refusal.Reason, _ type: ProblemType) async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            #expect(try await sharer.refuse(offer.sessionId, Refusal(reason, detail: "so it is")).status == .noContent)
            let refused = try await response
            refused.problem(type)
            #expect(try refused.decode(Problem.self).detail == "so it is")
            #expect((type.status == 503) == (refused.headers[.retryAfter] != nil))
            try await sharer.answer(offer.sessionId).problem(.sessionNotFound)
        }
    }

    @Test("A counter-offer: 406 with the SDP and the session's address; the viewer's answer goes to the sharer")
    func counterOffer() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            _ = try await sharer.refuse(offer.sessionId, Refusal(.unsupported, counterOffer: SDPSamples.answer))
            let countered = try await response
            #expect(countered.status == .notAcceptable)
            #expect(countered.headers[.contentType] == "application/sdp")
            #expect(countered.text == SDPSamples.answer)
            let path = try #require(countered.headers[.location])
            #expect(countered.headers[.acceptPatch] == "application/sdp")
            #expect(try await bench.send(.head, path).headers[.acceptPatch] == "application/sdp")

            let early = try await bench.send(
                .patch, path, type: "application/trickle-ice-sdpfrag", fields: [.ifMatch: "*"],
                body: SDPSamples.trickle)
            early.problem(.notEstablished)
            try await bench.send(.patch, path, type: "application/sdp", body: "nonsense").problem(.malformedSDP)
            #expect(
                try await bench.send(.patch, path, type: "application/sdp", body: SDPSamples.offer).status == .noContent
            )
            #expect(
                try await events.next(SessionAnswer.self)
                    == SessionAnswer(sessionId: offer.sessionId, sdp: SDPSamples.offer))
            let again = try await bench.send(.patch, path, type: "application/sdp", body: SDPSamples.offer)
            again.problem(.unsupportedMediaType)
            #expect(again.headers[.acceptPatch] == "application/trickle-ice-sdpfrag")
        }
    }

    @Test("A counter-offer nobody answers within 30 s runs out")
    func counterOfferRunsOut() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            _ = try await sharer.refuse(offer.sessionId, Refusal(.unsupported, counterOffer: SDPSamples.answer))
            let path = try #require(try await response.headers[.location])
            for _ in 0..<8 {
                bench.clock.advance(by: .seconds(4))
                _ = try await sharer.say()
            }
            await bench.routes.store.sweep()
            #expect(try await events.next(SessionLeft.self).sessionId == offer.sessionId)
            try await bench.send(.patch, path, type: "application/sdp", body: SDPSamples.offer).problem(
                .sessionNotFound)
        }
    }
}
