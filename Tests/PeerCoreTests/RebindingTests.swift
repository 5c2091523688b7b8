import ICE
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Reports from an address that is nobody's")
struct RebindingTests {
    @Test("a viewer whose address changes is followed by its reports, before it checks anything", arguments: 1...6)
    func reportsFromElsewhere(seed: UInt64) {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(25)
        var share = Share(PeerPair(seed: seed, conditions: conditions))
        // The first seconds are another matter for ICE, which then still chooses among pairs.
        share.run(for: seed % 2 == 0 ? .seconds(1) : .seconds(5))
        share.pair.viewerMapping = PeerPair.address(99, port: 7000)
        share.pair.viewerChecksNothing = true
        let (moved, seen) = (share.pair.now, share.pair.received.count)
        share.run(for: .seconds(2))
        let back = share.pair.received.dropFirst(seen).first { $0.receivedAt > moved + .milliseconds(100) }
        #expect(back != nil)
    }

    @Test("who turns out to have another address in a local network is still sent the first page as fast as that takes it")
    func localNetwork() {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(2)
        var pair = PeerPair(seed: 7, conditions: conditions)
        pair.run(for: .seconds(1))
        let before = pair.sharer.path.capacity
        let mapped = PeerPair.address(99, port: 7000)
        pair.viewerMapping = mapped
        pair.run(for: .seconds(6))
        let (address, after) = (pair.sharer.ice.sendAddresses?.remote, pair.sharer.path.capacity)
        #expect(address == mapped)
        #expect(before == 10_000_000 && after == before, "\(before), then \(after)")
    }

    @Test("reports that nobody can have written, or that came before, lead nowhere")
    func forgedReportsFromElsewhere() throws {
        var share = Share(PeerPair(seed: 3))
        share.run(for: .seconds(5))
        let genuine = try #require(share.pair.viewerDatagrams.last { $0.count > 8 && $0[0] >= 128 })
        let checks = share.pair.sharerDatagrams.count { $0.starts(with: [0, 1]) }
        var forged = genuine
        forged[forged.count - 1] ^= 1
        for datagram in [genuine, forged] { share.pair.receiveStrayAtSharer(datagram, from: PeerPair.address(66)) }
        share.pair.run(for: .milliseconds(200))
        #expect(share.pair.sharerDatagrams.count { $0.starts(with: [0, 1]) } == checks)
    }
}
