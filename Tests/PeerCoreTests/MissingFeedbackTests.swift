import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Feedback on packets that comes no more")
struct MissingFeedbackTests {
    private static let parameters = SendParameters(
        payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer", mid: nil,
        extensions: ExtensionMap(), bitsPerSecond: 4_000_000)
    private var now = Instant.zero + .seconds(1)
    private var feedback = MissingFeedback(parameters)

    /// A report a second later, in silence.
    private mutating func report(_ highest: UInt32, of ssrc: UInt32 = 1, after pause: Duration = .seconds(1)) -> Bool {
        now += pause
        let block = ReportBlock(
            ssrc: ssrc, fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: highest, jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
        return feedback.follow(block, isSilent: true, at: now)
    }

    @Test("who goes on reporting that packets come is shown pictures by that, within seconds")
    func reportsAlone() {
        var share = Share(PeerPair(seed: 6, retransmission: false, takesFlexFEC: false))
        share.run(for: .seconds(5))
        #expect(share.recent > 25)
        share.pair.viewerTellsNothing = true
        share.run(for: .seconds(2))
        #expect(share.recent < 10, "nobody knows yet that something passes")
        share.run(for: .seconds(10))
        #expect(share.recent > 25)
        share.pair.viewerTellsNothing = false
        share.run(for: .seconds(5))
        #expect(share.recent > 25)
        let goesByReports = share.pair.sharer.path.goesByReports
        #expect(!goesByReports)
    }

    @Test("what is sent again will do: in silence that may be all that leaves")
    mutating func retransmissions() {
        let ends = [10, 12, 14, 16, 18].map { report($0, of: 2) }
        #expect(ends == [false, false, false, false, true])
    }

    @Test("reports that tell of nothing more say nothing, as those of a path on which nothing passes; nor do others' streams")
    mutating func outage() {
        for turn in 0..<60 as Range<UInt32> {
            let ends = report(turn < 3 ? turn : 2) || report(9, of: 2) || report(turn, of: 3)
            #expect(!ends)
        }
    }

    @Test("several reports of a moment are one, and feedback begins the count anew")
    mutating func moments() {
        let together = (0..<20 as Range<UInt32>).map { report($0, after: .milliseconds(10)) }
        #expect(!together.contains(true))
        let first = [30, 40].map { report($0) }
        feedback.feedbackCame()
        let second = [50, 60, 70, 80].map { report($0) }
        #expect(first + second == [false, false, false, false, false, true])
    }
}
