import Datagrams
import ICE
import NIOCore
import NIOPosix
import PeerCore
import TestSupport
import Testing

@testable import PeerDriver

/// A hub on loopback whose name servers say what a test wants them to say, and when.
@Suite("A hub's look-ups of names", .timeLimit(.minutes(1)))
struct LookUpHubTests {
    private func configuration(
        resolve: @escaping @Sendable (ICEServerURI) async -> [TransportAddress]
    ) -> HubConfiguration {
        var configuration = HubConfiguration(
            addresses: [.loopback], port: 0, stunServers: [], makeSecurity: { TransparentSecurity(name: 1) },
            makeAuthenticator: { TestAuthenticator() }, onEvent: { _, _, _ in })
        configuration.resolve = resolve
        return configuration
    }

    @Test("while a name server is silent nothing of a hub is held: closed it is gone, and its event loop may be", arguments: [
        ICEServerURI.Transport.udp, .tcp,
    ])
    func silent(_ transport: ICEServerURI.Transport) async throws {
        let (asked, sink) = AsyncStream<Void>.makeStream()
        let (silence, voice) = AsyncStream<Void>.makeStream()
        var configuration = configuration { _ in
            sink.yield()
            for await _ in silence {}
            return []
        }
        // None of ours reaches the one, and nobody listens at the other.
        let address = TransportAddress(ip: transport == .udp ? .v6(high: 0, low: 1) : .loopback, port: 9)
        configuration.turnServers = [
            RelayServer(
                uri: try ICEServerURI("turn:somewhere.invalid?transport=\(transport.rawValue)"), addresses: [address],
                credentials: .secret("secret"))
        ]
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isGone = try await closeLookingUp(configuration, asked, on: loops.next())
        #expect(isGone())
        try await loops.shutdownGracefully()
        voice.finish()
    }

    /// Opens a hub and closes it as soon as it looks something up.
    /// - Returns: whether nobody holds it.
    private func closeLookingUp(
        _ configuration: HubConfiguration, _ asked: AsyncStream<Void>, on eventLoop: any EventLoop
    ) async throws -> () -> Bool {
        let hub = PeerHub(configuration, eventLoop: eventLoop)
        try await hub.open()
        if configuration.turnServers.contains(where: { $0.uri.transport == .udp }) { await hub.relayAgain() }
        for await _ in asked { break }
        await hub.close()
        return { [weak hub] in hub == nil }
    }
}
