import Datagrams
import Glibc
import ICE
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PeerCore
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

/// Hubs on loopback that have nothing but TCP between them, and guests who are no peers.
@Suite("TCP: a hub's connections", .serialized, .timeLimit(.minutes(1)))
struct TCPHubTests {
    // MARK: Two hubs

    /// What a hub told of its peer.
    private final class Told: Sendable {
        private let events = NIOLockedValueBox<[String]>([])

        func hear(_ event: PeerEvent) {
            let word: String? =
                switch event {
                case .connected: "connected"
                case .interrupted(let isSilent): isSilent ? "interrupted" : "back"
                case .disconnected(let reason): "gone: \(reason)"
                default: nil
                }
            if let word { events.withLockedValue { $0.append(word) } }
        }

        var all: [String] { events.withLockedValue { $0 } }
    }

    private func hub(_ tcp: TCPType?, name: UInt8, port: UInt16 = 0, told: Told = Told()) async throws -> PeerHub {
        var configuration = HubConfiguration.loopback(name: name) { told.hear($0) }
        configuration.port = port
        configuration.tcp = tcp
        return try await PeerHub.opened(configuration)
    }

    /// A sharer's and a viewer's hub; the viewer knows of nothing but the sharer's listeners.
    private struct Two {
        let sharer: PeerHub
        let viewer: PeerHub
        let sharerTold: Told
        let viewerTold: Told
        let id: PeerID
    }

    private func two() async throws -> Two {
        let (sharerTold, viewerTold) = (Told(), Told())
        let sharer = try await hub(.passive, name: 1, told: sharerTold)
        let viewer = try await hub(.active, name: 2, told: viewerTold)
        let id = PeerID(7)
        try await sharer.meet(viewer, as: id, telling: { $0.transport == .tcp(.passive) })
        return Two(sharer: sharer, viewer: viewer, sharerTold: sharerTold, viewerTold: viewerTold, id: id)
    }

    /// Looks until it is so; the suite's limit ends what never is.
    private func until(_ isSo: () async -> Bool) async throws {
        while await !isSo() { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("a sharer listens beside each socket, a viewer connects, and neither where it is not wanted")
    func candidates() async throws {
        let sharer = try await hub(.passive, name: 1)
        let told = await sharer.localCandidates()
        #expect(told.map(\.transport) == [.udp, .tcp(.passive)])
        let viewer = try await hub(.active, name: 2)
        #expect(await viewer.localCandidates().map(\.transport) == [.udp, .tcp(.active)])
        #expect(await viewer.listeners.isEmpty)
        let neither = try await hub(nil, name: 3)
        #expect(await neither.localCandidates().map(\.transport) == [.udp])
        for hub in [sharer, viewer, neither] { await hub.close() }
    }

    @Test("the port is UDP's where it is free, and any where it is not")
    func ports() async throws {
        // Another program may have that port of UDP, but not three times.
        for round in 1...3 {
            do {
                try await besideTaken()
                break
            } catch HubError.cannotBind where round < 3 {}
        }
        // Other programs may take a port in the meantime, but not five.
        var isSame = false
        for _ in 0..<5 where !isSame {
            let hub = try await hub(.passive, name: 1)
            isSame = await hub.listeners.keys.map(\.port) == hub.sockets.keys.map(\.port)
            await hub.close()
        }
        #expect(isSame)
    }

    /// A hub whose port is taken for TCP.
    private func besideTaken() async throws {
        let taken = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = UInt16(clamping: try #require(taken.localAddress?.port))
        let beside = try await hub(.passive, name: 1, port: port)
        #expect(await beside.sockets.keys.map(\.port) == [port])
        let other = try #require(await beside.listeners.keys.first?.port)
        #expect(other != port)
        await beside.close()
        try await taken.close()
    }

    @Test("two who have nothing else meet over TCP; a connection that breaks is made again; the end is heard")
    func life() async throws {
        let two = try await two()
        try await until { two.viewerTold.all == ["connected"] && two.sharerTold.all == ["connected"] }
        #expect(await two.sharer.serials.count == 1)
        let before = await two.viewer.serials
        await two.sharer.breakConnections()
        try await until { two.viewerTold.all == ["connected", "interrupted", "back"] }
        #expect(await two.viewer.serials != before)
        #expect(two.sharerTold.all == ["connected", "interrupted"])
        await two.sharer.remove(two.id)
        try await until { two.viewerTold.all.last == "gone: closedByPeer" }
        #expect(await two.viewer.statistics().isEmpty)
        #expect(await two.viewer.statistics(of: two.id)?.isConnected == false, "what was counted is told afterwards")
        try await until { await two.viewer.serials.isEmpty }
        #expect(await two.sharer.serials.isEmpty)
        for hub in [two.sharer, two.viewer] { await hub.close() }
    }

    @Test("a connection that takes nothing grows no queue, but for a few checks")
    func backlog() async throws {
        let (filled, sink) = AsyncStream.makeStream(of: (media: Int, checks: Int).self)
        let loop = NIOSingletons.posixEventLoopGroup.next()
        let listener = try await TCPSocket.listen(.loopback, port: 0, on: loop) { channel in
            sink.yield(Self.fill(channel))
            return { _ in }
        }
        let guest = try await guest(at: try #require(listener.localAddress?.port), reads: false)
        var waiting = filled.makeAsyncIterator()
        let found = await waiting.next()
        let (media, checks) = try #require(found)
        #expect((Limits.connectionBacklog...(Limits.connectionBacklog + 2 * Limits.datagramBytes)).contains(media))
        #expect(checks > media)
        #expect(checks <= Limits.connectionBacklog + Limits.checkBacklog + Limits.datagramBytes)
        try await guest.close()
        try await listener.close()
    }

    /// Sends a connection more than it takes: what waits then, before and after checks.
    private static func fill(_ channel: any Channel) -> (media: Int, checks: Int) {
        let address = TransportAddress(ip: .loopback, port: 9, transport: .tcp)
        let connection = TCPConnection(
            AddressPair(local: address, remote: address), serial: 1, channel: channel, owner: nil, at: .zero)
        connection.isAuthenticated = true
        for _ in 0..<20_000 {
            connection.send([UInt8](repeating: 128, count: 1200))
            connection.flush()
        }
        let media = channel.waitingBytes
        for _ in 0..<1_000 { connection.send([UInt8](repeating: 0, count: 100)) }
        return (media, channel.waitingBytes)
    }

    @Test("a connection that is reset while it is written to goes, and nothing else with it")
    func reset() async throws {
        let hub = try await hub(.passive, name: 1)
        let guest = try #require(try connect(to: await hub.listeners.keys.first?.port))
        try await until { await !hub.serials.isEmpty }
        await hub.write(behindResetOf: guest)
        try await until { await hub.serials.isEmpty }
        await hub.close()
    }

    // MARK: Guests

    /// A socket of the system's, which the test can reset at a moment of its choice.
    private func connect(to port: UInt16?) throws -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(port ?? 0))
        let done = address.withSockAddr { Glibc.connect(descriptor, $0, socklen_t($1)) }
        return done == 0 ? descriptor : nil
    }

    private func guest(of hub: PeerHub) async throws -> any Channel {
        try await guest(at: Int(try #require(await hub.listeners.keys.first?.port)))
    }

    private func guest(at port: Int, reads: Bool = true) async throws -> any Channel {
        try await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .channelOption(.autoRead, value: reads).connect(host: "127.0.0.1", port: port).get()
    }

    @Test("who speaks another protocol, or anything before a check, is shown out", arguments: [
        Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x16, 0x03, 0x01, 0x02, 0x00], [0, 3, 22, 254, 253], [0, 2, 128, 96],
        [0xFF, 0xFF],
    ])
    func strangers(_ bytes: [UInt8]) async throws {
        let hub = try await hub(.passive, name: 1)
        let guest = try await guest(of: hub)
        try await guest.writeAndFlush(ByteBuffer(bytes: bytes))
        try await guest.closeFuture.get()
        try await until { await hub.serials.isEmpty }
        await hub.close()
    }

    @Test("a check for nobody proves nothing: its sender stays a stranger")
    func unknown() async throws {
        let hub = try await hub(.passive, name: 1)
        let guest = try await guest(of: hub)
        let check = STUNMessage(.request, TransactionID(high: 1, low: 2), [.username("who:ever")]).encoded()
        try await guest.writeAndFlush(ByteBuffer(bytes: [0, UInt8(check.count)] + check + [0, 0]))
        try await until { await hub.serials.count == 1 }
        #expect(await hub.owners == 0)
        try await guest.close()
        try await until { await hub.serials.isEmpty }
        await hub.close()
    }

    @Test("one address has its share of strangers, and no more: who came first makes room")
    func crowd() async throws {
        let hub = try await hub(.passive, name: 1)
        var guests: [any Channel] = []
        for _ in 0..<Limits.strangersPerAddress { guests.append(try await guest(of: hub)) }
        try await until { await hub.serials.count == Limits.strangersPerAddress }
        let newest = try await guest(of: hub)
        try await guests.removeFirst().closeFuture.get()
        try await until { await hub.serials.count == Limits.strangersPerAddress }
        #expect(newest.isActive)
        for guest in guests + [newest] { try await guest.close() }
        await hub.close()
    }

    @Test("a hub that closes leaves no connection and no listener behind")
    func close() async throws {
        let hub = try await hub(.passive, name: 1)
        let guest = try await guest(of: hub)
        try await until { await !hub.serials.isEmpty }
        await hub.close()
        try await guest.closeFuture.get()
        #expect(await hub.listeners.isEmpty)
        #expect(await hub.serials.isEmpty)
    }
}

extension PeerHub {
    fileprivate var serials: [UInt64] { connections.all.values.map(\.serial) }

    fileprivate var owners: Int { connections.all.values.count { $0.isAuthenticated || $0.owner != nil } }

    /// The other side resets the connection, and before the event loop hears of it there is something to send.
    fileprivate func write(behindResetOf guest: Int32) {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(guest, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        Glibc.close(guest)
        for connection in connections.all.values {
            connection.isAuthenticated = true
            connection.send([UInt8](repeating: 128, count: 100))
            connections.wrote(connection.pair)
        }
        flush()
    }

    /// As a box on the way would.
    fileprivate func breakConnections() {
        for connection in connections.all.values { connection.close() }
    }
}
