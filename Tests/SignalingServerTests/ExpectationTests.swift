import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SignalingServer

@Suite("Who asks before sending a body (RFC 9110 § 10.1.1)", .timeLimit(.minutes(1)))
struct ExpectationTests {
    @Test("is told to go on, and answered once the body is there", arguments: ["100-continue", "100-Continue"])
    func goOn(expectation: String) async throws {
        try await LiveServer.run { live in
            let received = try await live.connection { inbound, outbound in
                let head = live.request(
                    "POST", "/v1/rooms/demo/share", type: "application/json",
                    fields: ["Expect": expectation, "Content-Length": "2"])
                try await outbound.write(ByteBuffer(string: head))
                var received = ""
                for try await piece in inbound {
                    if received.isEmpty { try await outbound.write(ByteBuffer(string: "{}")) }
                    received += String(buffer: piece)
                }
                return received
            }
            let parts = received.split(separator: "\r\n\r\n", maxSplits: 1)
            #expect(parts.first == "HTTP/1.1 100 Continue")
            #expect(try RawResponse(String(parts.last ?? "")).status == 201)
        }
    }

    @Test("is told so at once, and others, who expect nothing or something else, are not", arguments: [
        "100-continue": HTTPResponse.Status.continue, "": nil, "200-ok": nil,
    ])
    func told(expectation: String, status: HTTPResponse.Status?) throws {
        let channel = Self.channel()
        try channel.writeInbound(Self.head(expectation))
        #expect(try Self.heard(channel) == status)
        _ = try? channel.finish()
    }

    @Test("is not told so among the answers to what came before")
    func pipelined() throws {
        let channel = Self.channel()
        try channel.writeInbound(Self.head(""))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(Self.head("100-continue"))
        #expect(try Self.heard(channel) == nil)
        _ = try? channel.finish()
    }

    private static func channel() -> EmbeddedChannel {
        EmbeddedChannel(
            handler: ConnectionGuard(
                deadline: .seconds(10), readingDeadline: .seconds(20), places: ConnectionPlaces(limit: 8)))
    }

    private static func head(_ expectation: String) -> HTTPRequestPart {
        let fields: HTTPFields = expectation.isEmpty ? [:] : [.expect: expectation]
        return .head(HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/", headerFields: fields))
    }

    private static func heard(_ channel: EmbeddedChannel) throws -> HTTPResponse.Status? {
        guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
        return head.status
    }
}
