import Dispatch
import FoundationEssentials
import ICE
import Logging
import NIOCore
import NIOPosix
import PeerCore
import PeerDriver
import TestSupport
import Testing

@testable import ScreenShare
@testable import SignalingClient

@Suite("A viewer whose restart of ICE gets no answer", .timeLimit(.minutes(1)))
struct LostAnswerTests {
    private func connect(_ sharer: PeerHub, _ viewer: PeerHub) async throws -> ViewNegotiation {
        let id = PeerID(1)
        let negotiation = try await ViewNegotiation(
            hub: viewer, peer: id, wanted: ViewConfiguration(endpoint: "http://127.0.0.1/"))
        _ = try await sharer.add(id, PeerSetup(iceRole: .controlled, handshakeRole: .active), lane: nil)
        try await sharer.introduce(to: viewer, as: id)
        return negotiation
    }

    /// A server that takes each request, and ends the connection in place of an answer.
    private func server(_ came: AsyncStream<String>.Continuation) async throws -> (channel: any Channel, port: Int) {
        let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Taker(came))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, try #require(channel.localAddress?.port))
    }

    @Test("asks for it again, though the sharer is heard by then: it may have begun anew")
    func owed() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (connected, joined) = AsyncStream.makeStream(of: Void.self)
        let (requests, came) = AsyncStream.makeStream(of: String.self)
        let (_, signals) = AsyncStream.makeStream(of: PeerEvent.self)
        let server = try await server(came)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/session"))
        let session = WHEPSession(url: url, token: nil, etag: "\"a\"", iceServers: [])
        let life = ViewLife(
            configuration: ViewConfiguration(endpoint: "http://127.0.0.1/"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let sharer = try await PeerHub.opened(.loopback(), on: loops.next())
        let viewer = try await PeerHub.opened(
            .loopback(name: 2) { event in
                if case .connected = event { joined.yield() }
            })
        let negotiation = try await connect(sharer, viewer)
        for await _ in connected { break }

        // The sharer is away until the first request has come.
        let gate = DispatchSemaphore(value: 0)
        sharer.perform { _ in gate.wait() }
        let watching = Task { await life.watchPath(session, negotiation, signals) }
        var asked = requests.makeAsyncIterator()
        let first = await asked.next()
        gate.signal()
        let second = await asked.next()
        let lost = await negotiation.lostTime() ?? .zero
        #expect(first?.hasPrefix("PATCH /session ") == true && second?.hasPrefix("PATCH /session ") == true)
        #expect(lost < ViewLimits.lostTime, "else it asks for that reason")
        watching.cancel()
        await watching.value
        await sharer.close()
        await viewer.close()
        try await server.channel.close()
        try await loops.shutdownGracefully()
    }
}

private final class Taker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let came: AsyncStream<String>.Continuation
    private var isFirst = true

    init(_ came: AsyncStream<String>.Continuation) { self.came = came }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isFirst else { return }
        isFirst = false
        came.yield(String(buffer: unwrapInboundIn(data)))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
