import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Sharing a room", .timeLimit(.minutes(1)))
struct SharingTests {
    @Test("A free room is given: 201 with an address, a secret and the event stream")
    func free() async throws {
        try await Bench.run { bench in
            let response = try await bench.json(.post, "/v1/rooms/demo/share", #"{"name":"Ada's screen"}"#)
            #expect(response.status == .created)
            let receipt = try response.decode(ShareReceipt.self)
            #expect(response.headers[.location] == "/v1/rooms/demo/share/\(receipt.shareId.text)")
            #expect(receipt.eventsUrl == "/v1/rooms/demo/share/\(receipt.shareId.text)/events")
            #expect(!receipt.resumed)
            #expect((1.0...2.0).contains(receipt.heartbeatSeconds))
            let state = try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self)
            #expect(state.state == .live)
            #expect(state.name == "Ada's screen")
            #expect(!state.tokenRequired)
        }
    }

    @Test("A room with a sharer that is heard is taken: 409, and nothing of the sharer's is told")
    func taken() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let other = try await bench.json(.post, "/v1/rooms/demo/share", "{}")
            other.problem(.roomTaken)
            #expect(other.headers[.retryAfter] == "5")
            #expect(!other.text.contains(sharer.secret))
            #expect(!other.text.contains(sharer.receipt.shareId.text))
        }
    }

    @Test("The sharer's own secret takes the room back, in the header or in the body, and keeps the sessions")
    func resume() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let again = try await bench.share("demo", "{}", token: sharer.secret)
            #expect(again.receipt.resumed)
            #expect(again.receipt.shareId == sharer.receipt.shareId)
            let credentials = #"{"shareId":"\#(sharer.receipt.shareId.text)","secret":"\#(sharer.secret)"}"#
            let third = try await bench.share("demo", #"{"resume":\#(credentials)}"#)
            #expect(third.receipt.resumed)
            #expect(try await bench.send(.head, viewer.path).status == .ok)
        }
    }

    @Test("A server that has forgotten everything gives the same share again, with its running sessions")
    func serverRestarted() async throws {
        try await Bench.run { bench in
            let share = "0123456789abcdef0123456789abcdef"
            let secret = "fedcba9876543210fedcba9876543210"
            let session = "00112233445566778899aabbccddeeff"
            let sharer = try await bench.share(
                "demo",
                #"{"resume":{"shareId":"\#(share)","secret":"\#(secret)"},"sessions":["#
                    + #"{"sessionId":"\#(session)","etag":"abc","ufrag":"EsAw"}]}"#)
            #expect(!sharer.receipt.resumed)
            #expect(sharer.receipt.shareId.text == share)
            #expect(sharer.secret == secret)
            let events = try await sharer.listen()
            let patch = try await bench.send(
                .patch, "/v1/rooms/demo/whep/\(session)", type: "application/trickle-ice-sdpfrag",
                fields: [.ifMatch: "\"abc\""], body: SDPSamples.trickle)
            #expect(patch.status == .noContent)
            #expect(try await events.next(SessionCandidates.self).restart == nil)
        }
    }

    @Test("A sharer of as many viewers as there may be, whatever their ufrags, is taken back with all of them")
    func manySessions() async throws {
        try await Bench.run { bench in
            var random = SystemRandomNumberGenerator()
            let share = ShareCredentials(shareId: RandomID(using: &random), secret: BearerToken(using: &random))
            let tickets = (0..<Limits.viewersPerShare).map { _ in
                let ufrag = String(repeating: "/", count: Limits.ufrag.upperBound)
                return SessionTicket(
                    sessionId: RandomID(using: &random), etag: EntityTag(using: &random), ufrag: ufrag)
            }
            let sharer = try await bench.share("demo", JSON.text(ShareRequest(resume: share, sessions: tickets)))
            #expect(sharer.secret == share.secret.secret)
            let sessions = await bench.routes.store.rooms[.demo]?.share?.sessions
            #expect(sessions.map { Set($0.keys) } == Set(tickets.map(\.sessionId)))
        }
    }

    @Test("A secret that is too weak is not taken over from a client")
    func weakSecret() async throws {
        try await Bench.run { bench in
            let id = "0123456789abcdef0123456789abcdef"
            let sharer = try await bench.share("demo", #"{"resume":{"shareId":"\#(id)","secret":"weak"}}"#)
            #expect(sharer.secret != "weak")
            #expect(sharer.secret.count == 32)
            #expect(sharer.receipt.shareId.text != id)
        }
    }

    @Test("A sharer unheard for 5 s loses the room to the next who asks")
    func silentSharer() async throws {
        try await Bench.run { bench in
            let first = try await bench.share()
            bench.clock.advance(by: .milliseconds(2500))
            #expect(try await bench.json(.post, "/v1/rooms/demo/share", "{}").headers[.retryAfter] == "3", "free by then")
            bench.clock.advance(by: .milliseconds(2499))
            let taken = try await bench.json(.post, "/v1/rooms/demo/share", "{}")
            taken.problem(.roomTaken)
            #expect(taken.headers[.retryAfter] == "1")
            bench.clock.advance(by: .milliseconds(1))
            let second = try await bench.share()
            #expect(second.receipt.shareId != first.receipt.shareId)
            try await first.say().problem(.shareNotFound)
            #expect(try await second.say().status == .noContent)
        }
    }

    @Test("A room whose viewers have a key goes to nobody else until its sharer is forgotten")
    func silentSharerWithKey() async throws {
        try await Bench.run { bench in
            _ = try await bench.share("demo", #"{"viewerToken":"sesame-sesame-sesame"}"#)
            bench.clock.advance(by: .seconds(6))
            let taken = try await bench.json(.post, "/v1/rooms/demo/share", "{}")
            taken.problem(.roomTaken)
            #expect(taken.headers[.retryAfter] == "24", "free by then")
            try await bench.json(.post, "/v1/rooms/demo/share", #"{"viewerToken":"another-another"}"#).problem(.roomTaken)
            let next = try await bench.share("demo", #"{"viewerToken":"sesame-sesame-sesame"}"#)
            #expect(!next.receipt.resumed, "who knows the key is no stranger")
        }
    }

    @Test("Each sign of life keeps the room; its state and viewers are seen by all")
    func heartbeat() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            for _ in 0..<10 {
                bench.clock.advance(by: .seconds(4))
                #expect(try await sharer.say(.paused, viewers: 7).status == .noContent)
            }
            let state = try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self)
            #expect(state.state == .paused)
            #expect(state.viewers == 7)
            #expect(try await sharer.say(.live, viewers: -3).status == .noContent)
            #expect(try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self).viewers == 0)
        }
    }

    @Test("What a sharer has muted is told to those who may watch, each kind once")
    func muted() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share("demo", #"{"viewerToken":"sesame"}"#)
            for (said, told) in [
                (#""on""#, nil), (#""on","muted":["microphone"]"#, [.microphone]), (#""on","muted":[]"#, nil),
                (#""muted","muted":["microphone","system","microphone"]"#, [.system, .microphone]),
            ] as [(String, [RoomState.Sound]?)] {
                let body = #"{"state":"live","viewers":1,"audio":\#(said)}"#
                let reply = try await bench.json(.put, "\(sharer.path)/state", token: sharer.secret, body)
                #expect(reply.status == .noContent)
                let state = try await bench.send(.get, "/v1/rooms/demo", token: "sesame").decode(RoomState.self)
                #expect(state.audio != nil && state.muted == told)
                let stranger = try await bench.send(.get, "/v1/rooms/demo").decode(RoomState.self)
                #expect(stranger.audio == nil && stranger.muted == nil)
            }
        }
    }

    @Test("DELETE ends the share: the room is free, its viewers' sessions are gone, its stream has ended")
    func close() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let viewer = try await bench.joined(sharer)
            let events = try await sharer.listen()
            #expect(try await bench.send(.delete, sharer.path, token: sharer.secret).status == .noContent)
            while await events.next() != nil {}
            try await bench.send(.head, viewer.path).problem(at: .sessionNotFound)
            try await bench.join().problem(.noSharer)
            try await bench.send(.delete, sharer.path, token: sharer.secret).problem(.shareNotFound)
            _ = try await bench.share()
        }
    }

    @Test("Unknown share, wrong secret and no secret meet the same 404 at every address of a share")
    func foreignShare() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let other = try await bench.share("other")
            let session = "/sessions/00112233445566778899aabbccddeeff"
            let requests: [(HTTPRequest.Method, String, String?)] = [
                (.get, "/events", nil), (.head, "/events", nil), (.put, "/state", #"{"state":"live","viewers":0}"#),
                (.delete, "", nil), (.post, session + "/answer", #"{"sdp":"v=0"}"#),
                (.post, session + "/fragment", #"{"fragment":"a=x","restart":"x"}"#), (.delete, session, nil),
            ]
            let unknown = "/v1/rooms/demo/share/ffffffffffffffffffffffffffffffff"
            let noRoom = "/v1/rooms/nobody/share/\(sharer.receipt.shareId.text)"
            for (method, suffix, body) in requests {
                for path in [sharer.path, unknown, noRoom, "/v1/rooms/demo/share/x"] {
                    for token in [nil, "wrong", other.secret, ""] {
                        let response = try await bench.send(
                            method, path + suffix, token: token, type: body.map { _ in "application/json" }, body: body)
                        response.problem(at: .shareNotFound)
                    }
                }
            }
        }
    }

    @Test("A server may ask sharers for a token, and may keep rooms for nobody")
    func policy() async throws {
        try await Bench.run { configuration in
            configuration.policy = { room in
                room.description == "closed" ? nil : RoomPolicy(sharerToken: BearerToken("sesame"))
            }
        } _: { bench in
            try await bench.json(.post, "/v1/rooms/closed/share", "{}").problem(.sharingNotAllowed)
            let missing = try await bench.json(.post, "/v1/rooms/demo/share", "{}")
            missing.problem(.tokenRequired)
            #expect(missing.headers[.wwwAuthenticate] == "Bearer")
            let wrong = try await bench.json(.post, "/v1/rooms/demo/share", token: "simsim", "{}")
            wrong.problem(.tokenRejected)
            #expect(wrong.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            let sharer = try await bench.share(token: "sesame")
            #expect(try await bench.share(token: sharer.secret).receipt.resumed)
        }
    }

    @Test("There is a limit to the number of rooms")
    func manyRooms() async throws {
        try await Bench.run {
            $0.maxRooms = 3
        } _: { bench in
            for number in 1...3 { _ = try await bench.share("room\(number)") }
            let response = try await bench.json(.post, "/v1/rooms/room4/share", "{}")
            response.problem(.serverBusy)
            #expect(response.headers[.retryAfter] != nil)
        }
    }

    @Test("Those who watch rooms where nobody shares keep nobody from sharing")
    func watchedRooms() async throws {
        try await Bench.run {
            $0.maxRooms = 3
        } _: { bench in
            var channels: [EventChannel] = []
            for number in 1...3 { channels.append(try await bench.routes.store.watch(try #require(RoomName("x\(number)")))) }
            try await bench.send(.get, "/v1/rooms/x4/events").problem(.serverBusy)
            _ = try await bench.share("room")
            for channel in channels { await channel.close() }
        }
    }

    @Test("Events are kept until they are seen, and come again in a new stream from where it says it was")
    func replay() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let joins = (0..<3).map { _ in Task { try await bench.join() } }
            let first = try await sharer.listen()
            let numbers = [await first.next()?.id, await first.next()?.id, await first.next()?.id]
            #expect(numbers == [1, 2, 3])
            let second = try await sharer.listen()
            #expect(await first.next() == nil, "a new stream ends the old one")
            #expect(await second.next()?.id == 1)
            let third = try await sharer.listen(after: 2)
            #expect(await third.next()?.id == 3)
            #expect(try await sharer.say(seen: 3).status == .noContent)
            let fourth = try await sharer.listen()
            for join in joins { join.cancel() }
            #expect(await fourth.next()?.name == "left")
        }
    }

    @Test("A share that is made anew numbers its events anew and says so, also once that receipt got lost")
    func epochs() async throws {
        try await Bench.run { bench in
            let first = try await bench.share()
            let resume = #"{"resume":{"shareId":"\#(first.receipt.shareId.text)","secret":"\#(first.secret)"}}"#
            let resumed = try await bench.share("demo", resume).receipt
            #expect(resumed.resumed && resumed.epoch != nil && resumed.epoch == first.receipt.epoch)
            bench.clock.advance(by: .seconds(31))
            await bench.routes.store.sweep()
            let lost = try await bench.share("demo", resume).receipt
            let next = try await bench.share("demo", resume).receipt
            #expect(!lost.resumed && next.resumed && next.shareId == first.receipt.shareId)
            #expect(next.epoch != nil && next.epoch == lost.epoch && next.epoch != first.receipt.epoch)
        }
    }

    @Test("What a sharer has seen of a share before this one acknowledges nothing of this one")
    func formerEpoch() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let join = Task { try await bench.join() }
            let events = try await sharer.listen()
            #expect(await events.next()?.id == 1)
            let former = try #require(RandomID("0123456789abcdef0123456789abcdef"))
            #expect(try await sharer.say(seen: 500, epoch: former).status == .noContent)
            let kept = await bench.routes.store.rooms[.demo]?.share?.outbox.events.count
            #expect(kept == 1)
            #expect(try await sharer.say(seen: 1, epoch: sharer.receipt.epoch).status == .noContent)
            let left = await bench.routes.store.rooms[.demo]?.share?.outbox.events.count
            #expect(left == 0)
            join.cancel()
        }
    }

    @Test("A stream that outlives its share neither ends the stream of the one made anew, nor acknowledges for it")
    func formerStream() async throws {
        try await Bench.run { bench in
            let first = try await bench.share()
            let address = ShareAddress(room: .demo, id: first.receipt.shareId, secret: first.receipt.secret)
            let former = try await bench.routes.store.listen(address, after: nil)
            bench.clock.advance(by: .seconds(31))
            await bench.routes.store.sweep()
            let session = "00112233445566778899aabbccddeeff"
            let sharer = try await bench.share(
                "demo",
                #"{"resume":{"shareId":"\#(first.receipt.shareId.text)","secret":"\#(first.secret)"},"sessions":["#
                    + #"{"sessionId":"\#(session)","etag":"abc","ufrag":"EsAw"}]}"#)
            #expect(!sharer.receipt.resumed && sharer.receipt.shareId == first.receipt.shareId)
            func trickle() async throws {
                let patch = try await bench.send(
                    .patch, "/v1/rooms/demo/whep/\(session)", type: "application/trickle-ice-sdpfrag",
                    fields: [.ifMatch: "\"abc\""], body: SDPSamples.trickle)
                #expect(patch.status == .noContent)
            }
            try await trickle()
            await former.wrote(ServerSentEvent(id: 1, name: "candidates", data: "{}"))
            #expect(try await sharer.say(seen: 1).status == .noContent)
            let kept = await bench.routes.store.rooms[.demo]?.share?.outbox.events.count
            try #require(kept == 1, "it was not sent it")
            let events = try await sharer.listen()
            #expect(await events.next()?.id == 1)
            await former.close()
            try await trickle()
            #expect(await events.next()?.id == 2)
        }
    }

    @Test("What was not written to the sharer is kept, and bounded, whatever it says it has seen")
    func unreadEvents() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let room = try #require(RoomName("demo"))
            let (path, tag) = try await bench.joined(sharer)
            let address = ShareAddress(room: room, id: sharer.receipt.shareId, secret: sharer.receipt.secret)
            // A stream that nobody reads.
            let channel = try await bench.routes.store.listen(address, after: nil)
            let fragment = SDPSamples.trickle + String(repeating: "a=x:\(String(repeating: "y", count: 990))\r\n", count: 60)
            var refused = 0
            for _ in 0..<80 {
                bench.clock.advance(by: .milliseconds(500))
                _ = try await sharer.say(seen: .max)
                let patched = try await bench.send(
                    .patch, path, type: "application/trickle-ice-sdpfrag", fields: [.ifMatch: tag], body: fragment)
                if patched.status == .tooManyRequests { refused += 1 }
            }
            #expect(refused > 20, "two megabytes, and no more")
            await channel.close()
            let reader = try await sharer.listen(after: .max)
            #expect(try await reader.next(SessionCandidates.self).fragment == fragment, "all of it is still there")
        }
    }

    @Test("A sharer forgotten after 30 s leaves an empty room behind")
    func forgotten() async throws {
        try await Bench.run { bench in
            _ = try await bench.share()
            bench.clock.advance(by: .seconds(31))
            await bench.routes.store.sweep()
            #expect(await bench.routes.store.rooms.isEmpty)
            try await bench.join().problem(.noSharer)
        }
    }
}

extension TestResponse {
    /// The problem, also where the body is left out because the request was a HEAD.
    func problem(at type: ProblemType, _ location: SourceLocation = #_sourceLocation) {
        #expect(status.code == type.status, sourceLocation: location)
        #expect(headers[.contentType] == Problem.mediaType, sourceLocation: location)
        guard body.readableBytes > 0 else { return }
        problem(type, at: location)
    }
}
