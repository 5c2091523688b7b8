import Datagrams
import ICE
import TestSupport
import Testing

@testable import PeerDriver

/// A hub on loopback that asks STUN servers which see what a test wants them to see.
@Suite("Asking about the NAT from a hub's sockets", .timeLimit(.minutes(1)))
struct MappingHubTests {
    @Test("servers that see the socket itself: there is no NAT, and each has said so")
    func none() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let servers = [try await TestSTUNServer(.port(plus: 0)), try await TestSTUNServer(.port(plus: 0))]
        let probes = await hub.probeMapping(by: servers.map(\.address), atMost: .seconds(30))
        #expect(probes.map(\.mapping) == [.none])
        #expect(servers.allSatisfy { probes[0].answer(of: $0.address)?.mapped == probes[0].base })
        #expect(servers.allSatisfy { probes[0].answer(of: $0.address)?.time != nil })
        for server in servers { try await server.close() }
        await hub.close()
    }

    @Test("servers that see different ports: the mapping depends on the port that is sent to")
    func dependent() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let servers = [try await TestSTUNServer(.port(plus: 1)), try await TestSTUNServer(.port(plus: 2))]
        let probes = await hub.probeMapping(by: servers.map(\.address), atMost: .seconds(30))
        #expect(probes.map(\.mapping) == [.addressAndPortDependent])
        for server in servers { try await server.close() }
        await hub.close()
    }

    @Test("a silent server is waited for no longer than said; without servers there is nothing to ask")
    func silent() async throws {
        let hub = try await PeerHub.opened(.loopback())
        let server = try await TestSTUNServer(.silence)
        let probes = await hub.probeMapping(by: [server.address], atMost: .milliseconds(50))
        #expect(probes.map(\.hasAnswer) == [false] && probes.map(\.mapping) == [.unknown])
        #expect(await hub.probeMapping(by: [], atMost: .seconds(30)).isEmpty)
        try await server.close()
        await hub.close()
    }
}
