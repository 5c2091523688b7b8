import Datagrams
import ICE
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import PeerDriver

@Suite("Relays that nobody uses", .timeLimit(.minutes(1)))
struct RelayDoubtTests {
    @Test("when the network changes, a server that relays is asked whether it still does")
    func asked() async throws {
        let (asked, requests) = AsyncStream.makeStream(of: STUNMethod.self)
        let server = try await DatagramBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PlainRelay(requests))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let uri = try ICEServerURI("turn:127.0.0.1:\(port)")
        let credentials = try #require(TURNCredentials(username: "user", password: "pass"))
        var configuration = HubConfiguration.loopback()
        configuration.turnServers = [
            RelayServer(uri: uri, addresses: [try #require(uri.address)], credentials: .password(credentials))
        ]
        let hub = try await PeerHub.opened(configuration)
        await hub.gather(atMost: .seconds(50))
        #expect(await hub.hasRelay)
        await hub.relayAgain()
        for await method in asked {
            if method == .refresh { break }
        }
        #expect(await hub.hasRelay)
        await hub.close()
        try await server.close()
    }
}

/// A TURN server for one client, which says yes to everything.
private final class PlainRelay: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>
    private let requests: AsyncStream<STUNMethod>.Continuation

    init(_ requests: AsyncStream<STUNMethod>.Continuation) {
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        let bytes = Array(envelope.data.readableBytesView)
        guard let request = try? STUNMessage(bytes.span.bytes), request.messageClass == .request else { return }
        requests.yield(request.header.method)
        let answer = AddressedEnvelope(
            remoteAddress: envelope.remoteAddress, data: ByteBuffer(bytes: Self.answer(to: request)))
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    private static func answer(to request: STUNMessage) -> [UInt8] {
        func message(_ messageClass: STUNClass, _ attributes: [STUNAttribute]) -> STUNMessage {
            STUNMessage(STUNHeader(messageClass, request.header.method, request.transactionID), attributes)
        }
        guard request.hasIntegrity else {
            return message(.error, [.errorCode(.unauthenticated), .realm("example.org"), .nonce("nonce")])
                .encoded(fingerprint: false)
        }
        let relayed = TransportAddress(ip: .v4(0xC633_6401), port: 50_000)  // 198.51.100.1
        let mapped = TransportAddress(ip: .v4(0xC000_0201), port: 5_000)  // 192.0.2.1
        let key = STUNMessage.longTermKey(
            username: "user", realm: "example.org", password: "pass", with: TestAuthenticator())
        return message(.success, [.xorRelayedAddress(relayed), .xorMappedAddress(mapped), .lifetime(600)])
            .encoded(key: key, with: TestAuthenticator(), fingerprint: false)
    }
}
