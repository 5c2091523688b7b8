import NIOCore

/// The end of the pipeline: bytes, and the end.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let begin: @Sendable (any Channel) -> TCPSocket.Listener?
    private var tell: TCPSocket.Listener?
    private var error: (any Error)?

    init(begin: @escaping @Sendable (any Channel) -> TCPSocket.Listener?) {
        self.begin = begin
    }

    func channelActive(context: ChannelHandlerContext) {
        tell = begin(context.channel)
        if tell == nil { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tell?(.received(Array(unwrapInboundIn(data).readableBytesView)))
    }

    /// A connection with an error is of no more use. The first one says most.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.error = self.error ?? error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        tell?(.closed(error))
        tell = nil
    }
}
