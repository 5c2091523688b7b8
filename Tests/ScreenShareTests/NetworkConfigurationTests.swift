import Datagrams
import ICE
import PeerDriver
import Testing

@testable import ScreenShare

/// What a share's network settings make of its hub, and of the doctor's.
@Suite("How a share is reached", .timeLimit(.minutes(1)))
struct NetworkConfigurationTests {
    private static func network(_ interfaces: String...) -> NetworkConfiguration {
        var network = NetworkConfiguration()
        network.interfaces = interfaces
        return network
    }

    private func hub(_ network: NetworkConfiguration) async throws -> HubConfiguration {
        try await network.hubConfiguration(tcp: .passive) { _, _, _ in }
    }

    @Test("addresses that come and go are followed, by the doctor too, unless some were chosen")
    func following() async throws {
        let (all, chosen) = (Self.network(), Self.network("127.0.0.1"))
        #expect(try await hub(all).followsAddresses)
        #expect(try await !hub(chosen).followsAddresses)
        #expect(all.sockets(at: [.loopback], port: 0).followsAddresses)
        #expect(!chosen.sockets(at: [.loopback], port: 0).followsAddresses)
        #expect(chosen.sockets(at: [.loopback], port: 0).expendableAddresses.isEmpty)
        #expect(Self.network("lo").sockets(at: [.loopback], port: 0).expendableAddresses.contains(.loopback))
        #expect(!Self.network("lo", "127.0.0.1").sockets(at: [], port: 0).expendableAddresses.contains(.loopback))
    }

    @Test("a view uses loopback besides where its server is there, unless addresses or relays were chosen", arguments: [
        ("http://127.0.0.1:8080", true), ("http://localhost:8080/", true), ("https://Demo.localhost", true),
        ("http://[::1]:8080", true), ("http://192.0.2.1:8080", false), ("https://127.example.org", false),
        ("https://localhost.example.org", false), ("nowhere", false),
    ])
    func loopback(server: String, isThere: Bool) {
        var view = ViewConfiguration(server: server, room: "demo")
        let own = view.unlistedAddresses(beside: [])
        #expect(own.contains(.loopback) == isThere && own.allSatisfy(\.isLoopback))
        #expect(!view.unlistedAddresses(beside: [.loopback]).contains(.loopback))
        view.network.relayOnly = true
        #expect(view.unlistedAddresses(beside: []).isEmpty)
        view.network.relayOnly = false
        view.network.interfaces = ["192.0.2.1"]
        #expect(view.unlistedAddresses(beside: []).isEmpty)
    }

    @Test("an interface stands for its addresses, each once")
    func interfaces() throws {
        #expect(try Self.network("lo").localAddresses().contains(.loopback))
        #expect(try Self.network("127.0.0.1", "lo").localAddresses().filter { $0 == .loopback }.count == 1)
        for text in ["127.0.0.1", "::1", "192.0.2.1", "lo"] { #expect(NetworkConfiguration.isInterface(text), "\(text)") }
        for text in ["nope", "[::1]", "127.0.0.1:80", "", "lo "] {
            #expect(!NetworkConfiguration.isInterface(text), "\(text)")
            #expect(throws: ShareError.self) { try Self.network(text).localAddresses() }
        }
    }

    @Test("a STUN server that can't be asked refuses a share, unless only relays may be used: then it never is")
    func unknownServer() async throws {
        var network = Self.network("127.0.0.1")
        network.stunServers = ["stun:"]
        let asking = network
        await #expect(throws: ShareError.self) { try await hub(asking) }
        network.relayOnly = true
        #expect(try await hub(network).stunServers.isEmpty)
    }

    @Test("where the address is not ours the doctor says so, whatever the port, and nothing of servers")
    func foreignAddress() async throws {
        // TEST-NET-1 (RFC 5737): no machine has it.
        var network = Self.network("192.0.2.1")
        network.udpPort = 50_123
        network.stunServers = ["stun:127.0.0.1"]
        let facts = await NetworkCheck(network).run()
        let finding = try #require(facts.machineFindings.first { $0.check == .udpPort })
        #expect(finding.verdict == .failure && finding.advice?.contains("--interface") == true)
        #expect(facts.serverFindings.isEmpty)
    }
}
