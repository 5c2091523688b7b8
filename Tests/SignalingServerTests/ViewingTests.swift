import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOConcurrencyHelpers
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Joining by WHEP", .timeLimit(.minutes(1)))
struct ViewingTests {
    @Test("The offer reaches the sharer as it is, and its answer comes back: 201, Location, ETag, Accept-Patch")
    func join() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            #expect(offer.sdp == SDPSamples.offer)
            #expect(try await sharer.answer(offer.sessionId).status == .noContent)
            let joined = try await response
            #expect(joined.status == .created)
            #expect(joined.text == SDPSamples.answer)
            #expect(joined.headers[.contentType] == "application/sdp")
            #expect(joined.headers[.location] == "/v1/rooms/demo/whep/\(offer.sessionId.text)")
            #expect(joined.headers[.eTag] == "\"\(offer.etag)\"")
            #expect(joined.headers[.acceptPatch] == "application/trickle-ice-sdpfrag")
            #expect(joined.headers[.cacheControl] == "no-store")
        }
    }

    @Test("ICE servers are named in Link fields, with their credentials quoted")
    func iceServers() async throws {
        try await Bench.run { configuration in
            configuration.iceServers = [
                ICEServer(url: "stun:stun.example.net"),
                ICEServer(url: "turn:turn.example.net?transport=udp", username: "a\"b", credential: "c\\d"),
                ICEServer(url: "stun:bad>\r\n"),
            ]
        } _: { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            _ = try await sharer.answer(events.next(SessionOffer.self).sessionId)
            #expect(
                try await response.headers[values: .link].filter { $0.contains("ice-server") } == [
                    "<stun:stun.example.net>; rel=\"ice-server\"",
                    "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"a\\\"b\"; "
                        + "credential=\"c\\\\d\"; credential-type=\"password\"",
                ])
        }
    }

    @Test("The answer names where a viewer is told how its path does; nobody else is told")
    func monitor() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let session = try await events.next(SessionOffer.self).sessionId
            _ = try await sharer.answer(session)
            let address = "/v1/rooms/demo/events?session=\(session.text)"
            #expect(try await response.headers[values: .link] == ["<\(address)>; rel=\"monitor\""])
            let store = bench.routes.store
            let (own, other) = (
                EventReader(try await store.watch(.demo, as: session)), EventReader(try await store.watch(.demo))
            )
            for reader in [own, other] { #expect(try await reader.next(RoomState.self).path == nil) }
            _ = try await sharer.say(viewers: 1, narrow: [session])
            #expect(try await own.next(RoomState.self).path == .narrow)
            #expect(try await other.next(RoomState.self).path == nil, "only that there is a viewer")
            let asked = try await bench.send(.get, "/v1/rooms/demo?session=\(session.text)").decode(RoomState.self)
            #expect(asked.path == .narrow)
            _ = try await sharer.say(viewers: 1)
            #expect(try await own.next(RoomState.self).path == nil)
            _ = try await sharer.say(.paused, viewers: 1)
            #expect(try await other.next(RoomState.self).state == .paused, "nothing in between")
        }
    }

    @Test("Each viewer is told of TURN servers with credentials of its own")
    func credentials() async throws {
        let made = NIOLockedValueBox(0)
        try await Bench.run { configuration in
            configuration.viewerICEServers = {
                let number = made.withLockedValue { $0 += 1; return $0 }
                return [ICEServer(url: "turn:turn.example.net", username: "u\(number)", credential: "c\(number)")]
            }
        } _: { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            for number in 1...2 {
                async let response = bench.join()
                _ = try await sharer.answer(events.next(SessionOffer.self).sessionId)
                #expect(try await response.headers[.link]?.contains("username=\"u\(number)\"") == true)
            }
        }
    }

    @Test("HEAD names the ICE servers, to those alone who may watch what is shared", arguments: [nil, "sesame"])
    func iceServersBefore(token: String?) async throws {
        try await Bench.run { configuration in
            configuration.iceServers = [ICEServer(url: "stun:stun.example.net")]
            configuration.viewerICEServers = { [ICEServer(url: "turn:t.example.net", username: "u", credential: "c")] }
        } _: { bench in
            let endpoint = "/v1/rooms/demo/whep"
            #expect(try await bench.send(.head, endpoint, token: token).headers[values: .link].isEmpty)
            _ = try await bench.share("demo", token.map { #"{"viewerToken":"\#($0)"}"# } ?? "{}")
            let told = try await bench.send(.head, endpoint, token: token)
            #expect(told.status == .ok && told.headers[values: .link].count == 2)
            if token != nil {
                for wrong in [nil, "other"] {
                    let response = try await bench.send(.head, endpoint, token: wrong)
                    #expect(response.status == .ok && response.headers[values: .link].isEmpty)
                }
            }
        }
    }

    @Test("Twenty viewers at once are all answered, each with its own session")
    func twenty() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let response = try await bench.join()
                        #expect(response.status == .created)
                        return response.headers[.location]
                    }
                }
                for _ in 0..<20 { _ = try await sharer.answer(events.next(SessionOffer.self).sessionId) }
                var locations: Set<String> = []
                for try await location in group { locations.insert(try #require(location)) }
                #expect(locations.count == 20)
            }
        }
    }

    @Test("Nobody shares, in a known room or an unknown one: 409 with Retry-After, and the same words")
    func nobody() async throws {
        try await Bench.run { configuration in
            configuration.policy = { $0.description == "closed" ? nil : .open }
        } _: { bench in
            let sharer = try await bench.share("known")
            _ = try await bench.send(.delete, sharer.path, token: sharer.secret)
            var bodies: Set<String> = []
            for room in ["known", "unknown", "closed"] {
                let response = try await bench.join(room)
                response.problem(.noSharer)
                #expect(response.headers[.retryAfter] == "2")
                bodies.insert(response.text)
            }
            #expect(bodies.count == 1)
        }
    }

    @Test("A sharer silent for 5 s: 503 with Retry-After; heard again, viewers come in again")
    func silent() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            bench.clock.advance(by: .seconds(5))
            let response = try await bench.join()
            response.problem(.sharerSilent)
            #expect(response.headers[.retryAfter] == "1")
            #expect(try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self).state == .waiting)
            _ = try await sharer.say()
            _ = try await bench.joined(sharer)
        }
    }

    @Test("An offer nobody answers within 10 s: 504, the sharer hears that the viewer left, nothing is kept")
    func noAnswer() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.join()
            let offer = try await events.next(SessionOffer.self)
            await bench.clock.sleeper(for: .seconds(10))
            bench.clock.advance(by: .seconds(10))
            try await response.problem(.noAnswer)
            #expect(try await events.next(SessionLeft.self).sessionId == offer.sessionId)
            try await sharer.answer(offer.sessionId).problem(.sessionNotFound)
            #expect(await bench.routes.store.rooms[RoomName.demo]?.share?.sessions.isEmpty == true)
        }
    }

    @Test("A viewer that gives up leaves no session")
    func cancelled() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            let join = Task { try await bench.join() }
            let offer = try await events.next(SessionOffer.self)
            join.cancel()
            #expect(try await events.next(SessionLeft.self).sessionId == offer.sessionId)
            #expect(await bench.routes.store.rooms[RoomName.demo]?.share?.sessions.isEmpty == true)
        }
    }

    @Test("An ICE restart with credentials that are none is malformed, and the session goes on")
    func malformedRestart() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let (path, _) = try await bench.joined(sharer)
            for body in [SDPSamples.restart.replacing("ysXw", with: "ab!d"), SDPSamples.restart.replacing("G4y/", with: "G4y:")] {
                let patched = try await bench.send(
                    .patch, path, type: "application/trickle-ice-sdpfrag", fields: [.ifMatch: "*"], body: body)
                patched.problem(.malformedSDP)
            }
            #expect(try await bench.send(.head, path).status == .ok)
        }
    }

    @Test("A room with a token: 401 without it, 403 with a wrong one, both say how; the right one lets in")
    func tokens() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share("demo", #"{"viewerToken":"sesame"}"#)
            let missing = try await bench.join()
            missing.problem(.tokenRequired)
            #expect(missing.headers[.wwwAuthenticate] == "Bearer")
            for wrong in ["simsim", "sesam", "sesames", sharer.secret] {
                let response = try await bench.join(token: wrong)
                response.problem(.tokenRejected)
                #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
            }
            #expect(try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self).tokenRequired)
            _ = try await bench.joined(sharer, token: "sesame")
        }
    }

    @Test("The server's own viewer token holds where the sharer asks for none")
    func policyToken() async throws {
        try await Bench.run { configuration in
            configuration.policy = { _ in RoomPolicy(viewerToken: BearerToken("house")) }
        } _: { bench in
            let sharer = try await bench.share()
            try await bench.join().problem(.tokenRequired)
            _ = try await bench.joined(sharer, token: "house")
        }
    }

    @Test("A full room: 503 with Retry-After; a viewer that leaves makes room")
    func full() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share("demo", #"{"maxViewers":2}"#)
            let first = try await bench.joined(sharer)
            _ = try await bench.joined(sharer)
            let third = try await bench.join()
            third.problem(.roomFull)
            #expect(third.headers[.retryAfter] != nil)
            #expect(try await bench.send(.delete, first.path).status == .ok)
            _ = try await bench.joined(sharer)
        }
    }

    @Test("Offers that wait are bounded, in a room and in all; what is too much is turned away at once")
    func pending() async throws {
        try await Bench.run {
            $0.maxPendingSessions = 60
        } _: { bench in
            let rooms = [try await bench.share("a"), try await bench.share("b")]
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask { try await bench.join(rooms[number % 2].room).status.code }
                }
                var busy = 0
                while busy < 140, let status = try await group.next() {
                    #expect(status == 503)
                    busy += 1
                }
                let waiting = await bench.routes.store.rooms.values.reduce(0) { $0 + ($1.share?.pendingSessions ?? 0) }
                #expect(waiting == 60)
                group.cancelAll()
            }
            let left = await bench.routes.store.rooms.values.reduce(0) { $0 + ($1.share?.sessions.count ?? 0) }
            #expect(left == 0)
        }
    }

    @Test("GET and HEAD are empty and tell that this is a WHEP endpoint; OPTIONS says what it takes")
    func discovery() async throws {
        try await Bench.run { bench in
            for method in [HTTPRequest.Method.get, .head] {
                let response = try await bench.send(method, "/v1/rooms/demo/whep")
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "application/sdp")
                #expect(response.body.readableBytes == 0)
            }
            let options = try await bench.send(.options, "/v1/rooms/demo/whep")
            #expect(options.status == .ok)
            #expect(options.headers[.acceptPost] == "application/sdp")
            #expect(options.headers[.allow] == "GET, HEAD, OPTIONS, POST")
            #expect(options.headers[.accessControlAllowMethods]?.contains("POST") == true)
            let put = try await bench.send(.put, "/v1/rooms/demo/whep")
            put.problem(.methodNotAllowed)
            #expect(put.headers[.allow] == "GET, HEAD, OPTIONS, POST")
        }
    }

    @Test("An offer must be application/sdp, SDP, and no larger than 64 KiB")
    func badOffers() async throws {
        try await Bench.run { bench in
            _ = try await bench.share()
            let path = "/v1/rooms/demo/whep"
            for type in [nil, "text/plain", "application/json", "application/sdpx"] {
                try await bench.send(.post, path, type: type, body: SDPSamples.offer).problem(.unsupportedMediaType)
            }
            for body in ["", "hello", "{}", "v=0", "v=0\r\nm=video\r\nx"] {
                try await bench.join(offer: body).problem(.malformedSDP)
            }
            let large = SDPSamples.offer + String(repeating: "a=x\r\n", count: 14_000)
            try await bench.join(offer: large).problem(.contentTooLarge)
            #expect(await bench.routes.store.rooms[RoomName.demo]?.share?.sessions.isEmpty == true)
        }
    }

    @Test("The content type may carry parameters and any case")
    func contentTypeParameters() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let events = try await sharer.listen()
            async let response = bench.send(
                .post, "/v1/rooms/demo/whep", type: "Application/SDP; charset=utf-8", body: SDPSamples.offer)
            _ = try await sharer.answer(events.next(SessionOffer.self).sessionId)
            #expect(try await response.status == .created)
        }
    }
}
