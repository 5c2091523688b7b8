import Datagrams
import ICE
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import PeerDriver

/// A hub on loopback that asks STUN servers which see what a test wants them to see.
@Suite("Asking about the NAT from a hub's sockets", .timeLimit(.minutes(1)))
struct MappingHubTests {
    /// A STUN server that adds `shift` to the port it sees; nil: one that is silent.
    private func server(_ shift: UInt16?) async throws -> (channel: any Channel, address: TransportAddress) {
        let channel = try await DatagramBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Responder(shift: shift))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, try #require(channel.localAddress.flatMap(TransportAddress.init)))
    }

    @Test("servers that see the socket itself: there is no NAT, and each has said so")
    func none() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let servers = [try await server(0), try await server(0)]
        let probes = await hub.probeMapping(by: servers.map(\.address), atMost: .seconds(30))
        #expect(probes.map(\.mapping) == [.none])
        #expect(servers.allSatisfy { probes[0].answer(of: $0.address)?.mapped == probes[0].base })
        #expect(servers.allSatisfy { probes[0].answer(of: $0.address)?.time != nil })
        for server in servers { try await server.channel.close() }
        await hub.close()
    }

    @Test("servers that see different ports: the mapping depends on the port that is sent to")
    func dependent() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let servers = [try await server(1), try await server(2)]
        let probes = await hub.probeMapping(by: servers.map(\.address), atMost: .seconds(30))
        #expect(probes.map(\.mapping) == [.addressAndPortDependent])
        for server in servers { try await server.channel.close() }
        await hub.close()
    }

    @Test("a silent server is waited for no longer than said; without servers there is nothing to ask")
    func silent() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let server = try await server(nil)
        let probes = await hub.probeMapping(by: [server.address], atMost: .milliseconds(50))
        #expect(probes.map(\.hasAnswer) == [false] && probes.map(\.mapping) == [.unknown])
        #expect(await hub.probeMapping(by: [], atMost: .seconds(30)).isEmpty)
        try await server.channel.close()
        await hub.close()
    }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>
        private let shift: UInt16?

        init(shift: UInt16?) {
            self.shift = shift
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            let bytes = Array(envelope.data.readableBytesView)
            guard let shift, var seen = TransportAddress(envelope.remoteAddress),
                let request = try? STUNMessage(bytes.span.bytes)
            else { return }
            seen.port &+= shift
            let reply = STUNMessage(.success, request.transactionID, [.xorMappedAddress(seen)]).encoded()
            let answer = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: ByteBuffer(bytes: reply))
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}
