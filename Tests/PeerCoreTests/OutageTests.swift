import PeerCore
import TestSupport
import Testing
import Timebase

@Suite("While nothing passes, and when it does again")
struct OutageTests {
    @Test("while ICE has no pair, nothing is sent, numbered or used up")
    func noPair() {
        var share = Share(PeerPair(seed: 3))
        share.run(for: .seconds(5))
        share.pair.link.conditions.loss = 1
        share.run(for: .seconds(20))
        // The old pair lives until its consent ends, 30 s after the last answer; a new one is looked for meanwhile.
        share.pair.restartAtSharer()
        share.run(for: .seconds(12))
        let before = share.pair.sharer.statistics.outgoing?.packetsSent ?? 0
        share.run(for: .seconds(5))
        let isConnected = share.pair.sharerIsConnected
        #expect(isConnected, "a restart goes on for longer")
        let sent = (share.pair.sharer.statistics.outgoing?.packetsSent ?? 0) - before
        #expect(sent == 0)
    }

    @Test("who is back from an outage is served once", arguments: 1...6 as ClosedRange<UInt64>)
    func servedOnce(seed: UInt64) {
        var share = Share(PeerPair(seed: seed))
        share.run(for: .milliseconds(300), unitSize: 3000)
        share.pair.link.conditions.loss = 1
        share.run(for: .milliseconds(2000 + Int64(seed) * 300), unitSize: 3000)
        share.pair.link.conditions.loss = 0
        let (served, keyframes) = (share.timesServed, share.keyframes)
        share.run(for: .seconds(2), unitSize: 3000)
        #expect(share.timesServed - served + share.keyframes - keyframes <= 1)
        #expect(share.recent > 25)
    }

    @Test("a link that hardly let anything through and does again is used again some seconds later",
        arguments: [(30_000, 5), (64_000, 5), (150_000, 3)], [PathFeedback.transportWide, .perStream])
    func widens(link: (rate: Int, seconds: Int), feedback: PathFeedback) {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(25)
        var share = Share(PeerPair(seed: 7, conditions: conditions, feedback: feedback))
        share.run(for: .seconds(3), unitSize: 2500)
        share.pair.link.conditions.rate = link.rate
        share.run(for: .seconds(15), unitSize: 2500)
        #expect(share.recent < 10)
        share.pair.link.conditions.rate = nil
        share.run(for: .seconds(link.seconds), unitSize: 2500)
        // In the last second: so it was there a second before.
        #expect(share.recent >= 25)
    }
}
