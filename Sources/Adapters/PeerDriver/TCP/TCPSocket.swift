import Datagrams
import NIOCore
import NIOPosix

/// Listeners, and connections with framed packets in them (RFC 4571, RFC 6544).
enum TCPSocket {
    enum Event: Sendable {
        case received([UInt8])
        /// With the error that ended it, if any.
        case closed((any Error)?)
    }

    /// Takes what follows on a connection.
    typealias Listener = @Sendable (Event) -> Void

    /// Listens at `ip`, at `port` or, where another program has it, at any. For each connection `accept` is called on
    /// the event loop; nil closes it.
    static func listen(
        _ ip: IPAddress, port: UInt16, on eventLoop: any EventLoop,
        accept: @escaping @Sendable (any Channel) -> Listener?
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: eventLoop)
            // Connections of an earlier run may still linger at the port.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.notSentLowWater, value: Limits.unsentBytes)
            .childChannelOption(.writeBufferWaterMark, value: .connectionBacklog)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Limits.bytesPerRead))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(begin: accept))
                }
            }
        do {
            return try await bootstrap.bind(to: TransportAddress(ip: ip, port: port).socketAddress()).get()
        } catch {
            return try await bootstrap.bind(to: TransportAddress(ip: ip, port: 0).socketAddress()).get()
        }
    }

    /// Connects from any port of `ip`.
    static func connect(
        from ip: IPAddress, to remote: TransportAddress, on eventLoop: any EventLoop, tell: @escaping Listener
    ) throws -> EventLoopFuture<any Channel> {
        try ClientBootstrap(group: eventLoop).forMedia()
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Limits.bytesPerRead))
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler { _ in tell })
                }
            }
            .bind(to: TransportAddress(ip: ip, port: 0).socketAddress())
            .connect(to: remote.socketAddress())
    }
}

extension ClientBootstrap {
    /// Little waits where it can't be dropped any more.
    func forMedia() -> Self {
        connectTimeout(Limits.connectTime)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.notSentLowWater, value: Limits.unsentBytes)
            .channelOption(.writeBufferWaterMark, value: .connectionBacklog)
    }
}

extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// TCP_NOTSENT_LOWAT of linux/tcp.h, which NIO has no name for.
    static var notSentLowWater: Self { Self(level: .tcp, name: NIOBSDSocket.Option(rawValue: 25)) }
}

extension ChannelOptions.Types.WriteBufferWaterMark {
    static var connectionBacklog: Self { .init(low: Limits.connectionBacklog / 2, high: Limits.connectionBacklog) }
}
