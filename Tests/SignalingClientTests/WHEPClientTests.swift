import NIOConcurrencyHelpers
import SignalingProtocol
import Testing

@testable import SignalingClient

@Suite("The WHEP client and foreign servers", .timeLimit(.minutes(1)))
struct WHEPClientTests {
    private static let sdp = ["Content-Type": "application/sdp", "Location": "/sessions/1", "ETag": "\"a\""]

    private func join(
        token: String? = nil, path: String = "/whep", _ script: @escaping ScriptedServer.Script,
        _ test: @escaping @Sendable (ScriptedServer, Result<WHEPClient.Outcome, SignalingError>) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(script) { server in
            let client = try WHEPClient(
                endpoint: "http://127.0.0.1:\(server.port)\(path)", token: token.flatMap { BearerToken($0) })
            let result: Result<WHEPClient.Outcome, SignalingError>
            do throws(SignalingError) {
                result = .success(try await client.join(offer: Samples.offer))
            } catch {
                result = .failure(error)
            }
            try await test(server, result)
        }
    }

    private func failure(
        _ status: Int, _ fields: [String: String] = [:], _ body: String = ""
    ) async throws -> SignalingError {
        let found = Found<SignalingError>()
        try await join { _ in
            ScriptedServer.answer(status, fields, body)
        } _: { _, result in
            if case .failure(let error) = result { await found.set(error) }
        }
        return try #require(await found.value)
    }

    @Test("A server with a relative Location and without an ETag: no trickle is wanted, DELETE goes to the session")
    func relativeLocation() async throws {
        try await join(token: "sesame", path: "/live/whep?x=1") { exchange in
            exchange.line.hasPrefix("POST")
                ? ScriptedServer.answer(
                    201, ["Content-Type": "application/sdp", "Location": "session/7"], Samples.answer)
                : ScriptedServer.answer(200)
        } _: { server, result in
            guard case .success(.answered(let session, let sdp)) = result else { Issue.record("\(result)"); return }
            #expect(sdp == Samples.answer)
            #expect(await !session.takesCandidates)
            try await session.leave()
            let requests = server.requests
            #expect(requests.map(\.line) == ["POST /live/whep?x=1 HTTP/1.1", "DELETE /live/session/7 HTTP/1.1"])
            #expect(requests[0].field("Content-Type") == "application/sdp")
            #expect(requests[0].body == Samples.offer)
            #expect(requests.allSatisfy { $0.field("Authorization") == "Bearer sesame" })
        }
    }

    @Test("Candidates carry the session's tag; a restart carries an asterisk and brings a new tag, once it is followed")
    func patches() async throws {
        try await join { exchange in
            if exchange.line.hasPrefix("POST") { return ScriptedServer.answer(201, Self.sdp, Samples.answer) }
            guard exchange.field("If-Match") == "*" else { return ScriptedServer.answer(204) }
            return ScriptedServer.answer(
                200, ["ETag": "\"b\"", "Content-Type": "application/trickle-ice-sdpfrag"], Samples.restartReply)
        } _: { server, result in
            guard case .success(.answered(let session, _)) = result else { Issue.record("\(result)"); return }
            try await session.trickle(Samples.trickle)
            let restarted = try await session.restart(Samples.restart)
            #expect(restarted.fragment == Samples.restartReply)
            try await session.trickle(Samples.trickle)
            await session.follow(restarted)
            try await session.trickle(Samples.trickle)
            let patches = server.requests.dropFirst()
            #expect(patches.map { $0.field("If-Match") } == ["\"a\"", "*", "\"a\"", "\"b\""])
            #expect(patches.allSatisfy { $0.field("Content-Type") == "application/trickle-ice-sdpfrag" })
        }
    }

    @Test("307 and 308 are followed with the method and the body, and with the token at the same origin")
    func redirects() async throws {
        try await join(token: "sesame") { exchange in
            switch exchange.line.split(separator: " ")[1] {
            case "/whep": ScriptedServer.answer(308, ["Location": "/moved"])
            case "/moved": ScriptedServer.answer(307, ["Location": "//127.0.0.1:\(exchange.port)/far"])
            default: ScriptedServer.answer(201, Self.sdp, Samples.answer)
            }
        } _: { server, result in
            guard case .success(.answered(let session, _)) = result else { Issue.record("\(result)"); return }
            try? await session.leave()
            let lines = ["POST /whep", "POST /moved", "POST /far", "DELETE /sessions/1"].map { "\($0) HTTP/1.1" }
            #expect(server.requests.map(\.line) == lines)
            #expect(server.requests.allSatisfy { $0.field("Authorization") == "Bearer sesame" })
            #expect(server.requests[2].body == Samples.offer)
        }
    }

    @Test("What listens at another port of this machine is sent nothing at a server's word: no offer, no goodbye, no token")
    func otherServices() async throws {
        try await ScriptedServer.run { _ in
            ScriptedServer.answer(201, Self.sdp, Samples.answer)
        } _: { other in
            let service = "http://127.0.0.1:\(other.port)"
            let fields = Self.sdp.merging(["Location": "\(service)/_all"]) { $1 }
            let answers: [(String, SignalingError)] = [
                (ScriptedServer.answer(307, fields), .elsewhere(service)), (ScriptedServer.answer(308, fields), .elsewhere(service)),
                (ScriptedServer.answer(201, fields, "v=0\r\n"), .unreadable("answer")),
                (ScriptedServer.answer(201, fields, Samples.answer), .unreadable("session address")),
                (ScriptedServer.answer(406, fields, Samples.answer), .unreadable("session address")),
            ]
            for (answer, expected) in answers {
                try await join(token: "sesame") { _ in
                    answer
                } _: { _, result in
                    guard case .failure(let error) = result else { Issue.record("\(result)"); return }
                    #expect(error == expected)
                }
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test("A token that is refused with 401 is not taken for one that is missing")
    func refusedToken() async throws {
        for (token, expected) in [("sesame", SignalingError.forbidden(words: "the token is not accepted")), (nil, .tokenRequired)] {
            try await join(token: token) { _ in
                ScriptedServer.answer(401)
            } _: { _, result in
                guard case .failure(let error) = result else { Issue.record("\(result)"); return }
                #expect(error == expected)
            }
        }
    }

    @Test("A redirection without end is given up, and 301, 302 and 303 are no redirections for an offer")
    func redirectLoop() async throws {
        #expect(try await failure(307, ["Location": "/whep"]) == .refused(status: 307, words: "redirected too often"))
        #expect(try await failure(307) == .unreadable("redirection"))
        #expect(try await failure(307, ["Location": "ftp://x/"]) == .unreadable("redirection"))
        for status in [301, 302, 303] {
            #expect(
                try await failure(status, ["Location": "/x"]) == .refused(status: status, words: "status \(status)"))
        }
    }

    @Test("What the room says to this viewer is followed where the answer names it, again after a break, until it is gone")
    func monitor() async throws {
        let state = #"{"room":"demo","state":"live","viewers":1,"tokenRequired":false,"path":"narrow"}"#
        let stream = ["Content-Type": "text/event-stream"]
        let streams = NIOLockedValueBox(0)
        try await join(token: "sesame") { exchange in
            if exchange.line.hasPrefix("POST") {
                let link = ["Link": "</rooms/demo/events?session=1>; rel=\"monitor\""]
                return ScriptedServer.answer(201, Self.sdp.merging(link) { $1 }, Samples.answer)
            }
            let count = streams.withLockedValue { $0 += 1; return $0 }
            return count == 1
                ? ScriptedServer.answer(200, stream, ": hello\n\nevent: state\ndata: \(state)\n\n")
                : ScriptedServer.answer(404)
        } _: { server, result in
            guard case .success(.answered(let session, _)) = result else { Issue.record("\(result)"); return }
            let told = NIOLockedValueBox<[RoomState.Path?]>([])
            await session.followRoom { room in told.withLockedValue { $0.append(room.path) } }
            #expect(told.withLockedValue(\.self) == [.narrow])
            let asked = server.requests.dropFirst()
            #expect(asked.map(\.line) == Array(repeating: "GET /rooms/demo/events?session=1 HTTP/1.1", count: 2))
            #expect(asked.allSatisfy { $0.field("Authorization") == nil })
        }
    }

    @Test("What a later server says of the room is told as far as its words are known")
    func laterWords() async throws {
        let state = #"{"room":"demo","state":"interrupted","viewers":1,"tokenRequired":false,"path":"narrow","audio":"spoken"}"#
        let streams = NIOLockedValueBox(0)
        try await join { exchange in
            if exchange.line.hasPrefix("POST") {
                let link = ["Link": "</events>; rel=\"monitor\""]
                return ScriptedServer.answer(201, Self.sdp.merging(link) { $1 }, Samples.answer)
            }
            let count = streams.withLockedValue { $0 += 1; return $0 }
            if count > 1 { return ScriptedServer.answer(404) }
            return ScriptedServer.answer(200, ["Content-Type": "text/event-stream"], "event: state\ndata: \(state)\n\n")
        } _: { _, result in
            guard case .success(.answered(let session, _)) = result else { Issue.record("\(result)"); return }
            let told = NIOLockedValueBox<[RoomState]>([])
            await session.followRoom { room in told.withLockedValue { $0.append(room) } }
            let rooms = told.withLockedValue(\.self)
            #expect(rooms.map(\.state) == [.paused] && rooms.map(\.path) == [.narrow])
        }
    }

    @Test("Where the answer names no stream, or one at another server, nobody is asked", arguments: [
        nil, "<http://127.0.0.1:1/events>; rel=\"monitor\"", "</events>; rel=\"other\"",
        "<http://127.0.0.1:99999/events>; rel=\"monitor\"",
    ])
    func noMonitor(link: String?) async throws {
        try await join { _ in
            ScriptedServer.answer(201, Self.sdp.merging(link.map { ["Link": $0] } ?? [:]) { $1 }, Samples.answer)
        } _: { server, result in
            guard case .success(.answered(let session, _)) = result else { Issue.record("\(result)"); return }
            await session.followRoom { _ in Issue.record("a state from nowhere") }
            #expect(server.requests.count == 1)
        }
    }

    @Test("A counter-offer is handed on, and its answer goes to the session as SDP")
    func counterOffer() async throws {
        try await join { exchange in
            exchange.line.hasPrefix("POST")
                ? ScriptedServer.answer(406, Self.sdp, Samples.answer) : ScriptedServer.answer(204)
        } _: { server, result in
            guard case .success(.countered(let session, let sdp)) = result else { Issue.record("\(result)"); return }
            #expect(sdp == Samples.answer)
            try await session.answer(sdp: Samples.offer)
            let patch = try #require(server.requests.last)
            #expect(patch.line == "PATCH /sessions/1 HTTP/1.1")
            #expect(patch.field("Content-Type") == "application/sdp")
            #expect(patch.body == Samples.offer)
        }
        #expect(try await failure(406) == .refused(status: 406, words: "status 406"))
    }

    @Test("What a status means: come again, come with a token, or don't come again")
    func statuses() async throws {
        let problem = ["Content-Type": "application/problem+json", "Retry-After": "3"]
        let body = #"{"type":"about:blank","title":"Nobody is here.","status":409}"#
        #expect(
            try await failure(409, problem, body) == .notThereYet(retryAfter: .seconds(3), words: "Nobody is here."))
        for status in [409, 429, 503, 504] {
            #expect(try await failure(status) == .notThereYet(retryAfter: .seconds(2), words: "status \(status)"))
        }
        #expect(try await failure(401) == .tokenRequired)
        #expect(try await failure(403) == .forbidden(words: "status 403"))
        #expect(try await failure(404) == .gone)
        #expect(try await failure(410) == .gone)
        #expect(try await failure(412) == .stale)
        for status in [400, 418, 500, 599] {
            let error = try await failure(status)
            #expect(error == .refused(status: status, words: "status \(status)"))
            #expect(error.isTemporary == (status >= 500))
        }
    }

    @Test("An answer that isn't one is said to be unreadable")
    func garbage() async throws {
        #expect(try await failure(201, Self.sdp, "hello") == .unreadable("answer"))
        #expect(try await failure(201, Self.sdp, "") == .unreadable("answer"))
        #expect(
            try await failure(201, ["Content-Type": "application/sdp"], Samples.answer)
                == .unreadable("session address"))
        #expect(
            try await failure(
                201, ["Content-Type": "application/sdp", "Location": "file:///etc/passwd"], Samples.answer)
                == .unreadable("session address"))
        let large = Samples.answer + String(repeating: "a=x\r\n", count: 60_000)
        #expect(try await failure(201, Self.sdp, large) == .unreadable("answer"))
    }

    @Test("A redirection or a session at an address that can't be is unreadable", arguments: unusableAddresses)
    func unusableLocation(address: String) async throws {
        let fields = Self.sdp.merging(["Location": address + "/x"]) { $1 }
        for status in [307, 308] { #expect(try await failure(status, fields) == .unreadable("redirection")) }
        for status in [201, 406] {
            #expect(try await failure(status, fields, Samples.answer) == .unreadable("session address"))
        }
    }

    @Test("A session whose answer breaks off or can't be read is left: nobody else knows of it", arguments: [201, 406])
    func unreadAnswer(status: Int) async throws {
        let head = "HTTP/1.1 \(status) x\r\n" + Self.sdp.map { "\($0.key): \($0.value)\r\n" }.joined()
        let large = Samples.answer + String(repeating: "a=x\r\n", count: 60_000)
        let answers: [(String, SignalingError)] = [
            (ScriptedServer.answer(status, Self.sdp, "hello"), .unreadable("answer")),
            (ScriptedServer.answer(status, Self.sdp, large), .unreadable("answer")),
            // No chunk begins so.
            (head + "Transfer-Encoding: chunked\r\n\r\n5\r\nv=0\r\n\r\nzero\r\n", .unreachable(.brokenOff)),
        ]
        for (answer, expected) in answers {
            try await join(token: "sesame") { exchange in
                exchange.line.hasPrefix("POST") ? answer : ScriptedServer.answer(200)
            } _: { server, result in
                guard case .failure(let error) = result else { Issue.record("\(result)"); return }
                #expect(error == expected)
                #expect(server.requests.map(\.line) == ["POST /whep HTTP/1.1", "DELETE /sessions/1 HTTP/1.1"])
                #expect(server.requests.allSatisfy { $0.field("Authorization") == "Bearer sesame" })
            }
        }
    }

    @Test("A server that isn't there, and one that breaks off, are said so")
    func unreachable() async throws {
        let port = Found<Int>()
        try await ScriptedServer.run { _ in
            nil
        } _: {
            await port.set($0.port)
        }
        let client = try WHEPClient(endpoint: "http://127.0.0.1:\(try #require(await port.value))/whep")
        await #expect(throws: SignalingError.unreachable(.connectionRefused)) {
            _ = try await client.join(offer: Samples.offer)
        }
        try await join { _ in
            "HTTP/1.1 banana\r\n\r\n"
        } _: { _, result in
            guard case .failure(.unreachable(.brokenOff)) = result else { Issue.record("\(result)"); return }
        }
        let unknown = try WHEPClient(endpoint: "http://nowhere.invalid/whep")
        await #expect(throws: SignalingError.unreachable(.unknownHost)) {
            _ = try await unknown.join(offer: Samples.offer)
        }
    }

    @Test("A join that is cancelled ends at once")
    func cancelled() async throws {
        try await ScriptedServer.run { _ in
            nil
        } _: { server in
            let client = try WHEPClient(endpoint: "http://127.0.0.1:\(server.port)/whep")
            let join = Task { () -> SignalingError? in
                do throws(SignalingError) {
                    _ = try await client.join(offer: Samples.offer)
                    return nil
                } catch {
                    return error
                }
            }
            while server.requests.isEmpty { await Task.yield() }
            join.cancel()
            #expect(await join.value == .cancelled)
        }
    }

    @Test("A join takes no longer than it may, redirections included")
    func limited() async throws {
        try await ScriptedServer.run { exchange in
            exchange.line.contains("/whep") ? ScriptedServer.answer(307, ["Location": "/moved"]) : nil
        } _: { server in
            let client = try WHEPClient(endpoint: "http://127.0.0.1:\(server.port)/whep")
            await #expect(throws: SignalingError.unreachable(.timeout)) {
                _ = try await client.join(offer: Samples.offer, within: .milliseconds(200))
            }
        }
    }

    @Test("What is no address of an endpoint is refused", arguments: ["", "demo", "ftp://x/whep", "http://", "/whep"])
    func addresses(_ text: String) {
        #expect(throws: SignalingError.badAddress(text)) { try WHEPClient(endpoint: text) }
    }
}

/// A value one task leaves for another.
actor Found<Value: Sendable> {
    private(set) var value: Value?

    func set(_ value: Value) {
        self.value = value
    }
}
