import Datagrams
import ICE
import NIOCore
import NIOPosix
import PeerCore
import TestSupport
import Testing

@testable import PeerDriver

@Suite("Addresses that stand in no list", .timeLimit(.minutes(1)))
struct UnlistedAddressesTests {
    private static let listed = IPAddress.v6(high: 0, low: 1)

    private func hub(
        name: UInt8, _ addresses: [IPAddress], unlisted: [IPAddress] = [],
        hear: @escaping @Sendable (PeerEvent) -> Void = { _ in }
    ) async throws -> PeerHub {
        var configuration = HubConfiguration(
            addresses: addresses, port: 0, stunServers: [], makeSecurity: { TransparentSecurity(name: name) },
            makeAuthenticator: { TestAuthenticator() }, onEvent: { _, _, event in hear(event) })
        configuration.tcp = .active
        configuration.unlistedAddresses = unlisted
        let hub = PeerHub(configuration, eventLoop: NIOSingletons.posixEventLoopGroup.next())
        try await hub.open()
        return hub
    }

    @Test("a peer that has no others is reached from one of them, over UDP, and is told of none")
    func reached() async throws {
        let (events, told) = AsyncStream.makeStream(of: PeerEvent.self)
        let sharer = try await hub(name: 1, [.loopback])
        let viewer = try await hub(name: 2, [Self.listed], unlisted: [.loopback]) { told.yield($0) }
        let candidates = await viewer.listedCandidates()
        #expect(!candidates.isEmpty && candidates.allSatisfy { $0.base?.ip == Self.listed })
        let unlisted = await viewer.localCandidates().filter { $0.base?.ip == .loopback }
        #expect(unlisted.map(\.transport) == [.udp])
        let id = PeerID(7)
        let ours = try await sharer.add(id, PeerSetup(iceRole: .controlled, handshakeRole: .active), lane: nil)
        let theirs = try await viewer.add(id, PeerSetup(iceRole: .controlling, handshakeRole: .passive), lane: nil)
        let toViewer = RemoteParameters(
            credentials: ours, fingerprint: try await sharer.localFingerprint(), candidates: await sharer.listedCandidates())
        let toSharer = RemoteParameters(
            credentials: theirs, fingerprint: try await viewer.localFingerprint(), candidates: candidates)
        await sharer.with(id) { core, now in core.setRemote(toSharer, at: now) }
        await viewer.with(id) { core, now in core.setRemote(toViewer, at: now) }
        for await event in events {
            if case .connected = event { break }
        }
        await viewer.close()
        await sharer.close()
    }

    @Test("one that can't be bound is left out")
    func unbound() async throws {
        // TEST-NET-1 (RFC 5737): no machine has it.
        let hub = try await hub(name: 1, [.loopback], unlisted: [.v4(0xC000_0201)])
        #expect(await hub.localCandidates().allSatisfy { $0.base?.ip == .loopback })
        await hub.close()
    }
}
