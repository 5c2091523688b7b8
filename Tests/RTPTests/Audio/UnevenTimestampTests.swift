import RTP
import TestSupport
import Testing
import Timebase

/// Some gateways date each packet by a clock, in milliseconds as a rule, where others count samples.
@Suite("Audio playout of timestamps that are off by some ticks")
struct UnevenTimestampTests {
    /// - Parameter ticks: so many early or late at most.
    private func bench(_ ticks: Int64, seed: UInt64 = 1) -> PlayoutBench {
        var bench = PlayoutBench(seed: seed)
        bench.timestampError = { Int64($0) * 7919 % (2 * ticks + 1) - ticks }
        return bench
    }

    @Test("Every packet is played, nothing is guessed between them, and none waits for it", arguments: [1, 24, 100])
    func clean(ticks: Int64) {
        var bench = bench(ticks)
        bench.run(until: at(20))
        #expect(bench.played == Array(0..<bench.played.count) && bench.played.count > 990)
        let statistics = bench.playout.statistics
        #expect(statistics.concealedTicks == 0 && statistics.pausedTicks == 0, "\(statistics)")
        #expect(bench.playout.delay < .milliseconds(10), "\(bench.playout.delay)")
    }

    @Test("On a network with jitter late packets make the delay grow, as where samples are counted", arguments: [1, 24])
    func jitter(ticks: Int64) {
        var bench = bench(ticks, seed: 5)
        bench.jitter = { random, _ in .milliseconds(Int64.random(in: 0...30, using: &random)) }
        bench.run(until: at(60))
        let share = bench.playout.statistics.concealedShare
        #expect(share < 0.01, "\(share), \(bench.playout.statistics)")
        #expect((25...40).contains(bench.playout.delay.inMilliseconds), "\(bench.playout.delay)")
    }

    @Test("A clock that is slower than the samples loses none either")
    func slowClock() {
        var bench = PlayoutBench()
        bench.timestampError = { Int64($0) * -2 }
        bench.run(until: at(20))
        #expect(bench.played == Array(0..<bench.played.count) && bench.played.count > 990)
    }

    @Test("What in-band FEC can mend is mended")
    func inbandFEC() {
        var bench = bench(24)
        bench.hasInbandFEC = true
        bench.isLost = { $0 == 60 }
        bench.jitter = { _, packet in packet < 50 && packet % 5 == 0 ? .milliseconds(30) : .zero }
        bench.run(until: at(3))
        #expect(bench.heard.contains { $0.output.sound == .recover(from: bench.bytes(61)) })
        #expect(bench.playout.delay < .milliseconds(40), "\(bench.playout.delay)")
    }

    @Test("A pause of the sender stays silence, and what is lost is guessed")
    func pauseAndLoss() {
        var bench = bench(24)
        bench.isPaused = { (100..<180).contains($0) && $0 % 20 != 0 }
        bench.isLost = { $0 == 300 }
        bench.run(until: at(10))
        let statistics = bench.playout.statistics
        #expect((840...1080).contains(statistics.concealedTicks), "\(statistics)")
        #expect((75 * 960...77 * 960).contains(statistics.pausedTicks), "\(statistics)")
    }

    @Test("A recording keeps all that a stall held back")
    func recording() {
        var bench = bench(24)
        bench.playout.waitsForMissing = true
        bench.jitter = { _, packet in (600..<630).contains(packet) ? .milliseconds((630 - packet) * 20) : .zero }
        bench.run(until: at(20))
        #expect(bench.played == Array(0..<bench.played.count) && bench.played.count > 990)
        #expect(bench.playout.statistics.concealedTicks == 0, "\(bench.playout.statistics)")
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
}
