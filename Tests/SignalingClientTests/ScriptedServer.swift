import NIOCore
import NIOPosix
import NIOConcurrencyHelpers

/// A server that says what a test wants it to say.
final class ScriptedServer: Sendable {
    struct Exchange: Sendable {
        let head: String
        let body: String

        /// The server's.
        var port: String { field("Host").map { String($0.drop { $0 != ":" }.dropFirst()) } ?? "" }

        var line: String { String(head.prefix { !$0.isNewline }) }

        func field(_ name: String) -> String? {
            head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.drop { $0 != ":" }.dropFirst().drop { $0 == " " } }.map(String.init)
        }
    }

    /// The answer to a request; nil: none comes before `answerHeld`.
    typealias Script = @Sendable (Exchange) -> String?

    let port: Int
    private let seen: Seen

    var requests: [Exchange] { seen.exchanges.withLockedValue(\.self) }

    private init(port: Int, seen: Seen) {
        self.port = port
        self.seen = seen
    }

    static func run(_ script: @escaping Script, _ test: @Sendable (ScriptedServer) async throws -> Void) async throws {
        let seen = Seen()
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(seen: seen, script: script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = ScriptedServer(port: listener.localAddress?.port ?? 0, seen: seen)
        do { try await test(server) } catch {
            try await listener.close()
            throw error
        }
        try await listener.close()
    }

    /// Answers those requests that have got no answer.
    func answerHeld(_ answer: String) {
        let held = seen.held.withLockedValue { held in
            defer { held = [] }
            return held
        }
        for channel in held { channel.writeAndFlush(ByteBuffer(string: answer), promise: nil) }
    }

    /// The requests so far, of all connections, and where one has got no answer.
    final class Seen: Sendable {
        let exchanges = NIOLockedValueBox<[Exchange]>([])
        let held = NIOLockedValueBox<[any Channel]>([])
    }

    /// One connection: takes whole requests from the bytes and answers them by the script.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let seen: Seen
        private let script: Script
        private var text = ""

        init(seen: Seen, script: @escaping Script) {
            self.seen = seen
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            while let exchange = ScriptedServer.take(&text) {
                seen.exchanges.withLockedValue { $0.append(exchange) }
                // At once: whom the script tells of the request may answer it.
                let answer = seen.held.withLockedValue { held in
                    let answer = script(exchange)
                    if answer == nil { held.append(context.channel) }
                    return answer
                }
                if let answer { context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// The first whole request in `text`.
    fileprivate static func take(_ text: inout String) -> Exchange? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = Exchange(head: String(text[..<end.lowerBound]), body: "")
        let rest = text[end.upperBound...].utf8
        let length = head.field("Content-Length").flatMap { Int($0) } ?? 0
        guard rest.count >= length else { return nil }
        let body = String(decoding: rest.prefix(length), as: UTF8.self)
        text = String(decoding: rest.dropFirst(length), as: UTF8.self)
        return Exchange(head: head.head, body: body)
    }

    /// A response with a body.
    static func answer(_ status: Int, _ fields: [String: String] = [:], _ body: String = "") -> String {
        let lines =
            ["HTTP/1.1 \(status) x", "Content-Length: \(body.utf8.count)"] + fields.map { "\($0.key): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

extension String {
    /// The first place where `text` stands.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        ranges(of: text).first
    }
}
