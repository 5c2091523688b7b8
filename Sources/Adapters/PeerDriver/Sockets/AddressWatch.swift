import CLinux
import NIOCore
import NIOPosix

/// Tells when this machine's IP addresses or links change; of what has changed the system is asked anew.
enum AddressWatch {
    /// Until the channel is closed; nil where the system tells nothing.
    static func open(
        on eventLoop: any EventLoop, changed: @escaping @Sendable () -> Void
    ) async -> (any Channel)? {
        let descriptor = linux_watch_addresses()
        guard descriptor >= 0 else { return nil }
        return try? await NIOPipeBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(changed: changed))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let changed: @Sendable () -> Void

        init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { changed() }
    }
}
