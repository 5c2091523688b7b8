import Datagrams
import ICE
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
        var configuration = HubConfiguration.loopback(name: name, hear: hear)
        configuration.addresses = addresses
        configuration.tcp = .active
        configuration.unlistedAddresses = unlisted
        return try await PeerHub.opened(configuration)
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
        try await sharer.meet(viewer)
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
