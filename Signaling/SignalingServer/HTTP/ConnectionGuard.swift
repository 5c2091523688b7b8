import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import SignalingProtocol

/// Holds each connection to the rules a router cannot see: a request has a time to arrive in, bytes that aren't HTTP
/// get a problem, who asks before sending a body is told to go on, an answer is read, and `Connection: close` in it is done.
///
/// The idle timeout of the server itself ends connections that send no request, or a header without end.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let deadline: TimeAmount
    private let readingDeadline: TimeAmount
    private let places: ConnectionPlaces
    /// Whole requests without a whole answer; below zero where an answer came before its request had ended.
    private var unanswered = 0
    private var timer: Scheduled<Void>?
    /// Runs while the other side reads nothing of what waits for it.
    private var readingTimer: Scheduled<Void>?
    private var isReadingRequest = false
    private var isResponding = false
    private var closesAfterResponse = false

    /// - Parameters:
    ///   - deadline: for a request.
    ///   - readingDeadline: for as much of an answer as is buffered here.
    ///   - places: of all of the server's connections.
    init(deadline: Duration, readingDeadline: Duration, places: ConnectionPlaces) {
        self.deadline = TimeAmount(deadline)
        self.readingDeadline = TimeAmount(readingDeadline)
        self.places = places
    }

    /// Who is gone without a word, as a laptop that changes its network, is noticed when it acknowledges nothing.
    func handlerAdded(context: ChannelHandlerContext) {
        let time = Int(clamping: readingDeadline.nanoseconds / 1_000_000)
        context.channel.setOption(.tcpUserTimeout, value: time).whenFailure { _ in }
        places.come(context.channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReadingRequest = true
            startTimer(context)
            // Not between the answers to what came before, which it would be taken for a part of.
            if head.expectsContinue, unanswered == 0 { sendContinue(context) }
        case .body:
            break
        case .end:
            isReadingRequest = false
            stopTimer()
            unanswered += 1
            if unanswered > 0 { places.asked(context.channel) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isResponding = true
            closesAfterResponse = head.headerFields[.connection] == "close"
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            isResponding = false
            unanswered -= 1
            if unanswered <= 0 { places.waits(context.channel) }
            guard closesAfterResponse else { return context.write(data, promise: promise) }
            // A request that is still coming in is left to the timer: to close now would reset the connection, and the
            // client might never see the answer.
            let mode: CloseMode = isReadingRequest ? .output : .all
            let written = promise ?? context.eventLoop.makePromise()
            let closing = NIOLoopBound(context, eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in closing.value.close(mode: mode, promise: nil) }
            context.writeAndFlush(data, promise: written)
        }
    }

    /// What is refused is refused behind it.
    private func sendContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        guard !isResponding else { return context.close(promise: nil) }
        let problem: ProblemType = error == .headerOverflow ? .headerTooLarge : .malformedRequest
        var response = ProblemError(problem).response
        response.addCommonHeaders()
        response.headers[.connection] = "close"
        let body = (try? JSON.encode(Problem(problem))) ?? ByteBuffer()
        let closing = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.write(wrapOutboundOut(.head(response.head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in closing.value.close(promise: nil) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        readingTimer?.cancel()
        readingTimer = context.channel.isWritable ? nil : close(context, in: readingDeadline)
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        places.leave(context.channel)
        stopTimer()
        readingTimer?.cancel()
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = close(context, in: deadline)
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        let closing = NIOLoopBound(context, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) { closing.value.close(promise: nil) }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}

extension HTTPRequest {
    /// RFC 9110 § 10.1.1.
    fileprivate var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }
}

extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// TCP_USER_TIMEOUT of linux/tcp.h (RFC 5482), in milliseconds, which NIO has no name for.
    fileprivate static var tcpUserTimeout: Self { Self(level: .tcp, name: NIOBSDSocket.Option(rawValue: 18)) }
}
