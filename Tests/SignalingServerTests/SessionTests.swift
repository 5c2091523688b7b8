import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("WHEP sessions", .timeLimit(.minutes(1)))
struct SessionTests {
    private func patch(
        _ bench: Bench, _ path: String, _ fragment: String, match: String?, token: String? = nil
    ) async throws -> TestResponse {
        var fields: HTTPFields = [:]
        fields[.ifMatch] = match
        return try await bench.send(
            .patch, path, token: token, type: "application/trickle-ice-sdpfrag", fields: fields, body: fragment)
    }

    @Test("Candidates go to the sharer: 204 without a body and without an ETag")
    func trickle() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let events = try await sharer.listen(after: 1)
            for match in [viewer.tag, "*", "\"*\"", "\"other\", \(viewer.tag)"] {
                let response = try await patch(bench, viewer.path, SDPSamples.trickle, match: match)
                #expect(response.status == .noContent)
                #expect(response.headers[.eTag] == nil)
                let candidates = try await events.next(SessionCandidates.self)
                #expect(candidates.fragment == SDPSamples.trickle)
                #expect(candidates.restart == nil)
            }
        }
    }

    @Test("Candidates of any transport of the offer restart nothing, whichever section comes first; a new ufrag does")
    func unbundledTrickle() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer, offer: SDPSamples.unbundledOffer)
            let events = try await sharer.listen(after: 1)
            let both = SDPSamples.soundTrickle + SDPSamples.trickle
            for fragment in [SDPSamples.soundTrickle, SDPSamples.trickle, both] {
                async let response = patch(bench, viewer.path, fragment, match: viewer.tag)
                let candidates = try await events.next(SessionCandidates.self)
                try #require(candidates.restart == nil && candidates.fragment == fragment)
                #expect(try await response.status == .noContent)
            }
            let fragment = SDPSamples.soundTrickle + SDPSamples.restart
            async let response = patch(bench, viewer.path, fragment, match: "*")
            let restart = try await events.next(SessionCandidates.self)
            let tag = try #require(restart.restart)
            let body = try JSON.text(RestartReply(fragment: SDPSamples.restartReply, restart: tag))
            let path = "\(sharer.path)/sessions/\(restart.sessionId.text)/fragment"
            #expect(try await bench.json(.post, path, token: sharer.secret, body).status == .noContent)
            #expect(try await response.status == .ok)
            for later in [SDPSamples.soundTrickle, SDPSamples.restart] {
                #expect(try await patch(bench, viewer.path, later, match: "*").status == .noContent)
            }
        }
    }

    @Test("If-Match missing: 428; stale: 412; wrong content type: 415; no fragment: 400")
    func preconditions() async throws {
        try await Bench.run { bench in
            let viewer = try await bench.joined(try await bench.share())
            try await patch(bench, viewer.path, SDPSamples.trickle, match: nil).problem(.preconditionRequired)
            for stale in ["\"old\"", "W/\(viewer.tag)", viewer.tag.replacing("\"", with: "")] {
                try await patch(bench, viewer.path, SDPSamples.trickle, match: stale).problem(.preconditionFailed)
            }
            for type in ["application/sdp", "application/json", "text/plain"] {
                let response = try await bench.send(
                    .patch, viewer.path, type: type, fields: [.ifMatch: "*"], body: SDPSamples.trickle)
                response.problem(.unsupportedMediaType)
            }
            let answer = try await bench.send(
                .patch, viewer.path, type: "application/sdp", fields: [.ifMatch: "*"], body: SDPSamples.offer)
            answer.problem(.unsupportedMediaType)
            try await patch(bench, viewer.path, "v=0\r\n", match: "*").problem(.malformedSDP)
            try await patch(bench, viewer.path, "", match: "*").problem(.malformedSDP)
        }
    }

    @Test("A new ufrag restarts ICE: 200 with the sharer's fragment and a new tag; the old tag is stale then")
    func restart() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let events = try await sharer.listen(after: 1)
            async let response = patch(bench, viewer.path, SDPSamples.restart, match: "*")
            let event = try await events.next(SessionCandidates.self)
            let tag = try #require(event.restart)
            #expect(event.fragment == SDPSamples.restart)
            let body = try JSON.text(RestartReply(fragment: SDPSamples.restartReply, restart: tag))
            let path = "\(sharer.path)/sessions/\(event.sessionId.text)/fragment"
            #expect(try await bench.json(.post, path, token: sharer.secret, body).status == .noContent)
            let restarted = try await response
            #expect(restarted.status == .ok)
            #expect(restarted.text == SDPSamples.restartReply)
            #expect(restarted.headers[.contentType] == "application/trickle-ice-sdpfrag")
            #expect(restarted.headers[.eTag] == tag.quoted)
            #expect(tag.quoted != viewer.tag)

            try await patch(bench, viewer.path, SDPSamples.restart, match: viewer.tag).problem(.preconditionFailed)
            #expect(try await patch(bench, viewer.path, SDPSamples.restart, match: tag.quoted).status == .noContent)
            try await bench.json(.post, path, token: sharer.secret, body).problem(.restartSuperseded)
        }
    }

    @Test("A restart nobody answers: 504, and the session and its tag stay")
    func restartFails() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            async let response = patch(bench, viewer.path, SDPSamples.restart, match: "*")
            await bench.clock.sleeper(for: .seconds(10))
            bench.clock.advance(by: .seconds(10))
            try await response.problem(.noAnswer)
            #expect(try await bench.send(.head, viewer.path).headers[.eTag] == viewer.tag)
            _ = try await sharer.say()
            #expect(try await patch(bench, viewer.path, SDPSamples.trickle, match: viewer.tag).status == .noContent)
        }
    }

    @Test("Of two overlapping restarts the later one counts")
    func overlappingRestarts() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let events = try await sharer.listen(after: 1)
            async let first = patch(bench, viewer.path, SDPSamples.restart, match: "*")
            let old = try await events.next(SessionCandidates.self)
            let again = SDPSamples.restart.replacing("ysXw", with: "zzzz")
            async let second = patch(bench, viewer.path, again, match: "*")
            let new = try await events.next(SessionCandidates.self)
            try await first.problem(.restartSuperseded)
            let path = "\(sharer.path)/sessions/\(old.sessionId.text)/fragment"
            for (event, expected) in [(old, 409), (new, 204)] {
                let body = try JSON.text(
                    RestartReply(fragment: SDPSamples.restartReply, restart: #require(event.restart)))
                #expect(try await bench.json(.post, path, token: sharer.secret, body).status.code == expected)
            }
            #expect(try await second.status == .ok)
        }
    }

    @Test("DELETE ends a session once, whatever its If-Match says; the sharer hears of it")
    func leave() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let events = try await sharer.listen(after: 1)
            #expect(try await bench.send(.delete, viewer.path, fields: [.ifMatch: "\"stale\""]).status == .ok)
            #expect(viewer.path.hasSuffix(try await events.next(SessionLeft.self).sessionId.text))
            try await bench.send(.delete, viewer.path).problem(.sessionNotFound)
        }
    }

    @Test("A session the sharer dismisses is gone; dismissing an unanswered one turns the viewer away")
    func dismiss() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let id = try #require(viewer.path.split(separator: "/").last)
            let path = "\(sharer.path)/sessions/\(id)"
            #expect(try await bench.send(.delete, path, token: sharer.secret).status == .noContent)
            try await bench.send(.delete, path, token: sharer.secret).problem(.sessionNotFound)
            try await bench.send(.head, viewer.path).problem(at: .sessionNotFound)

            let events = try await sharer.listen(after: 1)
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            let pending = "\(sharer.path)/sessions/\(offer.sessionId.text)"
            #expect(try await bench.send(.delete, pending, token: sharer.secret).status == .noContent)
            try await response.problem(.sharerBusy)
        }
    }

    @Test("An offer is answered once; an answer must be SDP")
    func answers() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            try await sharer.answer(offer.sessionId, "nonsense").problem(.malformedSDP)
            let bad = Refusal(.unsupported, counterOffer: "nonsense")
            try await sharer.refuse(offer.sessionId, bad).problem(.malformedSDP)
            #expect(try await sharer.answer(offer.sessionId).status == .noContent)
            #expect(try await response.status == .created)
            try await sharer.answer(offer.sessionId).problem(.alreadyAnswered)
            try await sharer.refuse(offer.sessionId, Refusal(.full)).problem(.alreadyAnswered)
        }
    }

    @Test("Token × session × verb: whatever isn't both known and allowed meets one and the same 404")
    func matrix() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share("demo", #"{"viewerToken":"sesame"}"#)
            let other = try await bench.share("other")
            let mine = try await bench.joined(sharer, token: "sesame")
            let open = try await bench.joined(other)
            let id = try #require(mine.path.split(separator: "/").last)
            let openID = try #require(open.path.split(separator: "/").last)
            let unknown = "/v1/rooms/demo/whep/ffffffffffffffffffffffffffffffff"
            let wrongPlaces = [
                unknown, "/v1/rooms/other/whep/\(id)", "/v1/rooms/nobody/whep/\(id)",
                "/v1/rooms/demo/whep/\(openID)", "/v1/rooms/demo/whep/x", "/v1/rooms/demo/whep/\(id.uppercased())x",
            ]
            let verbs: [HTTPRequest.Method] = [.get, .head, .patch, .delete]
            var bodies: Set<String> = []
            for verb in verbs {
                let wrongTokens = [nil, "simsim", sharer.secret].map { (mine.path, $0) }
                let elsewhere = wrongPlaces.flatMap { path in [nil, "sesame", "simsim"].map { (path, $0) } }
                for (path, token) in wrongTokens + elsewhere {
                    let isPatch = verb == .patch
                    let response = try await bench.send(
                        verb, path, token: token, type: isPatch ? "application/trickle-ice-sdpfrag" : nil,
                        fields: isPatch ? [.ifMatch: "*"] : [:], body: isPatch ? SDPSamples.trickle : nil)
                    response.problem(at: .sessionNotFound)
                    #expect(response.headers[.wwwAuthenticate] == nil)
                    if verb != .head { bodies.insert(response.text) }
                }
            }
            #expect(bodies.count == 1)
            #expect(try await bench.send(.head, mine.path, token: "sesame").status == .ok)
            #expect(try await bench.send(.get, open.path).status == .ok)
            #expect(
                try await patch(bench, mine.path, SDPSamples.trickle, match: "*", token: "sesame").status == .noContent)
            #expect(try await bench.send(.delete, mine.path, token: "sesame").status == .ok)
        }
    }

    @Test("A session that isn't answered yet cannot be touched by its address")
    func unanswered() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            try await bench.send(.delete, "/v1/rooms/demo/whep/\(offer.sessionId.text)").problem(.sessionNotFound)
            _ = try await sharer.answer(offer.sessionId)
            #expect(try await response.status == .created)
        }
    }

    @Test("A flood of PATCHes is cut to 32 at once and 4 a second: 429 with Retry-After")
    func patchFlood() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            func passed() async throws -> Int {
                var passed = 0
                for _ in 0..<100 {
                    let response = try await patch(bench, viewer.path, SDPSamples.trickle, match: "*")
                    if response.status == .noContent { passed += 1 } else { response.problem(.tooManyRequests) }
                }
                return passed
            }
            #expect(try await passed() == 32)
            bench.clock.advance(by: .seconds(2))
            #expect(try await passed() == 8)
        }
    }

    @Test("A sharer that takes nothing in is sent no more than its box holds")
    func outboxIsBounded() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            var viewers: [String] = []
            for _ in 0..<30 { viewers.append(try await bench.joined(sharer).path) }
            var refused = 0
            for _ in 0..<30 {
                for path in viewers {
                    let status = try await patch(bench, path, SDPSamples.trickle, match: "*").status
                    if status != .noContent { refused += 1 }
                }
            }
            let room = try #require(RoomName("demo"))
            let held = await bench.routes.store.rooms[room]?.share?.outbox.events.count ?? 0
            #expect(held == ServerLimits.outboxEvents)
            #expect(refused > 0)
            try await bench.join().problem(.serverBusy)
            let reader = try await sharer.listen()
            for _ in 0..<held { _ = await reader.next() }
            _ = try await sharer.say(seen: .max)
            #expect(await bench.routes.store.rooms[room]?.share?.outbox.events.isEmpty == true)
        }
    }
}
