import PeerCore
import TestSupport
import Testing
import Timebase

@Suite("Feedback that a peer holds back")
struct HeldFeedbackTests {
    /// As GStreamer 1.22 was seen to send it in a connection's first seconds.
    private static let pauses: [Int64] = [280, 370, 610, 1400, 1100, 900, 700, 500, 400, 300, 250, 200]

    @Test("pictures go on while it comes in batches, up to 1.4 s apart", arguments: 1...6)
    func batches(seed: UInt64) { playOn(seed: seed, reportsApart: .zero) }

    @Test("also on a machine that takes a while for each that is told", arguments: 1...6)
    func slowBatches(seed: UInt64) { playOn(seed: seed, reportsApart: .milliseconds(seed % 3 + 1)) }

    private func playOn(seed: UInt64, reportsApart: Duration) {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(seed % 2 == 0 ? 1 : 20)
        var share = Share(PeerPair(seed: seed, conditions: conditions))
        share.run(for: .seconds(1), unitSize: 15_000)
        share.pair.reportsApart = reportsApart
        var moment = share.pair.now
        for pause in Self.pauses {
            moment += .milliseconds(pause)
            share.pair.viewerReportsAt.append(moment)
        }
        let (begin, seen) = (share.pair.now, share.pair.received.count)
        share.run(for: .seconds(7), unitSize: 15_000)
        let seconds = (0..<7).map { second in
            share.pair.received.dropFirst(seen).count {
                $0.receivedAt >= begin + .seconds(second) && $0.receivedAt < begin + .seconds(second + 1)
            }
        }
        #expect(seconds.dropFirst().allSatisfy { $0 >= 27 }, "\(seconds)")
    }
}
