import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import SignalingProtocol
import Testing

@testable import SignalingServer

/// A signaling server on loopback, spoken to byte by byte.
struct LiveServer: Sendable {
    let server: SignalingServer
    let port: Int

    static func run(
        _ configure: (inout SignalingConfiguration) -> Void = { _ in }, logger: Logger = .silent,
        _ test: @Sendable (LiveServer) async throws -> Void
    ) async throws {
        var configuration = SignalingConfiguration()
        configuration.port = 0
        configure(&configuration)
        let server = SignalingServer(configuration: configuration, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            try await test(LiveServer(server: server, port: try await server.port))
            await server.stop()
            try await group.waitForAll()
        }
    }

    /// Sends one request on a connection of its own.
    func send(
        _ method: String, _ path: String, host: String? = "localhost", token: String? = nil, type: String? = nil,
        fields: [String: String] = [:], body: String? = nil
    ) async throws -> RawResponse {
        let text = request(method, path, host: host, token: token, type: type, fields: fields, body: body)
        return try RawResponse(await exchange([text]))
    }

    func request(
        _ method: String, _ path: String, host: String? = "localhost", token: String? = nil, type: String? = nil,
        fields: [String: String] = [:], body: String? = nil
    ) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close"]
        if let host { lines.append("Host: \(host)") }
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let type { lines.append("Content-Type: \(type)") }
        lines += fields.map { "\($0.key): \($0.value)" }
        if let body, fields["Content-Length"] == nil { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// Sends texts one after the other and returns everything that comes back until the server closes.
    func exchange(
        _ texts: [String], pause: Duration = .zero, heard: @escaping @Sendable () -> Void = {}
    ) async throws -> String {
        try await connection { inbound, outbound in
            async let sending: Void = {
                for text in texts {
                    // The server may have closed already; what it said before that is what counts.
                    guard (try? await outbound.write(ByteBuffer(string: text))) != nil else { return }
                    try await Task.sleep(for: pause)
                }
            }()
            var received = ByteBuffer()
            do {
                for try await piece in inbound {
                    received.writeImmutableBuffer(piece)
                    heard()
                }
            } catch is IOError {}
            try? await sending
            return String(buffer: received)
        }
    }

    /// A connection that a test reads and writes as it likes.
    func connection<Value: Sendable>(
        _ body:
            @Sendable (
                NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { try await body($0, $1) }
    }

    /// Takes a room; the share's path and its secret.
    func share(_ room: String = "demo", _ body: String = "{}") async throws -> (path: String, secret: String) {
        let response = try await send("POST", "/v1/rooms/\(room)/share", type: "application/json", body: body)
        try #require(response.status == 201)
        let receipt = try JSONDecoder().decode(ShareReceipt.self, from: Data(response.body.utf8))
        return ("/v1/rooms/\(room)/share/\(receipt.shareId.text)", receipt.secret.secret)
    }

    /// Answers every offer of a share until the task is cancelled.
    ///
    /// - Parameter areOld: some of their viewers have given up.
    func answerAll(_ share: (path: String, secret: String), areOld: Bool = false) async throws {
        try await connection { inbound, outbound in
            let request = request("GET", "\(share.path)/events", token: share.secret)
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            for try await piece in inbound {
                text += String(buffer: piece)
                // Each event is a chunk of its own, so that no chunk header falls into a line.
                while let end = text.firstIndex(where: \.isNewline) {
                    let line = text[..<end]
                    text = String(text[text.index(after: end)...])
                    guard line.hasPrefix("data: "), line.contains("\"sdp\"") else { continue }
                    let offer = try JSONDecoder().decode(SessionOffer.self, from: Data(line.dropFirst(6).utf8))
                    let reply = try await answer(share, offer.sessionId)
                    #expect(reply.status == 204 || areOld && reply.status == 404)
                }
            }
        }
    }

    func answer(_ share: (path: String, secret: String), _ session: RandomID) async throws -> RawResponse {
        try await send(
            "POST", "\(share.path)/sessions/\(session.text)/answer", token: share.secret, type: "application/json",
            body: JSON.text(SessionReply.answer(sdp: SDPSamples.answer)))
    }
}

/// A response as it came over the wire.
struct RawResponse: Sendable {
    let status: Int
    /// Names in lower case.
    let fields: [String: String]
    let body: String

    struct NoResponse: Error {}

    init(_ text: String) throws {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard parts.count == 2, words.count >= 2, let status = Int(words[1]) else { throw NoResponse() }
        self.status = status
        fields = Dictionary(
            lines.dropFirst().compactMap { line in
                let pair = line.split(separator: ":", maxSplits: 1)
                return pair.count == 2 ? (pair[0].lowercased(), String(pair[1].drop { $0 == " " })) : nil
            }, uniquingKeysWith: { "\($0), \($1)" })
        body = String(parts[1])
    }

    var problem: ProblemType? {
        guard fields["content-type"] == Problem.mediaType,
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(body.utf8)), problem.status == status
        else { return nil }
        return ProblemType(uri: problem.type)
    }
}
