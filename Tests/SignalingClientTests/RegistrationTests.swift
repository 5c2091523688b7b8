import NIOConcurrencyHelpers
import NIOCore
import SignalingProtocol
import Testing

@testable import SignalingClient

@Suite("Registering again", .timeLimit(.minutes(1)))
struct RegistrationTests {
    /// Two numberings of one share's events.
    private static let epochs = ["11111111111111111111111111111111", "22222222222222222222222222222222"]
    private static let share = "0123456789abcdef0123456789abcdef"
    private static let session = "00112233445566778899aabbccddeeff"
    private static let other = "ffeeddccbbaa99887766554433221100"

    private static func receipt(resumed: Bool, epoch: String, events: String = "/events") -> String {
        let body = """
            {"shareId":"\(share)","secret":"fedcba9876543210fedcba9876543210",\
            "resumed":\(resumed),"epoch":"\(epoch)","eventsUrl":"\(events)","heartbeatSeconds":5,"silenceSeconds":5}
            """
        return ScriptedServer.answer(201, ["Content-Type": "application/json"], body)
    }

    private static func event(_ number: Int, _ name: String, _ data: String) -> String {
        "id: \(number)\nevent: \(name)\ndata: \(data)\n\n"
    }

    private static let offer = event(1, "offer", #"{"sessionId":"\#(session)","sdp":"v=0","etag":"a"}"#)

    /// A stream that tells an event and stays open.
    private static func openStream(_ event: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n"
    }

    private func makeSharer(_ port: Int) throws -> SharerClient {
        let server = try ServerAddress("http://127.0.0.1:\(port)")
        return SharerClient(.init(server: server, room: try #require(RoomName("demo"))), logger: .silent)
    }

    /// A sharer that runs, and has answered the first session.
    private func answering(
        _ port: Int
    ) async throws -> (sharer: SharerClient, running: Task<Void, Never>, session: RandomID) {
        let sharer = try makeSharer(port)
        let running = Task { await sharer.run() }
        var events = sharer.events.makeAsyncIterator()
        #expect(await events.next() == .connected(resumed: false))
        let offered: RandomID? = if case .offer(let session, _) = await events.next() { session } else { nil }
        let session = try #require(offered, "no offer")
        try await sharer.answer(session, sdp: Samples.answer)
        return (sharer, running, session)
    }

    @Test("No room is asked for while its owner objects, also not anew")
    func objection() async throws {
        let objection = NIOLockedValueBox<String?>("no")
        try await ScriptedServer.run { exchange in
            let isPost = exchange.line.hasPrefix("POST")
            return isPost ? Self.receipt(resumed: false, epoch: Self.epochs[0]) : ScriptedServer.answer(204)
        } _: { server in
            var configuration = SharerClient.Configuration(
                server: try ServerAddress("http://127.0.0.1:\(server.port)"), room: try #require(RoomName("demo")))
            configuration.objection = { objection.withLockedValue { $0 } }
            let sharer = SharerClient(configuration, logger: .silent)
            await #expect(throws: SignalingError.forbidden(words: "no")) { try await sharer.connect() }
            #expect(!server.requests.contains { $0.line.hasPrefix("POST") })
            objection.withLockedValue { $0 = nil }
            try await sharer.connect()
            #expect(server.requests.count { $0.line.hasPrefix("POST") } == 1)
        }
    }

    @Test("An address that knows of no rooms is no signaling server's, and trying again is of no use")
    func elsewhere() async throws {
        try await ScriptedServer.run { _ in ScriptedServer.answer(404) } _: { server in
            let refused = SignalingError.refused(status: 404, words: "no signaling server answers there")
            await #expect(throws: refused) { try await makeSharer(server.port).connect() }
            #expect(!refused.isTemporary)
        }
    }

    @Test("A room that was asked for is given back where nobody waits for the answer any more")
    func givenUp() async throws {
        let (arrivals, arrival) = AsyncStream<ScriptedServer.Exchange>.makeStream()
        try await ScriptedServer.run { exchange in
            arrival.yield(exchange)
            return exchange.line.hasPrefix("POST") ? nil : ScriptedServer.answer(204)
        } _: { server in
            let sharer = try makeSharer(server.port)
            let connecting = Task { try await sharer.connect() }
            var requests = arrivals.makeAsyncIterator()
            let asked = try #require(await requests.next())
            connecting.cancel()
            await #expect(throws: SignalingError.cancelled) { try await connecting.value }
            let message = try JSONCoding.decode(ShareRequest.self, from: ByteBuffer(string: asked.body))
            let chosen = try #require(message.resume, "the server gives what can be given back")
            #expect(server.requests.count == 2)
            let last = try #require(server.requests.last)
            #expect(last.line == "DELETE /v1/rooms/demo/share/\(chosen.shareId.text) HTTP/1.1")
            #expect(last.field("Authorization") == chosen.secret.authorization)
        }
    }

    @Test("Nobody keeps a room that was given back, also where the server did not hear of that")
    func givenBackInVain() async throws {
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS": Self.receipt(resumed: false, epoch: Self.epochs[0])
            case "GET": Self.openStream(Self.offer)
            case "DEL": ScriptedServer.answer(502)
            default: ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            #expect(await events.next() == .connected(resumed: false))
            await sharer.end()
            let late = Task {
                try await Task.sleep(for: .seconds(10))
                running.cancel()
            }
            await running.value
            late.cancel()
            #expect(!running.isCancelled, "it goes on for as long as its stream is open")
        }
    }

    @Test("All that is said of a share goes to where its receipt has it")
    func place() async throws {
        let place = "/n3/v1/rooms/demo/share/\(Self.share)"
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS" where !exchange.line.contains("/sessions/"):
                Self.receipt(resumed: false, epoch: Self.epochs[0], events: "\(place)/events?node=3")
            case "GET": Self.openStream(Self.offer)
            default: ScriptedServer.answer(204)
            }
        } _: { server in
            let (sharer, running, session) = try await answering(server.port)
            await sharer.dismiss(session)
            await sharer.update(.paused, viewers: 0)
            await sharer.end()
            running.cancel()
            await running.value
            let expected = [
                "POST /v1/rooms/demo/share", "GET \(place)/events?node=3", "PUT \(place)/state", "DELETE \(place)",
                "POST \(place)/sessions/\(Self.session)/answer", "DELETE \(place)/sessions/\(Self.session)",
            ]
            #expect(Set(server.requests.map(\.line)) == Set(expected.map { "\($0) HTTP/1.1" }))
        }
    }

    @Test(
        "A receipt that has the share at another server, or nowhere, is refused at the start, and the room given back",
        arguments: ["http://127.0.0.1:1/events", "ftp://127.0.0.1/events", "http://127.0.0.1:99999/events", ""])
    func placeElsewhere(events: String) async throws {
        try await ScriptedServer.run { exchange in
            let isPost = exchange.line.hasPrefix("POST")
            return isPost ? Self.receipt(resumed: false, epoch: Self.epochs[0], events: events) : ScriptedServer.answer(204)
        } _: { server in
            let sharer = try makeSharer(server.port)
            await #expect(throws: SignalingError.unreadable("event address")) { try await sharer.connect() }
            #expect(server.requests.map(\.line).last == "DELETE /v1/rooms/demo/share/\(Self.share) HTTP/1.1")
        }
    }

    @Test("Events of a share that was made anew are taken, also where the receipt that said so got lost")
    func lostReceipt() async throws {
        let registrations = NIOLockedValueBox(0)
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS":
                let count = registrations.withLockedValue { $0 += 1; return $0 }
                // At the second the share is made anew, and a proxy loses the receipt.
                if count == 2 { return ScriptedServer.answer(502) }
                return Self.receipt(resumed: count > 1, epoch: Self.epochs[count == 1 ? 0 : 1])
            case "GET":
                let isFirst = registrations.withLockedValue(\.self) == 1
                let left = #"{"sessionId":"\#(isFirst ? Self.session : Self.other)"}"#
                let stream = Self.event(isFirst ? 500 : 1, "left", left)
                return ScriptedServer.answer(200, ["Content-Type": "text/event-stream"], stream)
            default: return ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var told: [String] = []
            var connections = 0
            for await event in sharer.events {
                if case .left(let session) = event { told.append(session.text) }
                if case .connected = event { connections += 1 }
                if connections == 4 { break }
            }
            running.cancel()
            await running.value
            #expect(told == [Self.session, Self.other], "what comes again after that is told once")
            let streams = server.requests.filter { $0.line.hasPrefix("GET") }
            #expect(streams.prefix(3).map { $0.field("Last-Event-ID") } == [nil, nil, "1"])
            let acknowledgements = server.requests.filter { $0.body.contains("\"seen\":500") }
            #expect(acknowledgements.allSatisfy { $0.body.contains(Self.epochs[0]) })
        }
    }

    @Test(
        "A session that ends while its share is made anew is dismissed after that, also where the receipt got lost",
        arguments: [false, true])
    func endedMeanwhile(isLost: Bool) async throws {
        let (arrivals, arrival) = AsyncStream<ScriptedServer.Exchange>.makeStream()
        try await ScriptedServer.run { exchange in
            arrival.yield(exchange)
            let isSession = exchange.line.contains("/sessions/")
            switch exchange.line.prefix(3) {
            case "POS" where isSession: return ScriptedServer.answer(204)
            case "POS":
                // With a ticket it is held until the session has ended.
                if exchange.body.contains(Self.session) { return nil }
                let isFirst = !exchange.body.contains(Self.share)
                return Self.receipt(resumed: !isFirst, epoch: Self.epochs[isFirst ? 0 : 1])
            case "GET": return Self.openStream(Self.offer)
            // Dismissals come before what they are about; and the server forgets the share after a while.
            case "DEL": return ScriptedServer.answer(404)
            default: return ScriptedServer.answer(exchange.body.contains("\"viewers\":1") ? 404 : 204)
            }
        } _: { server in
            let (sharer, running, session) = try await answering(server.port)
            await sharer.update(.live, viewers: 1)
            for await exchange in arrivals where exchange.body.contains(Self.session) { break }
            await sharer.dismiss(session)
            server.answerHeld(
                isLost ? ScriptedServer.answer(502) : Self.receipt(resumed: false, epoch: Self.epochs[1]))
            var dismissals = 0
            for await exchange in arrivals where exchange.line.hasPrefix("DELETE") {
                dismissals += 1
                if dismissals == 2 { break }
            }
            running.cancel()
            await running.value
            #expect(dismissals == 2)
        }
    }

    @Test(
        "Many events, or much in them, are acknowledged at once, not with the next sign of life; a later version's too",
        arguments: [("offer", 64, 10), ("offer", 5, 60_000), ("later", 64, 10)])
    func acknowledgement(name: String, count: Int, bytes: Int) async throws {
        let (arrivals, arrival) = AsyncStream<ScriptedServer.Exchange>.makeStream()
        let sdp = String(repeating: "v", count: bytes)
        let events = (1...count).map { number in
            Self.event(number, name, #"{"sessionId":"\#(Self.session)","sdp":"\#(sdp)","etag":"a"}"#)
        }
        try await ScriptedServer.run { exchange in
            arrival.yield(exchange)
            switch exchange.line.prefix(3) {
            case "POS": return Self.receipt(resumed: false, epoch: Self.epochs[0])
            case "GET": return nil
            // The answer to the first sign of life does not end, so that none follows it.
            default: return exchange.body.contains("\"seen\"") ? ScriptedServer.answer(204) : "HTTP/1.1 "
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var asked: Set<Substring> = []
            for await exchange in arrivals {
                asked.insert(exchange.line.prefix(3))
                if asked.isSuperset(of: ["GET", "PUT"]) { break }
            }
            server.answerHeld(Self.openStream(events.joined()))
            for await exchange in arrivals where exchange.body.contains("\"seen\":\(count)") { break }
            #expect(server.requests.count { $0.line.hasPrefix("POST") } == 1)
            running.cancel()
            await running.value
        }
    }

    /// A server that is out between the first registration and the second, and tells of two sessions before and one after;
    /// dismissals are held from then on.
    private static func outage(
        _ exchange: ScriptedServer.Exchange, _ registrations: NIOLockedValueBox<Int>, _ offers: [String],
        _ dismissal: AsyncStream<String>.Continuation
    ) -> String? {
        let isSession = exchange.line.contains("/sessions/")
        let isOut = registrations.withLockedValue(\.self) == 1
        switch exchange.line.prefix(3) {
        case "POS" where isSession: return ScriptedServer.answer(204)
        case "POS":
            registrations.withLockedValue { $0 += 1 }
            return Self.receipt(resumed: isOut, epoch: Self.epochs[0])
        case "GET": return Self.openStream(isOut ? offers[0] + offers[1] : offers[2])
        case "DEL":
            if isOut { return ScriptedServer.answer(502) }
            dismissal.yield(exchange.line)
            return nil
        default: return ScriptedServer.answer(isOut && exchange.body.contains("\"viewers\":1") ? 502 : 204)
        }
    }

    @Test("Who joins after an outage is heard while the server is told, one after the other, who left during it")
    func leftMeanwhile() async throws {
        let (dismissals, dismissal) = AsyncStream<String>.makeStream()
        let registrations = NIOLockedValueBox(0)
        let joiner = String(repeating: "3", count: 32)
        let offers = [Self.session, Self.other, joiner].enumerated().map { index, session in
            Self.event(index + 1, "offer", #"{"sessionId":"\#(session)","sdp":"v=0","etag":"a"}"#)
        }
        try await ScriptedServer.run { exchange in
            Self.outage(exchange, registrations, offers, dismissal)
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            _ = await events.next()
            for _ in 0..<2 {
                guard case .offer(let session, _) = await events.next() else { Issue.record("no offer"); return }
                try await sharer.answer(session, sdp: Samples.answer)
                await sharer.dismiss(session)
            }
            let inVain = server.requests.count(where: { $0.line.hasPrefix("DELETE") })
            await sharer.update(.live, viewers: 1)
            while let event = await events.next(), event != .connected(resumed: true) {}
            guard case .offer = await events.next() else { Issue.record("no offer"); return }
            let sent = server.requests.count(where: { $0.line.hasPrefix("DELETE") })
            #expect(sent <= inVain + 1, "the first is not answered yet")
            var told: Set<String> = []
            for await line in dismissals {
                told.insert(line)
                if told.count == 2 { break }
                server.answerHeld(ScriptedServer.answer(204))
            }
            running.cancel()
            await running.value
            #expect(told.count == 2)
        }
    }

    @Test("A session whose refusal the server did not take is told of no more", arguments: [nil, Samples.answer])
    func refusedInVain(counterOffer: String?) async throws {
        let isRefused = NIOLockedValueBox(false)
        let answer = Self.event(2, "answer", #"{"sessionId":"\#(Self.session)","sdp":"v=0"}"#)
        try await ScriptedServer.run { exchange in
            switch exchange.line.prefix(3) {
            case "POS" where exchange.line.contains("/sessions/"): return ScriptedServer.answer(404)
            case "POS": return Self.receipt(resumed: exchange.body.contains(Self.share), epoch: Self.epochs[0])
            case "GET":
                let stream = isRefused.withLockedValue(\.self) ? answer : Self.offer
                return ScriptedServer.answer(200, ["Content-Type": "text/event-stream"], stream)
            default: return ScriptedServer.answer(204)
            }
        } _: { server in
            let sharer = try makeSharer(server.port)
            let running = Task { await sharer.run() }
            var events = sharer.events.makeAsyncIterator()
            _ = await events.next()
            guard case .offer(let session, _) = await events.next() else { Issue.record("no offer"); return }
            let refusal = Refusal(.unsupported, counterOffer: counterOffer)
            await #expect(throws: SignalingError.gone) { try await sharer.refuse(session, refusal) }
            isRefused.withLockedValue { $0 = true }
            while let event = await events.next(), event != .counterAnswer(session: session, sdp: "v=0") {}
            while let event = await events.next(), event != .connected(resumed: true) {}
            running.cancel()
            await running.value
            let registrations = server.requests.filter { $0.line.hasPrefix("POST") && $0.body.contains(Self.share) }
            #expect(!registrations.isEmpty)
            #expect(!registrations.contains { $0.body.contains(Self.session) })
        }
    }
}
