import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import SignalingProtocol
import Testing

@testable import SignalingServer

@Suite("Nobody holds what others need", .timeLimit(.minutes(1)))
struct HeldConnectionTests {
    @Test("an event stream takes no body, which nobody would read", arguments: ["Transfer-Encoding: chunked", "Content-Length: 6"])
    func bodyOfStream(field: String) async throws {
        try await LiveServer.run { live in
            let pieces = String(repeating: "1\r\nx\r\n", count: 6) + "0\r\n\r\n"
            let body = field.hasSuffix("chunked") ? pieces : "xxxxxx"
            let head = "GET /v1/rooms/demo/events HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n"
            let response = try RawResponse(await live.exchange([head + body]))
            #expect(response.problem == .malformedRequest)
            #expect(response.fields["connection"] == "close")
        }
    }

    @Test("what is wrong with a HEAD is said without a body (RFC 9110 § 9.3.2)", arguments: [
        "/v1/rooms/demo/whep/0123456789abcdef0123456789abcdef", "/nope", "/v1/rooms/bad%20name",
    ])
    func headOfProblem(path: String) async throws {
        try await LiveServer.run { live in
            let response = try await live.send("HEAD", path)
            #expect(400..<500 ~= response.status)
            #expect(response.body.isEmpty, "\(response.body)")
            #expect(response.fields["content-type"] == Problem.mediaType)
        }
    }

    @Test("who reads nothing of an answer for long loses the connection, and who reads slowly keeps it")
    func unread() throws {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(
            handler: ConnectionGuard(
                deadline: .seconds(10), readingDeadline: .seconds(20), places: ConnectionPlaces(limit: 8)),
            loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for _ in 0..<3 {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .seconds(15))
            #expect(channel.isActive)
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            loop.advanceTime(by: .seconds(60))
            #expect(channel.isActive)
        }
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        loop.advanceTime(by: .seconds(21))
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }
}
