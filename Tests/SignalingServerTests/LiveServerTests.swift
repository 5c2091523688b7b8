import NIOCore
import NIOPosix
import SignalingProtocol
import NIOConcurrencyHelpers
import Testing

@testable import SignalingServer

@Suite("The server on loopback", .timeLimit(.minutes(2)))
struct LiveServerTests {
    @Test("A port of 0 is any free one; the port is known once the server listens; stop ends run()")
    func lifecycle() async throws {
        // Another program may take the port in between, but not three times.
        for round in 1...3 {
            do {
                return try await listenTwice()
            } catch SignalingServerError.addressInUse where round < 3 {}
        }
    }

    @Test("What comes to the loop just after the server's end is done, and not complained of")
    func stragglers() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let ending = SignalingServer.end(loops)
        #expect(try await loops.next().submit { 1 }.get() == 1)
        ending.cancel()
        await ending.value
    }

    /// The second time at the port of the first.
    private func listenTwice() async throws {
        let port = NIOLockedValueBox(0)
        try await LiveServer.run { live async throws in
            #expect(live.port > 0)
            port.withLockedValue { $0 = live.port }
            #expect(try await live.send("GET", "/healthz").status == 200)
        }
        let same = port.withLockedValue(\.self)
        try await LiveServer.run {
            $0.port = same
        } _: { live async throws in
            #expect(live.port == same)
            #expect(try await live.send("GET", "/healthz").status == 200)
        }
    }

    @Test("Cancelling run() ends the server, and whoever waits for its port is told")
    func cancelled() async throws {
        var configuration = SignalingConfiguration()
        configuration.port = 0
        let server = SignalingServer(configuration: configuration, logger: .silent)
        let running = Task { try await server.run() }
        #expect(try await server.port > 0)
        running.cancel()
        _ = await running.result
    }

    @Test("A port that is in use, and an address that isn't ours, are said in words")
    func cannotListen() async throws {
        try await LiveServer.run { live in
            var configuration = SignalingConfiguration()
            configuration.port = live.port
            let second = SignalingServer(configuration: configuration, logger: .silent)
            let expected = SignalingServerError.addressInUse(host: "127.0.0.1", port: live.port)
            await #expect(throws: expected) { try await second.run() }
            await #expect(throws: expected) { _ = try await second.port }

            configuration.host = "192.0.2.1"
            let third = SignalingServer(configuration: configuration, logger: .silent)
            await #expect(throws: SignalingServerError.self) { try await third.run() }
        }
    }

    @Test("A host that is no name is said in the system's words alone")
    func unknownHost() async throws {
        var configuration = SignalingConfiguration()
        // An empty label: no name server is asked for it.
        configuration.host = "a..b"
        configuration.port = 0
        let server = SignalingServer(configuration: configuration, logger: .silent)
        let expected = SignalingServerError.cannotListen(host: "a..b", port: 0, reason: "Name or service not known")
        await #expect(throws: expected) { try await server.run() }
    }

    @Test("A port that no machine has is said in words", arguments: [-1, 65536, Int.max])
    func noSuchPort(port: Int) async throws {
        var configuration = SignalingConfiguration()
        configuration.port = port
        let server = SignalingServer(configuration: configuration, logger: .silent)
        let expected = SignalingServerError.cannotListen(host: "127.0.0.1", port: port, reason: "ports are 0 to 65535")
        await #expect(throws: expected) { try await server.run() }
    }

    @Test("A stop ends event streams and waiting offers, the latter with 503")
    func stopWhileBusy() async throws {
        let started = NIOLockedValueBox<[Task<RawResponse?, Never>]>([])
        let (pieces, heard) = AsyncStream.makeStream(of: Void.self)
        try await LiveServer.run { live in
            let sharer = try await live.share()
            let offer = live.request("POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer)
            let join = Task { try? RawResponse(await live.exchange([offer])) }
            let events = live.request("GET", "/v1/rooms/demo/events")
            let watch = Task { try? RawResponse(await live.exchange([events]) { heard.yield() }) }
            try await live.connection { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: live.request("GET", "\(sharer.path)/events", token: sharer.secret)))
                for try await piece in inbound where String(buffer: piece).contains("event: offer") { break }
            }
            // Both are under way: the stream has begun, and the offer was seen.
            for await _ in pieces { break }
            started.withLockedValue { $0 = [join, watch] }
        }
        let tasks = started.withLockedValue(\.self)
        #expect(await tasks[0].value?.problem == .serverBusy)
        #expect(await tasks[1].value?.fields["content-type"] == "text/event-stream")
    }

    @Test("A viewer joins, trickles, restarts and leaves over the wire")
    func whep() async throws {
        try await LiveServer.run { live in
            let sharer = try await live.share()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await live.answerAll(sharer) }
                let joined = try await live.send(
                    "POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer)
                #expect(joined.status == 201)
                #expect(joined.body == SDPSamples.answer)
                #expect(joined.fields["connection"] == "close")
                let path = try #require(joined.fields["location"])
                let tag = try #require(joined.fields["etag"])
                let trickled = try await live.send(
                    "PATCH", path, type: "application/trickle-ice-sdpfrag", fields: ["If-Match": tag],
                    body: SDPSamples.trickle)
                #expect(trickled.status == 204)
                #expect(trickled.fields["content-length"] == nil, "RFC 9110 § 8.6")
                let head = try await live.send("HEAD", path)
                #expect(head.status == 200)
                #expect(head.fields["etag"] == tag)
                #expect(try await live.send("DELETE", path).status == 200)
                #expect(try await live.send("DELETE", path).problem == .sessionNotFound)
                group.cancelAll()
            }
        }
    }

    @Test("A viewer that hangs up while it waits leaves no session: the sharer hears of it at once")
    func viewerHangsUp() async throws {
        try await LiveServer.run { live in
            let sharer = try await live.share()
            try await live.connection { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: live.request("GET", "\(sharer.path)/events", token: sharer.secret)))
                let joining = live.request(
                    "POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer)
                let viewer = Task {
                    try await live.connection { _, viewer in
                        try await viewer.write(ByteBuffer(string: joining))
                        try await Task.sleep(for: .seconds(60))
                    }
                }
                var text = ""
                for try await piece in inbound {
                    text += String(buffer: piece)
                    if text.contains("event: offer") { viewer.cancel() }
                    if text.contains("event: left") { break }
                }
                #expect(text.contains("event: left"))
            }
        }
    }

    @Test("An idle event stream is written into again and again")
    func heartbeats() async throws {
        try await LiveServer.run {
            $0.timing.shareHeartbeat = .milliseconds(20)
        } _: { live in
            let sharer = try await live.share()
            try await live.connection { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: live.request("GET", "\(sharer.path)/events", token: sharer.secret)))
                var beats = 0
                for try await piece in inbound {
                    beats += String(buffer: piece).split(separator: "\n").count { $0.last == ":" }
                    if beats >= 5 { break }
                }
                #expect(beats >= 5)
            }
        }
    }

    // MARK: What isn't HTTP as it should be

    @Test("A header or a body that takes too long to arrive: the connection ends, or the answer is 408")
    func slow() async throws {
        try await LiveServer.run {
            $0.timing.header = .milliseconds(100)
        } _: { live async throws in
            let header = Array(repeating: "X-Slow: 1\r\n", count: 20)
            #expect(try await live.exchange(["GET /healthz HTTP/1.1\r\n"] + header, pause: .milliseconds(50)) == "")
        }
        // A header in time may take a moment to be written.
        try await LiveServer.run {
            $0.timing.body = .milliseconds(100)
        } _: { live in
            let post = live.request(
                "POST", "/v1/rooms/demo/share", type: "application/json", fields: ["Content-Length": "1000"], body: "")
            let body = Array(repeating: " ", count: 20)
            let answer = try RawResponse(await live.exchange([post] + body, pause: .milliseconds(50)))
            #expect(answer.problem == .requestTimeout)
            // A body nobody reads, because the answer is known: it ends as well.
            let unread = live.request("POST", "/nowhere", fields: ["Content-Length": "100000"], body: "")
            let refused = try RawResponse(await live.exchange([unread] + body, pause: .milliseconds(50)))
            #expect(refused.problem == .notFound)
        }
    }

    @Test("Bytes that aren't HTTP get a problem, and a header that is too large gets its own")
    func malformed() async throws {
        try await LiveServer.run { live async throws in
            for text in [
                "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n x \r\n\r\n",
            ] {
                #expect(try RawResponse(await live.exchange([text])).problem == .malformedRequest, "\(text)")
            }
            let both =
                "POST /v1/rooms/demo/share HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n{}"
            #expect(try RawResponse(await live.exchange([both])).problem == .malformedRequest)
            let long = "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n"
            #expect(try RawResponse(await live.exchange([long])).problem == .headerTooLarge)
            let many = "GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: 1\r\n", count: 200) + "\r\n"
            #expect(try RawResponse(await live.exchange([many])).problem == .headerTooLarge)
        }
    }

    @Test("An oversized body is refused before it is read, whether it is announced or comes in pieces")
    func oversized() async throws {
        try await LiveServer.run { live in
            _ = try await live.share()
            let large = String(repeating: "a=x\r\n", count: 20_000)
            let announced = try await live.send("POST", "/v1/rooms/demo/whep", type: "application/sdp", body: large)
            #expect(announced.problem == .contentTooLarge)
            let head =
                "POST /v1/rooms/demo/share HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
            let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
            let count = Limits.registration / 0x4000 + 1
            let pieces = try RawResponse(
                await live.exchange([head] + Array(repeating: chunk, count: count) + ["0\r\n\r\n"]))
            #expect(pieces.problem == .contentTooLarge)
        }
    }

    @Test("Unknown addresses and methods are problems as well")
    func unknown() async throws {
        try await LiveServer.run { live async throws in
            for path in ["/nowhere", "/v1", "/v1/rooms/demo/nothing", "/assets", "/r"] {
                #expect(try await live.send("GET", path).problem == .notFound, "\(path)")
            }
            #expect(try await live.send("BREW", "/healthz").problem == .malformedRequest)
            #expect(try await live.send("PROPFIND", "/healthz").problem == .methodUnknown)
            let delete = try await live.send("DELETE", "/healthz")
            #expect(delete.problem == .methodNotAllowed)
            #expect(delete.fields["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    // MARK: Floods

    @Test("10,000 offers nobody answers: what waits is bounded, the rest is turned away, and the server goes on")
    func flood() async throws {
        try await LiveServer.run { configuration in
            configuration.timing.answer = .milliseconds(300)
            configuration.timing.silence = .seconds(600)
            configuration.timing.forget = .seconds(600)
        } _: { live in
            let sharer = try await live.share()
            let offer = live.request("POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer)
            let all = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        var counts: [Int: Int] = [:]
                        for _ in 0..<157 {
                            counts[try RawResponse(await live.exchange([offer])).status, default: 0] += 1
                        }
                        return counts
                    }
                }
                return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            }
            #expect(Set(all.keys).isSubset(of: [503, 504]), "\(all)")
            #expect(all.values.reduce(0, +) == 64 * 157)
            #expect((all[503] ?? 0) > 5000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await live.answerAll(sharer, areOld: true) }
                try await joinOnceAllIsSeen(live, sharer)
                group.cancelAll()
            }
        }
    }

    /// A viewer gets in once the sharer has read what is there, and says so.
    private func joinOnceAllIsSeen(_ live: LiveServer, _ sharer: (path: String, secret: String)) async throws {
        var status = 503
        for _ in 0..<100 where status != 201 {
            let state = try await live.send(
                "PUT", "\(sharer.path)/state", token: sharer.secret, type: "application/json",
                body: #"{"state":"live","viewers":0,"seen":999999}"#)
            #expect(state.status == 204)
            status = try await live.send(
                "POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer).status
            if status == 503 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(status == 201)
    }

    @Test("Twenty viewers at once over the wire are all answered")
    func twenty() async throws {
        try await LiveServer.run { live in
            let sharer = try await live.share()
            try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask {
                    try await live.answerAll(sharer)
                    return nil
                }
                for _ in 0..<20 {
                    group.addTask {
                        try await live.send(
                            "POST", "/v1/rooms/demo/whep", type: "application/sdp", body: SDPSamples.offer
                        ).status
                    }
                }
                for _ in 0..<20 {
                    let status = try await group.next()
                    #expect(status == 201)
                }
                group.cancelAll()
            }
        }
    }

    @Test("No token, secret, address, identifier or SDP gets into the log, not even at its most talkative")
    func redaction() async throws {
        let log = LogCollector()
        try await LiveServer.run(logger: log.logger) { live in
            let sharer = try await live.share("demo", #"{"viewerToken":"viewer-sesame"}"#)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await live.answerAll(sharer) }
                for token in ["viewer-sesame", "wrong-sesame"] {
                    _ = try await live.send(
                        "POST", "/v1/rooms/demo/whep", token: token, type: "application/sdp", body: SDPSamples.offer)
                }
                _ = try await live.exchange(["nonsense-sesame\r\n\r\n"])
                group.cancelAll()
            }
            let text = log.text
            #expect(text.contains("demo"), "something is logged")
            for secret in ["sesame", sharer.secret, "EsAw", "v=0", "m=video", "127.0.0.1"] {
                #expect(!text.contains(secret), "\(secret)")
            }
            #expect(!text.contains(sharer.path.split(separator: "/").last ?? "?"))
        }
    }
}
