import Datagrams
import ICE
import NIOCore
import NIOPosix
import Testing

@testable import PeerDriver

/// A STUN server on loopback that answers as a test wants it to.
struct TestSTUNServer {
    enum Answer {
        /// The port it sees, and so much more.
        case port(plus: UInt16)
        case error
        case silence
    }

    private let channel: any Channel
    let address: TransportAddress

    init(_ answer: Answer) async throws {
        channel = try await DatagramBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Responder(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = try #require(channel.localAddress.flatMap(TransportAddress.init))
    }

    func close() async throws { try await channel.close() }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>
        private let answer: Answer

        init(_ answer: Answer) {
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            let bytes = Array(envelope.data.readableBytesView)
            guard let seen = TransportAddress(envelope.remoteAddress), let request = try? STUNMessage(bytes.span.bytes),
                let reply = reply(to: request, from: seen)
            else { return }
            let data = ByteBuffer(bytes: reply.encoded(fingerprint: false))
            context.writeAndFlush(
                wrapOutboundOut(AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: data)), promise: nil)
        }

        private func reply(to request: STUNMessage, from seen: TransportAddress) -> STUNMessage? {
            switch answer {
            case .port(let shift):
                let mapped = TransportAddress(ip: seen.ip, port: seen.port &+ shift)
                return STUNMessage(.success, request.transactionID, [.xorMappedAddress(mapped)])
            case .error: return STUNMessage(.error, request.transactionID, [.errorCode(STUNErrorCode(500))])
            case .silence: return nil
            }
        }
    }
}
