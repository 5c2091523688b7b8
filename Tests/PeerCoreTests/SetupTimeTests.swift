import PeerCore
import TestSupport
import Testing
import Timebase

@Suite("Peers that do not connect")
struct SetupTimeTests {
    @Test("are ended after 30 s, be it that nothing passes, or everything but the handshake", arguments: [false, true])
    func unreachable(hasWay: Bool) {
        var conditions = LinkConditions()
        if !hasWay { conditions.loss = 1 }
        var pair = PeerPair(seed: 5, conditions: conditions)
        pair.losesHandshake = true
        pair.run(for: .milliseconds(29_900))
        let isOnItsWay = pair.sharer.localAddress != nil
        #expect(isOnItsWay == hasWay)
        let early = [Self.ends(pair.sharerEvents), Self.ends(pair.viewerEvents)]
        #expect(early == [[], []])
        pair.run(for: .milliseconds(200))
        let ends = [Self.ends(pair.sharerEvents), Self.ends(pair.viewerEvents)]
        #expect(ends == [[.unreachable], [.unreachable]])
    }

    private static func ends(_ events: [PeerEvent]) -> [DisconnectReason] {
        events.compactMap { event in
            if case .disconnected(let reason) = event { reason } else { nil }
        }
    }
}
