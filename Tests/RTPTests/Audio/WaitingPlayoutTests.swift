import RTP
import TestSupport
import Testing
import Timebase

@Suite("Audio playout that waits for what is missing, as a recording does")
struct WaitingPlayoutTests {
    /// Where these packets come all at once, with the one behind them.
    private func bench(heldBack: Range<Int>) -> PlayoutBench {
        var bench = PlayoutBench()
        bench.playout.waitsForMissing = true
        bench.jitter = { _, packet in
            heldBack.contains(packet) ? .milliseconds((heldBack.upperBound - packet) * 20) : .zero
        }
        return bench
    }

    /// What was put in for a listener aside, each piece begins where the one before it ended.
    private func isWhole(_ bench: PlayoutBench) -> Bool {
        let outputs = bench.heard.map(\.output).filter { !$0.isInserted }
        return zip(outputs, outputs.dropFirst()).allSatisfy { $0.timestamp + Int64($0.frames) == $1.timestamp }
    }

    @Test("All that a stall held back for less than a second is played", arguments: [1, 11, 30, 45])
    func stall(packets: Int) {
        var bench = bench(heldBack: 600..<600 + packets)
        bench.run(until: at(20))
        #expect(bench.played == Array(0..<bench.played.count) && bench.played.count > 990)
        #expect(bench.playout.statistics.concealedTicks == 0 && bench.playout.statistics.packetsLate == 0)
        #expect(isWhole(bench) && bench.playout.delay < .milliseconds(5), "\(bench.playout.delay)")
        #expect(bench.heard.allSatisfy { $0.output.due <= $0.at })
    }

    @Test("Of a longer stall the last second is played, in its place")
    func longStall() {
        var bench = bench(heldBack: 600..<680)
        bench.run(until: at(20))
        #expect(Set(bench.played).isSuperset(of: 631..<680) && bench.played == bench.played.sorted())
        #expect((bench.played.last ?? 0) > 990 && isWhole(bench))
        #expect((29 * 960...31 * 960).contains(bench.playout.statistics.concealedTicks), "\(bench.playout.statistics)")
    }

    @Test("So is the last second of packets of 60 ms, of which silence may not cover a part", arguments: 20..<40)
    func longStallOfLongPackets(packets: Int) {
        let heldBack = 200..<200 + packets
        var bench = PlayoutBench()
        bench.milliseconds = 60
        bench.playout.waitsForMissing = true
        bench.jitter = { _, packet in
            heldBack.contains(packet) ? .milliseconds((heldBack.upperBound - packet) * 60) : .zero
        }
        bench.run(until: at(20))
        // 16 of them last 960 ms.
        #expect(bench.played.filter(heldBack.contains) == Array(heldBack.suffix(16)))
        #expect(bench.playout.statistics.packetsLate == packets - 16 && isWhole(bench))
    }

    @Test("What is lost by itself is made good at once, as for a listener")
    func loss() {
        var bench = PlayoutBench()
        bench.playout.waitsForMissing = true
        bench.isLost = { (600..<603).contains($0) }
        bench.run(until: at(20))
        #expect(bench.played == Array(0..<bench.played.count + 3).filter { !(600..<603).contains($0) })
        #expect(bench.playout.statistics.concealedTicks == 3 * 960 && isWhole(bench))
        let givenUp = bench.heard.first { $0.output.sound == .conceal }
        #expect(givenUp.map { $0.at < at(12.2) } == true, "\(String(describing: givenUp?.at))")
        let last = bench.heard.last { $0.output.sound.isPacket }
        #expect(last.map { $0.at - $0.output.due <= .milliseconds(1) } == true, "nothing waits any more")
    }

    @Test("It is looked for when it should be played, and only then waited for")
    func look() {
        var playout = AudioPlayout()
        playout.waitsForMissing = true
        playout.receive([31 << 3, 0, 0, 0], sequenceNumber: 0, timestamp: 0, at: .zero)
        #expect(playout.nextLook(after: .zero) == playout.due)
        let first = playout.pull(at: at(0.01))
        #expect(first?.sound.isPacket == true)
        let look = playout.nextLook(after: at(0.01)) ?? .zero
        #expect(look > at(0.02) && look < at(0.026))
        let givenUp = playout.due ?? .zero
        #expect(playout.nextLook(after: at(0.03)) == givenUp && abs((givenUp - at(1.02)).inMilliseconds) < 1)
    }

    @Test("A blackout is filled without a hole, and what comes behind it is played on")
    func blackout() {
        var bench = PlayoutBench()
        bench.playout.waitsForMissing = true
        bench.isLost = { (500..<1750).contains($0) }
        bench.run(until: at(50))
        #expect(bench.played == Array(0..<500) + Array(1750..<max(1750, bench.played.last ?? 0) + 1))
        #expect((bench.played.last ?? 0) > 2490 && isWhole(bench))
        let filled = bench.heard.filter { !$0.output.sound.isPacket && $0.at > at(12) }
        #expect(filled.allSatisfy { $0.output.sound == .silence })
    }

    /// Takes all that is played by then: the next one's timestamp, and whether more is known to be missing.
    private func drain(_ playout: inout AudioPlayout, until now: Instant) -> (next: Int64, isDue: Bool) {
        while playout.pull(at: now) != nil {}
        let (due, look) = (playout.due, playout.nextLook(after: now))
        return (playout.next ?? -1, due != nil || look != nil)
    }

    @Test("Silence ends where it is not known that time has passed, though much of it has passed here, and goes on from there")
    func silenceEnd() {
        var playout = AudioPlayout()
        playout.waitsForMissing = true
        playout.receive([31 << 3, 0, 0, 0], sequenceNumber: 0, timestamp: 0, at: .zero)
        playout.silenceEnd = 960
        let guessed = drain(&playout, until: at(60))
        // The packet, and the 200 ms that are guessed behind it before there is silence.
        #expect(guessed.next == 960 + 9600)
        #expect(!guessed.isDue)
        playout.silenceEnd = 96_000
        let longer = drain(&playout, until: at(61))
        #expect((96_000..<96_000 + 2 * 960).contains(longer.next))
        #expect(!longer.isDue)
        playout.silenceEnd = nil
        let endless = drain(&playout, until: at(62))
        #expect(endless.next > 60 * 48_000)
    }

    @Test("A pause of the sender is silence, and known as such once it is over")
    func pause() {
        var bench = PlayoutBench()
        bench.playout.waitsForMissing = true
        bench.isPaused = { (100..<130).contains($0) || (300..<450).contains($0) }
        bench.run(until: at(12))
        let statistics = bench.playout.statistics
        #expect(statistics.concealedTicks == 0 && statistics.pausedTicks == 180 * 960, "\(statistics)")
        #expect(bench.played == (0..<bench.played.count + 180).filter { !bench.isPaused($0) } && isWhole(bench))
    }

    /// Takes a packet of 20 ms when it was sent, and what is due by then.
    private func take(_ packet: Int64, number: Int64, _ playout: inout AudioPlayout) {
        let now = at(Double(packet) * 0.02)
        while playout.pull(at: now) != nil {}
        playout.receive([31 << 3, 0, 0, 0], sequenceNumber: number, timestamp: packet * 960, at: now)
        while playout.pull(at: now + .milliseconds(10)) != nil {}
    }

    /// What is counted where 500 packets don't come, and no time is known to have passed, so that nothing is put in for them.
    private func outage(missingNumbers: Int64) -> PlayoutStatistics {
        var playout = AudioPlayout()
        playout.waitsForMissing = true
        for packet in Int64(0)..<50 { take(packet, number: packet, &playout) }
        playout.silenceEnd = 50 * 960
        take(550, number: 50 + missingNumbers, &playout)
        return playout.settled
    }

    @Test("An outage that nothing was put in for is counted as long as it was: as lost, or as a pause if no number is missing")
    func outageIsCounted() {
        let lost = outage(missingNumbers: 500)
        #expect(lost.concealedTicks == 500 * 960, "\(lost)")
        #expect(lost.pausedTicks == 0)
        let paused = outage(missingNumbers: 0)
        #expect(paused.concealedTicks == 0, "\(paused)")
        #expect(paused.pausedTicks == 500 * 960)
        #expect(paused.playedTicks == 51 * 960)
    }

    @Test("Random packets never trap (seed 9)")
    func random() {
        var random = SeededGenerator(seed: 9)
        var playout = AudioPlayout()
        playout.waitsForMissing = true
        var now = Instant.zero
        var (sequence, timestamp) = (Int64(0), Int64(0))
        for _ in 0..<20_000 {
            now += .microseconds(Int64.random(in: 0...30_000, using: &random))
            sequence &+= [1, 1, 1, 2, -3, 40_000, .max / 2].randomElement(using: &random) ?? 1
            timestamp &+= [960, 960, 960, 961, 0, 120, -960, 100_000, 1 << 40, .min / 2].randomElement(using: &random) ?? 0
            playout.receive([31 << 3, 0, 0, 0], sequenceNumber: sequence, timestamp: timestamp, at: now)
            for _ in 0..<5 {
                guard let output = playout.pull(at: now) else { break }
                #expect((120...5760).contains(output.frames) && (0.6...2).contains(output.speed))
            }
        }
        #expect(playout.statistics.restarts > 0)
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
}
