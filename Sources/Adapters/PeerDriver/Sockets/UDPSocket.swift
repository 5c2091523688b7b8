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
    /// Bytes that the kernel lets wait to leave: less than was asked for where `net.core.wmem_max` is less (socket(7)).
    let sendBuffer: Int

    typealias Receiver = @Sendable (
        _ bytes: [UInt8], _ local: TransportAddress, _ remote: TransportAddress, _ ecn: ECN
    ) -> Void

    /// Binds `ip` at `port` (0: any) and hands every datagram to `receive`, on the event loop.
    static func bind(
        _ ip: IPAddress, port: UInt16, on eventLoop: any EventLoop,
        receive: @escaping Receiver
    ) async throws -> UDPSocket {
        let channel = try await DatagramBootstrap(group: eventLoop)
            // One buffer is shared by the datagrams of a vector read.
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Limits.datagramBytes * Int(Limits.readsPerWake)))
            .channelOption(.datagramVectorReadMessageCount, value: Int(Limits.readsPerWake))
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.explicitCongestionNotification, value: true)
            .channelOption(.socketOption(.so_sndbuf), value: Limits.socketBuffer)
            .channelOption(.socketOption(.so_rcvbuf), value: Limits.socketBuffer)
            // Unlike the form without an initializer this one closes what can't be bound.
            .bind(to: TransportAddress(ip: ip, port: port).socketAddress()) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(receive: receive))
                    return channel
                }
            }
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
        // Twice as much is told, with what the kernel needs besides.
        let told = try await channel.getOption(.socketOption(.so_sndbuf)).get()
        return UDPSocket(channel: channel, address: address, descriptor: descriptor, sendBuffer: told / 2)
    }
}

/// The end of the pipeline: turns envelopes into bytes and addresses.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    private let receive: UDPSocket.Receiver
    private var local: TransportAddress?

    init(receive: @escaping UDPSocket.Receiver) {
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        local = local ?? context.localAddress.flatMap(TransportAddress.init)
        guard let local, let remote = TransportAddress(envelope.remoteAddress) else { return }
        receive(Array(envelope.data.readableBytesView), local, remote, ECN(envelope.metadata?.ecnState))
    }

    /// A send or receive error (ICMP unreachable, a full buffer) concerns one datagram, never the socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

extension ECN {
    fileprivate init(_ state: NIOExplicitCongestionNotificationState?) {
        switch state {
        case .transportCapableFlag0: self = .capable0
        case .transportCapableFlag1: self = .capable1
        case .congestionExperienced: self = .congestionExperienced
        case .transportNotCapable, nil: self = .notCapable
        }
    }
}
