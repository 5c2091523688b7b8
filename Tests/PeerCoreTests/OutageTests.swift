import ICE
import TestSupport
import Testing
import Timebase

@testable import PeerCore

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

    @Test(
        "a network that is gone for 25 s ends neither side, whenever it goes (40 moments, 150 ms apart)",
        arguments: [10, 150] as [Int64])
    func consent(delay: Int64) {
        for moment in 0..<40 as Range<Int64> {
            var conditions = LinkConditions()
            conditions.delay = .milliseconds(delay)
            var share = Share(PeerPair(seed: UInt64(moment), conditions: conditions))
            share.run(for: .milliseconds(6000 + moment * 150), unitSize: 300)
            share.pair.link.conditions.blackouts = [share.pair.now..<(share.pair.now + .seconds(25))]
            share.pair.run(for: .seconds(28))
            let (sharer, viewer) = (share.pair.sharerIsConnected, share.pair.viewerIsConnected)
            #expect(sharer && viewer, "\(moment * 150) ms later: sharer \(sharer), viewer \(viewer)")
        }
    }

    @Test("to who gives no feedback on packets hardly any leave either, and pictures begin anew, behind a leap in their numbers")
    func withoutFeedback() {
        var share = Share(PeerPair(seed: 7, takesFlexFEC: false, feedback: .none))
        share.run(for: .seconds(5))
        #expect(share.recent > 25)
        share.pair.link.conditions.loss = 1
        share.run(for: .seconds(4))
        let before = share.pair.sharer.statistics.outgoing?.packetsSent ?? 0
        share.run(for: .seconds(16))
        let sent = (share.pair.sharer.statistics.outgoing?.packetsSent ?? 0) - before
        #expect((50...120).contains(sent), "\(sent) packets in 16 s")
        share.pair.link.conditions.loss = 0
        share.run(for: .seconds(3))
        #expect(share.recent > 25)
        let leaps = share.pair.sharer.sender?.leap != nil
        #expect(leaps)
    }

    @Test("checks that nobody answers are no outage while reports come")
    func reportsAlone() {
        var share = Share(PeerPair(seed: 7, takesFlexFEC: false, feedback: .none))
        share.run(for: .seconds(5))
        (share.pair.viewerChecksNothing, share.pair.viewerAnswersNothing) = (true, true)
        share.run(for: .seconds(6))
        #expect(share.recent > 25)
    }

    @Test("who was not asked yet has not been away, however quiet it is")
    func notAsked() throws {
        var share = Share(PeerPair(seed: 4))
        share.run(for: .seconds(8))
        share.pair.link.conditions.loss = 1
        share.run(for: .milliseconds(250))
        let lost = share.pair.sharer.lostTime(at: share.pair.now)
        let unanswered = share.pair.sharer.ice.unansweredTime(at: share.pair.now)
        #expect(try #require(lost) <= unanswered)
    }

    @Test("who can be sent nothing again is shown pictures behind an outage too")
    func withoutRetransmission() {
        var share = Share(PeerPair(seed: 5, retransmission: false, takesFlexFEC: false))
        share.run(for: .seconds(3))
        share.pair.link.conditions.loss = 1
        share.run(for: .seconds(6))
        share.pair.link.conditions.loss = 0
        share.run(for: .seconds(5))
        #expect(share.recent > 25)
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
}
