import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Strangers who take places", .timeLimit(.minutes(1)))
struct CrowdTests {
    @Test("Offers that nobody answers in one room keep nobody out of another: the one that waits longest makes place")
    func pendingElsewhere() async throws {
        try await Bench.run { $0.maxPendingSessions = 4 } _: { bench in
            let silent = try await bench.share("silent")
            let events = try await silent.listen()
            let sharer = try await bench.share()
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                var waiting: [RandomID] = []
                for _ in 0..<4 {
                    group.addTask { try await bench.join("silent") }
                    waiting.append(try await events.next(SessionOffer.self).sessionId)
                    bench.clock.advance(by: .milliseconds(1))
                }
                try await bench.join("silent").problem(.serverBusy)
                _ = try await bench.joined(sharer)
                try await group.next()?.problem(.serverBusy)
                #expect(try await events.next(SessionLeft.self).sessionId == waiting[0])
                #expect(await bench.routes.store.rooms[RoomName("silent") ?? .demo]?.share?.pendingSessions == 3)
                group.cancelAll()
            }
        }
    }

    @Test("A page of another site opens no stream of a room's events, though its request names no origin")
    func foreignStreams() async throws {
        let player = "https://player.example.org"
        let foreign: [HTTPFields] = [
            [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.origin: "http://evil.example"],
        ]
        for fields in foreign {
            try await Bench.run { bench in
                try await bench.send(.get, "/v1/rooms/demo/events", fields: fields).problem(.originNotAllowed)
                #expect(try await bench.send(.get, "/v1/rooms/demo", fields: fields).status == .ok, "which takes no place")
            }
        }
        let ours: [HTTPFields] = [[:], [.secFetchSite: "same-origin"], [.origin: player, .secFetchSite: "cross-site"]]
        for fields in ours {
            try await Bench.run { $0.allowedOrigins = [player] } _: { bench in
                async let stream = bench.send(.get, "/v1/rooms/demo/events", fields: fields)
                await bench.clock.sleeper(for: Timing().watchHeartbeat)
                await bench.routes.stop()
                let status = try await stream.status
                #expect(status == .ok)
            }
        }
    }

    @Test("Streams of those who watch nothing keep no viewer's out: the oldest ends. A session has one, its newest")
    func strangersStreams() async throws {
        try await Bench.run { bench in
            let store = bench.routes.store
            let sharer = try await bench.share()
            let path = try await bench.joined(sharer).path
            let session = try #require(path.split(separator: "/").last.flatMap { RandomID(String($0)) })
            let elsewhere = try #require(RoomName("elsewhere"))
            let oldest = EventReader(try await store.watch(elsewhere))
            let own = EventReader(try await store.watch(.demo, as: session))
            var strangers: [EventReader] = []
            for _ in 2..<ServerLimits.watchers { strangers.append(EventReader(try await store.watch(.demo))) }
            #expect(strangers.count == ServerLimits.watchers - 2)
            await #expect(throws: ProblemError.self) { try await store.watch(.demo) }
            await #expect(throws: ProblemError.self) { try await store.watch(elsewhere, as: session) }
            func count() async -> Int { await store.rooms.values.reduce(0) { $0 + $1.watchers.count } }

            let again = EventReader(try await store.watch(.demo, as: session))
            #expect(try await own.next(RoomState.self).state == .live)
            #expect(await own.next() == nil)
            #expect(try await oldest.next(RoomState.self).state == .waiting)
            let other = try await bench.joined(sharer).path
            let second = try #require(other.split(separator: "/").last.flatMap { RandomID(String($0)) })
            let seen = EventReader(try await store.watch(.demo, as: second))
            #expect(await oldest.next() == nil)
            #expect(await count() == ServerLimits.watchers)
            for reader in [again, seen] { #expect(try await reader.next(RoomState.self).state == .live) }
        }
    }

    @Test("Connections that bring no request keep nobody out")
    func halfRequests() async throws {
        try await LiveServer.run {
            $0.maxConnections = 16
            $0.timing.header = .seconds(600)
        } _: { live in
            try await Self.hold(live, 16) {
                for _ in 0..<3 {
                    let status = try await live.send("GET", "/healthz").status
                    #expect(status == 200)
                }
            }
        }
    }

    /// Opens so many connections, one after the other, each with half of a header.
    private static func hold(_ live: LiveServer, _ count: Int, _ then: @escaping @Sendable () async throws -> Void) async throws {
        if count == 0 { return try await then() }
        try await live.connection { _, outbound in
            try? await outbound.write(ByteBuffer(string: "GET /r/demo HTTP/1.1\r\nHost: localhost\r\n"))
            try await hold(live, count - 1, then)
        }
    }

    @Test("The oldest connection without a request makes place; what is being answered, or was just now, stays")
    func places() throws {
        let (loop, places) = (EmbeddedEventLoop(), ConnectionPlaces(limit: 8))
        func connect() throws -> EmbeddedChannel {
            let handler = ConnectionGuard(deadline: .seconds(10), readingDeadline: .seconds(20), places: places)
            let channel = EmbeddedChannel(handler: handler, loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            loop.run()
            return channel
        }
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        var channels = try (0..<7).map { _ in try connect() }
        for part in [HTTPRequestPart.head(head), .end(nil)] { try channels[0].writeInbound(part) }
        try channels[1].writeInbound(HTTPRequestPart.head(head))
        #expect(channels.allSatisfy { $0.isActive }, "there is a place for one more")
        for index in 1...2 {
            channels.append(try connect())
            #expect(channels.indices.filter { !channels[$0].isActive } == Array(1...index))
        }
        for part in [HTTPResponsePart.head(HTTPResponse(status: .ok)), .end(nil)] { try channels[0].writeOutbound(part) }
        for _ in 0..<5 { channels.append(try connect()) }
        #expect(channels[0].isActive && !channels[1...7].contains(where: \.isActive))
        channels.append(try connect())
        channels.append(try connect())
        #expect(!channels[0].isActive)
        for channel in channels { _ = try? channel.finish() }
        loop.run()
        let later = try (0..<7).map { _ in try connect() }
        #expect(later.allSatisfy { $0.isActive }, "who has gone takes no place")
        for channel in later { _ = try? channel.finish() }
    }

    @Test("No number of connections is too small to be asked for", arguments: [1, 0, -1, .min])
    func smallLimits(limit: Int) throws {
        let (loop, places) = (EmbeddedEventLoop(), ConnectionPlaces(limit: limit))
        let channels = [EmbeddedChannel(loop: loop), EmbeddedChannel(loop: loop)]
        for channel in channels {
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            places.come(channel)
        }
        loop.run()
        #expect(channels.map(\.isActive) == [false, true])
        for channel in channels { _ = try? channel.finish() }
    }
}
