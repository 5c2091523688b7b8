import Glibc
import Logging
import NIOHTTP1
import SignalingProtocol
import SignalingServer
import Testing

@testable import SignalingClient

@Suite("Sharer and viewer over a real server", .timeLimit(.minutes(1)))
struct SharerClientTests {
    private func withServer(
        _ configure: (inout SignalingConfiguration) -> Void = { _ in }, _ test: (Int) async throws -> Void
    ) async throws {
        let server = try await RunningServer.start(configure)
        do {
            try await test(server.port)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func makeSharer(
        _ port: Int, room: String = "demo", viewerToken: String? = nil, sharerToken: String? = nil
    ) throws -> SharerClient {
        let configuration = SharerClient.Configuration(
            server: try ServerAddress("http://127.0.0.1:\(port)"), room: try #require(RoomName(room)),
            name: DisplayName("Ada's screen"), viewerToken: viewerToken.flatMap { BearerToken($0) },
            sharerToken: sharerToken.flatMap { BearerToken($0) })
        return SharerClient(configuration, logger: .silent)
    }

    private func makeViewer(_ port: Int, token: String? = nil) throws -> WHEPClient {
        try WHEPClient(
            endpoint: "http://127.0.0.1:\(port)/v1/rooms/demo/whep", token: token.flatMap { BearerToken($0) })
    }

    @Test("Offer, answer, candidates, ICE restart and goodbye go through, in order")
    func wholeLife() async throws {
        try await withServer { port in
            let sharer = try makeSharer(port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            #expect(await events.next() == .connected(resumed: false))

            async let joining = makeViewer(port).join(offer: Samples.offer)
            guard case .offer(let id, let sdp) = await events.next() else { Issue.record("no offer"); return }
            #expect(sdp == Samples.offer)
            try await sharer.answer(id, sdp: Samples.answer)
            guard case .answered(let session, let answer) = try await joining else { Issue.record("no answer"); return }
            #expect(answer == Samples.answer)

            try await session.trickle(Samples.trickle)
            #expect(await events.next() == .candidates(session: id, fragment: Samples.trickle))

            async let restarting = session.restart(Samples.restart)
            guard case .restart(id, Samples.restart, let tag) = await events.next() else {
                Issue.record("no restart")
                return
            }
            try await sharer.answerRestart(id, tag: tag, fragment: Samples.restartReply)
            let restarted = try await restarting
            #expect(restarted.fragment == Samples.restartReply)
            await session.follow(restarted)
            try await session.trickle(Samples.restart)
            #expect(await events.next() == .candidates(session: id, fragment: Samples.restart))

            try await session.leave()
            #expect(await events.next() == .left(session: id))
            try await session.leave()
            await sharer.end()
            await running.value
            #expect(await events.next() == nil)
            await #expect(throws: SignalingError.self) { _ = try await makeViewer(port).join(offer: Samples.offer) }
        }
    }

    @Test("A counter-offer and its answer go through; a refusal comes out as what it is")
    func refusals() async throws {
        try await withServer { port in
            let sharer = try makeSharer(port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            _ = await events.next()
            async let joining = makeViewer(port).join(offer: Samples.offer)
            guard case .offer(let id, _) = await events.next() else { Issue.record("no offer"); return }
            try await sharer.refuse(id, Refusal(.unsupported, counterOffer: Samples.answer))
            guard case .countered(let session, Samples.answer) = try await joining else {
                Issue.record("no counter-offer")
                return
            }
            try await session.answer(sdp: Samples.offer)
            #expect(await events.next() == .counterAnswer(session: id, sdp: Samples.offer))

            let second = Task { try await makeViewer(port).join(offer: Samples.offer) }
            guard case .offer(let other, _) = await events.next() else { Issue.record("no offer"); return }
            try await sharer.refuse(other, Refusal(.busy, detail: "Not now."))
            await #expect(throws: SignalingError.notThereYet(retryAfter: .seconds(1), words: "Not now.")) {
                _ = try await second.value
            }
            running.cancel()
            await running.value
        }
    }

    @Test("A viewer without a sharer, without a token, with a wrong one: each in its own words")
    func viewerErrors() async throws {
        try await withServer { port in
            await #expect(
                throws: SignalingError.notThereYet(retryAfter: .seconds(2), words: "Nobody is sharing in this room.")
            ) { _ = try await makeViewer(port).join(offer: Samples.offer) }
            let sharer = try makeSharer(port, viewerToken: "sesame")
            try await sharer.connect()
            await #expect(throws: SignalingError.tokenRequired) {
                _ = try await makeViewer(port).join(offer: Samples.offer)
            }
            await #expect(throws: SignalingError.forbidden(words: "The token is not the right one.")) {
                _ = try await makeViewer(port, token: "x").join(offer: Samples.offer)
            }
            await sharer.end()
        }
    }

    @Test("A taken room, a missing and a wrong sharer token are known at the start")
    func connectErrors() async throws {
        try await withServer { configuration in
            configuration.policy = {
                $0.description == "guarded" ? RoomPolicy(sharerToken: BearerToken("sesame")) : .open
            }
        } _: { port in
            let first = try makeSharer(port)
            try await first.connect()
            let second = try makeSharer(port)
            let taken = await #expect(throws: SignalingError.self) { try await second.connect() }
            #expect(taken?.description == "somebody else is sharing in this room")
            #expect(taken.map { $0.retryAfter > .zero && $0.retryAfter <= .seconds(5) } == true)
            let without = try makeSharer(port, room: "guarded")
            await #expect(throws: SignalingError.tokenRequired) { try await without.connect() }
            let wrong = try makeSharer(port, room: "guarded", sharerToken: "x")
            await #expect(throws: SignalingError.forbidden(words: "The token is not the right one.")) {
                try await wrong.connect()
            }
            try await makeSharer(port, room: "guarded", sharerToken: "sesame").connect()
        }
    }

    @Test("Nothing listens: known at once, and whether a server answers can be asked")
    func nobodyListens() async throws {
        let server = try await RunningServer.start()
        #expect(try await ServerAddress("http://127.0.0.1:\(server.port)").answers())
        try await server.stop()
        let taken = try TakenPort()
        let sharer = try makeSharer(taken.port)
        await #expect(throws: SignalingError.unreachable(.connectionRefused)) { try await sharer.connect() }
        #expect(try await !ServerAddress("http://127.0.0.1:\(taken.port)").answers())
    }

    @Test("A server that is restarted is found again: same share, and the running session goes on working")
    func serverRestart() async throws {
        // Another program may take the port in between, but not three times.
        for round in 1...3 {
            do {
                return try await restart()
            } catch SignalingServerError.addressInUse where round < 3 {}
        }
    }

    private func restart() async throws {
        let first = try await RunningServer.start()
        let sharer = try makeSharer(first.port)
        let running = Task { await sharer.run() }
        defer { running.cancel() }
        var events = sharer.events.makeAsyncIterator()
        #expect(await events.next() == .connected(resumed: false))
        async let joining = makeViewer(first.port).join(offer: Samples.offer)
        guard case .offer(let id, _) = await events.next() else { Issue.record("no offer"); return }
        try await sharer.answer(id, sdp: Samples.answer)
        guard case .answered(let session, _) = try await joining else { Issue.record("no answer"); return }
        let share = await sharer.credentials

        try await first.stop()
        guard case .disconnected = await events.next() else { Issue.record("not noticed"); return }
        let second = try await RunningServer.start { $0.port = first.port }
        var event = await events.next()
        while case .disconnected = event { event = await events.next() }
        #expect(event == .connected(resumed: false))
        #expect(await sharer.credentials == share)
        try await session.trickle(Samples.trickle)
        #expect(await events.next() == .candidates(session: id, fragment: Samples.trickle))
        try await session.leave()
        #expect(await events.next() == .left(session: id))
        await sharer.end()
        await running.value
        try await second.stop()
    }

    @Test("What the sharer says of itself is what the room shows")
    func state() async throws {
        try await withServer { port in
            let sharer = try makeSharer(port)
            try await sharer.connect()
            let running = Task { await sharer.run() }
            await sharer.update(.paused, viewers: 3)
            let room = try ServerAddress("http://127.0.0.1:\(port)").url("v1/rooms/demo")
            let reply = try await HTTPTransport.send(HTTPCall(.GET, room), within: .seconds(5))
            let state = try reply.message(RoomState.self, called: "state")
            #expect(state.state == .paused)
            #expect(state.viewers == 3)
            #expect(state.name == "Ada's screen")
            running.cancel()
            await running.value
        }
    }

    private static let receipt = """
        {"shareId":"0123456789abcdef0123456789abcdef","secret":"fedcba9876543210fedcba9876543210","resumed":true,\
        "eventsUrl":"/v1/rooms/demo/share/0123456789abcdef0123456789abcdef/events","heartbeatSeconds":0.2,\
        "silenceSeconds":5}
        """

    @Test("Where registering works and no stream opens, it is tried ever less often")
    func noStream() async throws {
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS": ScriptedServer.answer(201, ["Content-Type": "application/json"], Self.receipt)
            case "GET": ScriptedServer.answer(502)
            default: ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var pauses: [Duration] = []
            for await case .disconnected(_, let pause) in sharer.events {
                pauses.append(pause)
                if pauses.count == 3 { break }
            }
            running.cancel()
            await running.value
            #expect(pauses[2] >= .milliseconds(500), "\(pauses)")
        }
    }

    @Test("A stream that falls silent is left, and the next registration says who it was")
    func silence() async throws {
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS": ScriptedServer.answer(201, ["Content-Type": "application/json"], Self.receipt)
            case "GET":
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n:\n\r\n"
            default: ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            for _ in 0..<2 {
                #expect(await events.next() == .connected(resumed: true))
                guard case .disconnected(.unreachable(.silent), _) = await events.next() else {
                    Issue.record("silence wasn't noticed")
                    return
                }
            }
            running.cancel()
            await running.value
            let registrations = server.requests.filter { $0.line.hasPrefix("POST") }
            #expect(registrations.count >= 2)
            #expect(registrations[1].body.contains("0123456789abcdef0123456789abcdef"))
        }
    }

    @Test("Whatever pace a server asks for, it hears that the sharer is alive", arguments: ["1e30", "-5", "0"])
    func pace(heartbeat: String) async throws {
        let receipt = Self.receipt.replacing("\"heartbeatSeconds\":0.2", with: "\"heartbeatSeconds\":\(heartbeat)")
        #expect(receipt.contains(heartbeat))
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS": ScriptedServer.answer(201, ["Content-Type": "application/json"], receipt)
            case "GET":
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n:\n\r\n"
            // The second sign of life ends it.
            default: ScriptedServer.answer(exchange.body.contains("\"viewers\":1") ? 404 : 204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            #expect(await events.next() == .connected(resumed: true))
            await sharer.update(.live, viewers: 1)
            guard case .disconnected(.gone, _) = await events.next() else { Issue.record("no sign of life"); return }
            running.cancel()
            await running.value
            #expect(server.requests.contains { $0.line.hasPrefix("PUT") })
        }
    }

    @Test("A share that the server has forgotten is registered anew")
    func forgotten() async throws {
        try await ScriptedServer.run { exchange in
            exchange.line.hasPrefix("POS")
                ? ScriptedServer.answer(201, ["Content-Type": "application/json"], Self.receipt) : ScriptedServer.answer(404)
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            _ = await events.next()
            guard case .disconnected(.gone, _) = await events.next() else { Issue.record("404 wasn't noticed"); return }
            running.cancel()
            await running.value
        }
    }

    @Test("Events that come again after a broken stream are told once; events of no known kind are passed over")
    func replay() async throws {
        let receipt = """
            {"shareId":"0123456789abcdef0123456789abcdef","secret":"fedcba9876543210fedcba9876543210","resumed":true,\
            "eventsUrl":"/events","heartbeatSeconds":5,"silenceSeconds":5}
            """
        let left = #"{"sessionId":"00112233445566778899aabbccddeeff"}"#
        let stream =
            "id: 1\nevent: left\ndata: \(left)\n\n"
            + "id: 2\nevent: news\ndata: {}\n\nid: 3\nevent: left\ndata: nonsense\n\n"
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS": ScriptedServer.answer(201, ["Content-Type": "application/json"], receipt)
            case "GET": ScriptedServer.answer(200, ["Content-Type": "text/event-stream"], stream)
            default: ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var told = 0
            var connections = 0
            for await event in sharer.events {
                if case .left = event { told += 1 }
                if case .connected = event { connections += 1 }
                if connections == 3 { break }
            }
            running.cancel()
            await running.value
            #expect(told == 1)
            let streams = server.requests.filter { $0.line.hasPrefix("GET") }
            #expect(streams[0].field("Last-Event-ID") == nil)
            #expect(streams[1].field("Last-Event-ID") == "3" || streams[1].field("Last-Event-ID") == "1")
        }
    }
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// A server on a free port, or on one that was used before.
struct RunningServer: Sendable {
    let port: Int
    private let server: SignalingServer
    private let task: Task<Void, any Error>

    static func start(_ configure: (inout SignalingConfiguration) -> Void = { _ in }) async throws -> RunningServer {
        var configuration = SignalingConfiguration()
        configuration.port = 0
        configure(&configuration)
        let server = SignalingServer(configuration: configuration, logger: .silent)
        let task = Task { try await server.run() }
        return RunningServer(port: try await server.port, server: server, task: task)
    }

    func stop() async throws {
        await server.stop()
        try await task.value
    }
}

/// A port of this machine at which nobody listens, as long as this lives: a port that is only free may be another's by
/// the time it is asked for.
private final class TakenPort {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        try #require(result == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
