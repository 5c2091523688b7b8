import PeerCore
import TestSupport
import Testing
import Timebase

@Suite("A viewer far away")
struct FarAwayTests {
    /// A geostationary satellite that loses one packet in two hundred, three in a row on average.
    private func share(takesFlexFEC: Bool) -> Share {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(300)
        conditions.loss = 0.005
        conditions.lossLength = 3
        return Share(PeerPair(seed: 21, conditions: conditions, takesFlexFEC: takesFlexFEC))
    }

    /// The share of the time that gaps of more than 183 ms take: three pictures, or one and 150 ms.
    private func frozen(takesFlexFEC: Bool) -> Double {
        var share = share(takesFlexFEC: takesFlexFEC)
        share.run(for: .seconds(60), unitSize: 15_000)
        // The path becomes known, and its losses, by what gets lost.
        let times = share.pair.received.map(\.receivedAt).drop { $0 < Instant(nanoseconds: 11_000_000_000) }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > .milliseconds(183) }
        return gaps.reduce(0) { $0 + $1.inSeconds } / 50
    }

    @Test("is spared most freezes by repair packets, rare as the bursts are")
    func bursts() {
        let (with, without) = (frozen(takesFlexFEC: true), frozen(takesFlexFEC: false))
        #expect(without > 0.2, "there must be something to spare: \(without)")
        #expect(with * 5 < without, "frozen \(with) of the time, and \(without) without repair packets")
    }

    @Test("gets no repair packets where nothing is lost")
    func clean() {
        var share = share(takesFlexFEC: true)
        share.pair.link.conditions.loss = 0
        share.run(for: .seconds(10), unitSize: 15_000)
        #expect(share.pair.sharer.statistics.outgoing?.bytesRepaired == 0)
    }
}
