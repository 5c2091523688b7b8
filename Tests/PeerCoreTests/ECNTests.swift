import Congestion
import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("ECN, from router to sharer")
struct ECNTests {
    private static func share(
        _ feedback: PathFeedback, ecn: ECN? = .capable0, sound: AudioSendParameters? = nil,
        _ change: (inout LinkConditions) -> Void = { _ in }
    ) -> Share {
        var conditions = LinkConditions()
        change(&conditions)
        return Share(PeerPair(seed: 7, conditions: conditions, feedback: feedback, ecn: ecn, sound: sound))
    }

    @Test("where the viewer tells of ECN, packets may be marked, and what was is counted",
        arguments: [PathFeedback.transportWide, .perStream])
    func counted(feedback: PathFeedback) throws {
        var share = Self.share(feedback) {
            $0.rate = 2_000_000
            $0.marking = .above(.milliseconds(15))
        }
        share.run(for: .seconds(3), unitSize: 3000)
        var path = try #require(share.pair.sharer.statistics.path)
        #expect(path.isMarkable)
        let (before, known) = (path.congestionMarks, path.capacity ?? 0)
        // Pictures that take twice what passes.
        share.run(for: .seconds(2), unitSize: 16_000)
        path = try #require(share.pair.sharer.statistics.path)
        #expect(path.congestionMarks > before + 3)
        #expect(path.capacity ?? 0 < min(known, 2_200_000), "\(path)")
    }

    @Test("control messages carry no ECT, and packets only once the network has let one through",
        arguments: [PathFeedback.transportWide, .perStream])
    func restraint(feedback: PathFeedback) {
        var share = Self.share(feedback) { $0.marking = .wiped }
        share.run(for: .seconds(8))
        #expect(share.pair.sharer.statistics.path?.isMarkable == false)
        #expect((1...10).contains(share.pair.sharerMarkable))
        var willing = Self.share(feedback)
        willing.run(for: .seconds(8))
        #expect(willing.pair.sharer.statistics.path?.isMarkable == true)
        let sent = zip(willing.pair.sharerDatagrams, willing.pair.sharerECN)
        let media = sent.filter { $0.0.read(DatagramKind.init) == .rtp }
        #expect(media.count { $0.1 == .capable0 } > media.count * 9 / 10)
        let control = sent.filter { $0.0.read(DatagramKind.init) != .rtp }
        #expect(control.count > 10 && control.allSatisfy { $0.1 == .notCapable })
    }

    @Test("a path that drops what may be marked loses a few packets, and no time", arguments: [PathFeedback.transportWide, .perStream])
    func dropped(feedback: PathFeedback) {
        // A picture in one packet: few enough that each is missed.
        var share = Self.share(feedback) { $0.marking = .lost }
        share.run(for: .seconds(12), unitSize: 600)
        #expect(share.pair.sharer.statistics.path?.isMarkable == false)
        #expect((1...10).contains(share.pair.sharerMarkable))
        #expect(share.pair.unitsReceived > 12 * 30 * 95 / 100, "\(share.pair.unitsReceived)")
    }

    @Test("without an agreement no packet carries ECT", arguments: [PathFeedback.transportWide, .perStream])
    func none(feedback: PathFeedback) {
        var share = Self.share(feedback, ecn: nil)
        share.run(for: .seconds(3))
        #expect(share.pair.sharerMarkable == 0 && share.pair.sharer.statistics.path?.isMarkable == false)
    }

    @Test("by way of a relay of the sharer's own no packet carries ECT: what it makes of that is not the path's doing",
        arguments: [PathFeedback.transportWide, .perStream])
    func relayed(feedback: PathFeedback) {
        var share = Share(PeerPair(seed: 7, feedback: feedback, ecn: .capable0, isRelayed: true))
        share.run(for: .seconds(8))
        #expect(share.pair.unitsReceived > 200 && share.pair.sharerMarkable == 0)
    }

    @Test("counters that come late, go back or jump count nothing")
    func counters() {
        var history = ECNFeedbackHistory()
        func report(_ highest: UInt32, _ capable: UInt32, _ marked: UInt16 = 0) -> ECNFeedback {
            ECNFeedback(
                senderSSRC: 9, mediaSSRC: 1, extendedHighestSequenceNumber: highest, capable0: capable,
                congestionExperienced: marked)
        }
        #expect(history.news(of: report(100, 40, 65_535))?.capable == 40)
        let next = history.news(of: report(110, 45, 2))
        #expect(next?.capable == 5 && next?.congestionExperienced == 3, "16 bits wrap")
        #expect(history.news(of: report(105, 43)) == nil)
        #expect(history.news(of: report(110, 45, 1)) == nil, "the same packets, told of before")
        #expect(history.news(of: report(112, 46, 2 &+ 60_000)) == nil, "more marks than packets")
        #expect(history.news(of: report(120, 40)) == nil)
        #expect(history.news(of: report(130, 50))?.capable == 10)
        for ssrc in 2...20 as ClosedRange<UInt32> {
            var other = report(1, 1)
            other.mediaSSRC = ssrc
            #expect((history.news(of: other) != nil) == (ssrc <= 8))
        }
    }
}
