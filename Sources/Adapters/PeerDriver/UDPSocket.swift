import Datagrams
import Glibc
import NIOCore
import NIOPosix

/// One bound UDP socket. Sends go out in batches: equal datagrams to one address become a single kernel call
/// (generic segmentation offload).
struct UDPSocket {
    let channel: any Channel
    let address: TransportAddress
    /// Of the channel, as long as that is active.
    let descriptor: CInt

    /// Binds `ip` at `port` (0: any) and hands every datagram to `receive`, on the event loop.
    static func bind(
        _ ip: IPAddress, port: UInt16, on eventLoop: any EventLoop,
        receive: @escaping @Sendable (_ bytes: [UInt8], _ local: TransportAddress, _ remote: TransportAddress) -> Void
    ) async throws -> UDPSocket {
        let channel = try await DatagramBootstrap(group: eventLoop)
            // One buffer is shared by the datagrams of a vector read.
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Limits.datagramBytes * Int(Limits.readsPerWake)))
            .channelOption(.datagramVectorReadMessageCount, value: Int(Limits.readsPerWake))
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.socketOption(.so_sndbuf), value: Limits.socketBuffer)
            .channelOption(.socketOption(.so_rcvbuf), value: Limits.socketBuffer)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(receive: receive))
                }
            }
            .bind(to: TransportAddress(ip: ip, port: port).socketAddress()).get()
        guard let address = channel.localAddress.flatMap(TransportAddress.init) else {
            try await channel.close()
            throw IOError(errnoCode: EADDRNOTAVAIL, reason: "no local address")
        }
        let descriptor = try await eventLoop.submit {
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        }.get()
        guard let descriptor else {
            try await channel.close()
            throw IOError(errnoCode: ENOTSOCK, reason: "no descriptor")
        }
        return UDPSocket(channel: channel, address: address, descriptor: descriptor)
    }
}

/// The end of the pipeline: turns envelopes into bytes and addresses.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    private let receive: @Sendable ([UInt8], TransportAddress, TransportAddress) -> Void
    private var local: TransportAddress?

    init(receive: @escaping @Sendable ([UInt8], TransportAddress, TransportAddress) -> Void) {
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        local = local ?? context.localAddress.flatMap(TransportAddress.init)
        guard let local, let remote = TransportAddress(envelope.remoteAddress) else { return }
        receive(Array(envelope.data.readableBytesView), local, remote)
    }

    /// A send or receive error (ICMP unreachable, a full buffer) concerns one datagram, never the socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
