import PeerCore
import TestSupport
import Testing
import Timebase

@Suite("A viewer far away")
struct FarAwayTests {
    /// A geostationary satellite that loses one packet in two hundred, three in a row on average.
    private func share(takesFlexFEC: Bool, feedback: PathFeedback = .transportWide) -> Share {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(300)
        conditions.loss = 0.005
        conditions.lossLength = 3
        return Share(PeerPair(seed: 21, conditions: conditions, takesFlexFEC: takesFlexFEC, feedback: feedback))
    }

    /// A minute, in which the path becomes known, and its losses, by what gets lost.
    ///
    /// - Returns: what behind ten seconds the share of the time is that gaps of more than 183 ms take: three pictures, or
    ///   one and 150 ms. And by how much more was sent for repair.
    private func minute(_ share: consuming Share, unitSize: Int) -> (frozen: Double, extra: Double) {
        share.run(for: .seconds(60), unitSize: unitSize)
        let times = share.pair.received.map(\.receivedAt).drop { $0 < Instant(nanoseconds: 11_000_000_000) }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > .milliseconds(183) }
        let repaired = share.pair.sharer.statistics.outgoing?.bytesRepaired ?? 0
        return (gaps.reduce(0) { $0 + $1.inSeconds } / 50, Double(repaired) / Double(unitSize * share.unitsSent))
    }

    @Test("is spared most freezes by repair packets, rare as the bursts are")
    func bursts() {
        let with = minute(share(takesFlexFEC: true), unitSize: 15_000).frozen
        let without = minute(share(takesFlexFEC: false, feedback: .none), unitSize: 15_000).frozen
        #expect(without > 0.2, "there must be something to spare: \(without)")
        #expect(with * 5 < without, "frozen \(with) of the time, and \(without) without repair packets")
    }

    @Test("that takes no repair packets gets scrolled text twice")
    func twice() {
        let with = minute(share(takesFlexFEC: false), unitSize: 4000)
        let without = minute(share(takesFlexFEC: false, feedback: .none), unitSize: 4000)
        #expect(without.frozen > 0.05, "there must be something to spare: \(without)")
        #expect(with.frozen * 3 < without.frozen, "frozen \(with) of the time, and \(without) where all is sent once")
        #expect(with.extra < 1.1, "no more than twice")
    }

    @Test("gets no more twice than there is room for")
    func room() {
        let found = minute(share(takesFlexFEC: false), unitSize: 15_500)
        #expect(found.extra < 0.2, "\(found)")
    }

    @Test("gets nothing twice, and no repair packets, where nothing is lost", arguments: [true, false])
    func clean(takesFlexFEC: Bool) {
        var share = share(takesFlexFEC: takesFlexFEC)
        share.pair.link.conditions.loss = 0
        #expect(minute(share, unitSize: 4000).extra == 0)
    }
}

extension Share {
    /// The queue grows to 300 ms in four seconds each time, and loses packets as it overflows.
    mutating func runBesideTransfer(seconds: Int) {
        for step in 0..<seconds * 5 {
            let phase = step % 20
            // Down by as much as time goes by, so that nothing overtakes.
            let queue = phase < 3 ? 300 - phase * 66 : 100 + (phase - 3) * 12
            pair.link.conditions.delay = .milliseconds(40 + queue)
            pair.link.conditions.loss = phase == 19 || phase == 0 ? 0.03 : 0
            run(for: .milliseconds(200), unitSize: 4000)
        }
    }
}

@Suite("A viewer beside a transfer that fills the queue", .serialized)
struct BesideTransferTests {
    /// Of a minute.
    private func frozen(takesFlexFEC: Bool, seed: UInt64) -> Double {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(40)
        var share = Share(PeerPair(seed: seed, conditions: conditions, takesFlexFEC: takesFlexFEC))
        share.run(for: .seconds(5))
        share.runBesideTransfer(seconds: 60)
        let times = share.pair.received.map(\.receivedAt).drop { $0 < Instant(nanoseconds: 26_000_000_000) }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > .milliseconds(183) }
        return gaps.reduce(0) { $0 + $1.inSeconds } / 40
    }

    @Test("is spared most freezes: what is sent again would wait behind all of it")
    func overflow() {
        let seeds = 22...27 as ClosedRange<UInt64>
        let with = seeds.map { frozen(takesFlexFEC: true, seed: $0) }.reduce(0, +) / 6
        let without = seeds.map { frozen(takesFlexFEC: false, seed: $0) }.reduce(0, +) / 6
        #expect(without > 0.05, "there must be something to spare: \(without)")
        #expect(with * 2 < without, "frozen \(with) of the time, and \(without) without repair packets")
    }
}
