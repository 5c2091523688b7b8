import Datagrams
import ICE
import TestSupport
import Testing

@testable import PeerDriver

@Suite("The order of our addresses", .timeLimit(.minutes(1)))
struct CandidateOrderTests {
    /// As text it comes behind the others.
    private static let preferred = IPAddress.v4(0x7F00_0009)
    private static let others = [IPAddress.v4(0x7F00_0003), .loopback]

    private func hub(_ tcp: TCPType) async throws -> PeerHub {
        var configuration = HubConfiguration.loopback()
        configuration.addresses = [Self.preferred] + Self.others
        configuration.tcp = tcp
        return try await PeerHub.opened(configuration)
    }

    @Test("the preferred address is listed and checked first, over UDP and TCP", arguments: [TCPType.passive, .active])
    func preference(_ tcp: TCPType) async throws {
        let hub = try await hub(tcp)
        let expected = [Self.preferred] + Self.others
        let candidates = await hub.localCandidates()
        for transport in [CandidateTransport.udp, .tcp(tcp)] {
            let own = candidates.filter { $0.transport == transport }
            #expect(own.compactMap { $0.base?.ip } == expected)
            #expect(own.map(\.priority) == own.map(\.priority).sorted(by: >) && Set(own.map(\.priority)).count == 3)
        }
        await hub.close()
    }

    @Test("what the system does not rank any more comes last, and in an order that lasts")
    func unranked() async throws {
        let hub = try await hub(.active)
        await hub.rank([Self.others[0]])
        let expected = [Self.others[0], .loopback, Self.preferred]
        #expect(await hub.listedSockets.map(\.ip) == expected)
        await hub.close()
    }
}

extension PeerHub {
    fileprivate func rank(_ addresses: [IPAddress]) { rankedAddresses = addresses }
}
