import NIOCore
import NIOPosix
import Synchronization

/// A server that says what a test wants it to say.
final class ScriptedServer: Sendable {
    struct Exchange: Sendable {
        let head: String
        let body: String

        var line: String { String(head.prefix { !$0.isNewline }) }

        func field(_ name: String) -> String? {
            head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.drop { $0 != ":" }.dropFirst().drop { $0 == " " } }.map(String.init)
        }
    }

    /// The answer to a request; nil: none ever comes.
    typealias Script = @Sendable (Exchange) -> String?

    let port: Int
    private let seen = Mutex<[Exchange]>([])

    var requests: [Exchange] { seen.withLock(\.self) }

    private init(port: Int) {
        self.port = port
    }

    static func run(_ script: @escaping Script, _ test: @Sendable (ScriptedServer) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let server = ScriptedServer(port: listener.channel.localAddress?.port ?? 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listener.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await connection in connections {
                            group.addTask { try? await server.serve(connection, script) }
                        }
                    }
                }
            }
            try await test(server)
            group.cancelAll()
        }
    }

    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ script: Script) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var text = ""
            for try await piece in inbound {
                text += String(buffer: piece)
                while let exchange = Self.take(&text) {
                    seen.withLock { $0.append(exchange) }
                    guard let answer = script(exchange) else { continue }
                    try await outbound.write(ByteBuffer(string: answer))
                }
            }
        }
    }

    /// The first whole request in `text`.
    private static func take(_ text: inout String) -> Exchange? {
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
        let lines = ["HTTP/1.1 \(status) x", "Content-Length: \(body.utf8.count)"] + fields.map { "\($0.key): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

extension String {
    /// The first place where `text` stands.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        ranges(of: text).first
    }
}
