import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import SignalingProtocol
import Testing

@testable import SignalingServer

/// A signaling server without sockets, whose time a test holds in its hands.
struct Bench: Sendable {
    let client: any TestClientProtocol
    let routes: SignalingRoutes
    let clock: ManualClock

    /// Runs a test against the routes of one server.
    static func run(
        recorder: Recorder? = nil, _ configure: (inout SignalingConfiguration) -> Void = { _ in },
        _ test: @Sendable (Bench) async throws -> Void
    ) async throws {
        var configuration = SignalingConfiguration()
        configure(&configuration)
        let clock = ManualClock()
        let routes = SignalingRoutes(configuration: configuration, clock: clock.clock, logger: .silent)
        let router = Router()
        router.add(middleware: UnknownAddressMiddleware())
        routes.add(to: router)
        try await Application(router: router, logger: .silent).test(.router) { client in
            let client = recorder.map { RecordingClient(client: client, recorder: $0) } ?? client
            try await test(Bench(client: client, routes: routes, clock: clock))
        }
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, token: String? = nil, type: String? = nil,
        fields: HTTPFields = [:], body: String? = nil
    ) async throws -> TestResponse {
        var headers = fields
        if let token { headers[.authorization] = "Bearer \(token)" }
        if let type { headers[.contentType] = type }
        return try await client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    func json(
        _ method: HTTPRequest.Method, _ path: String, token: String? = nil, _ body: String
    ) async throws -> TestResponse {
        try await send(method, path, token: token, type: "application/json", body: body)
    }

    /// Takes a room as a sharer does.
    func share(_ room: String = "demo", _ body: String = "{}", token: String? = nil) async throws -> TestSharer {
        let response = try await json(.post, "/v1/rooms/\(room)/share", token: token, body)
        try #require(response.status == .created)
        let receipt = try response.decode(ShareReceipt.self)
        return TestSharer(bench: self, room: room, receipt: receipt)
    }

    func join(
        _ room: String = "demo", token: String? = nil, offer: String = SDPSamples.offer, fields: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await send(
            .post, "/v1/rooms/\(room)/whep", token: token, type: "application/sdp", fields: fields, body: offer)
    }

    /// A viewer whose offer is answered; the path of its session and its tag.
    func joined(
        _ sharer: TestSharer, token: String? = nil, offer text: String = SDPSamples.offer
    ) async throws -> (path: String, tag: String) {
        let last = await routes.store.rooms[try #require(RoomName(sharer.room))]?.share?.outbox.last
        let events = try await sharer.listen(after: last)
        async let response = join(sharer.room, token: token, offer: text)
        let offer = try await events.nextOffer()
        #expect(try await sharer.answer(offer.sessionId).status == .noContent)
        let joined = try await response
        try #require(joined.status == .created)
        return (try #require(joined.headers[.location]), try #require(joined.headers[.eTag]))
    }
}

/// The sharer's side in a test.
struct TestSharer: Sendable {
    let bench: Bench
    let room: String
    let receipt: ShareReceipt

    var path: String { "/v1/rooms/\(room)/share/\(receipt.shareId.text)" }
    var secret: String { receipt.secret.secret }

    func listen(after last: UInt64? = nil) async throws -> EventReader {
        let room = try #require(RoomName(room))
        let address = ShareAddress(room: room, id: receipt.shareId, secret: receipt.secret)
        return EventReader(try await bench.routes.store.listen(address, after: last))
    }

    func answer(_ session: RandomID, _ sdp: String = SDPSamples.answer) async throws -> TestResponse {
        let body = try JSON.text(SessionReply.answer(sdp: sdp))
        return try await bench.json(.post, "\(path)/sessions/\(session.text)/answer", token: secret, body)
    }

    func refuse(_ session: RandomID, _ refusal: Refusal) async throws -> TestResponse {
        let body = try JSON.text(SessionReply.refusal(refusal))
        return try await bench.json(.post, "\(path)/sessions/\(session.text)/answer", token: secret, body)
    }

    func say(
        _ state: ShareState.Phase = .live, viewers: Int = 0, seen: UInt64? = nil, epoch: RandomID? = nil,
        narrow: [RandomID]? = nil
    ) async throws -> TestResponse {
        let body = try JSON.text(ShareState(state: state, viewers: viewers, seen: seen, epoch: epoch, narrow: narrow))
        return try await bench.json(.put, "\(path)/state", token: secret, body)
    }
}

/// Reads one event stream, event by event, and passes over the heartbeats.
final class EventReader: Sendable {
    private let events: AsyncStream<ServerSentEvent>
    private let reader: Task<Void, Never>

    init(_ channel: EventChannel) {
        let (events, continuation) = AsyncStream<ServerSentEvent>.makeStream()
        self.events = events
        reader = Task {
            for await part in channel.parts {
                guard case .event(let event) = part else { continue }
                await channel.wrote(event)
                continuation.yield(event)
            }
            continuation.finish()
        }
    }

    deinit {
        reader.cancel()
    }

    /// The next event, or nil at the stream's end.
    func next() async -> ServerSentEvent? {
        for await event in events { return event }
        return nil
    }

    func next<Payload: Decodable>(_ type: Payload.Type) async throws -> Payload {
        let event = try #require(await next())
        return try JSONDecoder().decode(type, from: Data(event.data.utf8))
    }

    /// The next offer; what was told before is passed over.
    func nextOffer() async throws -> SessionOffer {
        while let event = await next() {
            if event.name == "offer" { return try JSONDecoder().decode(SessionOffer.self, from: Data(event.data.utf8)) }
        }
        throw CancellationError()
    }

    /// The next ICE restart; likewise.
    func nextRestart() async throws -> SessionCandidates {
        while let event = await next() {
            guard event.name == "candidates" else { continue }
            let candidates = try JSONDecoder().decode(SessionCandidates.self, from: Data(event.data.utf8))
            if candidates.restart != nil { return candidates }
        }
        throw CancellationError()
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    func decode<Message: Decodable>(_ type: Message.Type) throws -> Message {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    /// The problem in the body; records an issue unless the response is one throughout.
    func problem(_ type: ProblemType, at location: SourceLocation = #_sourceLocation) {
        #expect(status.code == type.status, sourceLocation: location)
        #expect(headers[.contentType] == Problem.mediaType, sourceLocation: location)
        let problem = try? decode(Problem.self)
        #expect(problem?.type == type.uri, sourceLocation: location)
        #expect(problem?.status == type.status, sourceLocation: location)
    }
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

enum SDPSamples {
    static let offer =
        "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        + "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=recvonly\r\n"
    static let answer =
        "v=0\r\no=- 3 4 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        + "a=ice-ufrag:srvr\r\na=ice-pwd:0b66f472495ef0ccac7bda653ab6be49\r\na=sendonly\r\n"
    /// Candidates of the offer's own ICE session.
    static let trickle =
        "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=ice-ufrag:EsAw\r\n"
        + "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host\r\n"
    /// The same of sound, on a transport of its own.
    static let soundTrickle =
        "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:1\r\na=ice-ufrag:Snd1\r\n"
        + "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=candidate:1 1 udp 2122260223 192.0.2.1 61766 typ host\r\n"
    /// With such sound first.
    static let unbundledOffer = offer.replacing("m=video", with: soundTrickle + "m=video")
    /// A new ICE session.
    static let restart =
        "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=ice-ufrag:ysXw\r\n"
        + "a=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k\r\na=candidate:1 1 udp 2122260223 192.0.2.1 61765 typ host\r\n"
    static let restartReply = "a=ice-ufrag:new1\r\na=ice-pwd:0b66f472495ef0ccac7bda653ab6be49\r\n"
}

extension RoomName {
    /// The room of most tests.
    static let demo: RoomName = {
        guard let name = RoomName("demo") else { preconditionFailure("a valid name") }
        return name
    }()
}
