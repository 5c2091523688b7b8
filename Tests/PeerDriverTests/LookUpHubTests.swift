import Datagrams
import ICE
import NIOCore
import NIOPosix
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

/// A hub on loopback whose name servers say what a test wants them to say, and when.
@Suite("A hub's look-ups of names", .timeLimit(.minutes(1)))
struct LookUpHubTests {
    private func configuration(
        resolve: @escaping @Sendable (ICEServerURI) async -> [TransportAddress]
    ) -> HubConfiguration {
        var configuration = HubConfiguration.loopback()
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
        let hub = try await PeerHub.opened(configuration, on: eventLoop)
        if configuration.turnServers.contains(where: { $0.uri.transport == .udp }) { await hub.relayAgain() }
        for await _ in asked { break }
        await hub.close()
        return { [weak hub] in hub == nil }
    }

    // MARK: STUN servers

    @Test("where no STUN server answers its name is looked up again, and what it stands for by now is asked")
    func moved() async throws {
        let (old, new) = (try await TestSTUNServer(.error), try await TestSTUNServer(.port(plus: 1)))
        let (candidates, sink) = AsyncStream.makeStream(of: Candidate.self)
        var configuration = configuration { [address = new.address] _ in [address] }
        configuration.stunServers = [
            STUNServer(uri: try ICEServerURI("stun:somewhere.invalid"), addresses: [old.address])
        ]
        configuration.onCandidate = { sink.yield($0) }
        let hub = try await PeerHub.opened(configuration)
        var told = candidates.makeAsyncIterator()
        let candidate = try #require(await told.next())
        let base = try #require(candidate.base)
        #expect(candidate.address == .ip(TransportAddress(ip: .loopback, port: base.port &+ 1)))
        await hub.close()
        for server in [old, new] { try await server.close() }
    }

    @Test("it is looked up once a minute")
    func eachMinute() async throws {
        let server = try await TestSTUNServer(.error)
        let (asked, sink) = AsyncStream<Void>.makeStream()
        var configuration = configuration { _ in
            sink.yield()
            return []
        }
        configuration.stunServers = [
            STUNServer(uri: try ICEServerURI("stun:somewhere.invalid"), addresses: [server.address])
        ]
        let hub = try await PeerHub.opened(configuration)
        var seen = asked.makeAsyncIterator()
        #expect(await seen.next() != nil)
        let due = await hub.lookUpDue
        #expect(due - SystemClock.now() > .seconds(5))
        await hub.drainGatherer(at: due - .seconds(1))
        #expect(await hub.lookUpDue == due)
        await hub.drainGatherer(at: due)
        #expect(await seen.next() != nil)
        #expect(await hub.lookUpDue == due + .seconds(60))
        await hub.close()
        try await server.close()
    }
}
