import RTP
import TestSupport
import Testing
import Timebase

@Suite("Audio playout: the viewer's jitter buffer")
struct AudioPlayoutTests {
    @Test("On a clean network every packet is played in order, within 5 ms of its arrival")
    func clean() {
        var bench = PlayoutBench()
        bench.run(until: at(20))
        #expect(bench.played == Array(0..<bench.played.count) && bench.played.count > 990)
        let waits = bench.heard.enumerated().map { index, heard in
            (heard.at - (at(Double(index) * 0.02) + .milliseconds(50))).inMilliseconds
        }
        #expect((waits.first ?? 9) <= 5 && (waits.max() ?? 9) <= 5 && (waits.last ?? 9) <= 2.2, "\(waits.prefix(3))")
        #expect(bench.playout.statistics.concealedTicks == 0)
        #expect(bench.heard.allSatisfy { $0.output.due == $0.at && $0.output.frames == 960 })
    }

    @Test("What had waited before the first came is left out: sound is not late because of it")
    func heldBack() {
        var bench = PlayoutBench()
        // Until keys are there, say.
        bench.jitter = { _, packet in packet < 5 ? .milliseconds(Int64(90 - packet * 20)) : .zero }
        bench.run(until: at(2))
        #expect(bench.played == Array(4..<4 + bench.played.count) && bench.played.count > 85)
        #expect(bench.playout.delay < .milliseconds(15), "\(bench.playout.delay)")
        #expect(bench.playout.statistics.packetsLate == 4 && bench.playout.statistics.concealedTicks == 0)
    }

    @Test("Nor is it where those that had waited come one after the other")
    func heldBackLonger() {
        var bench = PlayoutBench()
        // Behind a page on a slow link: 15 packets, 3 ms apart.
        bench.jitter = { _, packet in packet < 15 ? .milliseconds(Int64(260 - packet * 17)) : .zero }
        bench.run(until: at(3))
        #expect(bench.playout.delay < .milliseconds(105), "\(bench.playout.delay)")
        #expect(bench.playout.statistics.packetsDiscarded + bench.playout.statistics.packetsLate > 5)
        #expect(bench.played == bench.played.sorted() && bench.played.count > 120)
    }

    @Test("Each output tells its RTP timestamp")
    func timestamps() {
        var bench = PlayoutBench()
        bench.isLost = { $0 == 20 }
        bench.run(until: at(1))
        let stamps = bench.heard.map(\.output.timestamp)
        // Waiting for a packet that may be late takes steps of 5 ms.
        let steps = (1...3).map { bench.timestamp(20) + Int64($0) * 240 }
        #expect(stamps == ((0...stamps.count - 4).map { bench.timestamp($0) } + steps).sorted())
        #expect(bench.heard[20...23].allSatisfy { $0.output.sound == .conceal && $0.output.frames == 240 })
        #expect(bench.heard[24].output.sound == .packet(bench.bytes(21)))
    }

    @Test("Neighbours that change places and packets that come twice are played once, in order")
    func disorder() {
        var bench = PlayoutBench()
        bench.duplicatePercent = 30
        bench.jitter = { _, packet in packet % 7 == 3 ? .milliseconds(25) : .zero }
        bench.run(until: at(30))
        let settled = bench.played.filter { $0 > 100 }
        #expect(settled == Array(101...(settled.last ?? 0)))
        #expect(bench.playout.statistics.packetsDuplicate > 300)
        #expect((25...32).contains(bench.playout.delay.inMilliseconds), "\(bench.playout.delay)")
    }

    @Test("Jitter makes the delay grow at once; on a calm network it shrinks again, by speed", arguments: [20, 60])
    func jitter(milliseconds: Int) {
        var bench = PlayoutBench(seed: 5)
        bench.jitter = { random, packet in
            (1000..<3000).contains(packet)
                ? .milliseconds(Int64.random(in: 0...Int64(milliseconds), using: &random)) : .zero
        }
        bench.run(until: at(22))
        let before = bench.playout.statistics.concealedTicks
        bench.run(until: at(59))
        let concealed = bench.playout.statistics.concealedTicks - before
        // Out of 37 s.
        #expect(concealed < 48_000 * 37 / 200, "\(concealed / 48) ms")
        let delay = bench.playout.delay.inMilliseconds
        #expect((Double(milliseconds) * 0.8...Double(milliseconds) * 1.3 + 5).contains(delay), "\(delay)")
        let after = bench.playout.statistics.concealedTicks
        bench.run(until: at(110))
        #expect(bench.playout.delay < .milliseconds(4) && bench.playout.statistics.concealedTicks == after)
        #expect(bench.heard.allSatisfy { (0.995...1.005).contains($0.output.speed) })
    }

    @Test("A lone late packet is waited for, not lost, when nothing else is there")
    func late() {
        var bench = PlayoutBench()
        // A pause of the network: what was sent meanwhile comes all at once behind it.
        bench.jitter = { _, packet in
            (500..<505).contains(packet) ? .milliseconds(Int64(100 - (packet - 500) * 20)) : .zero
        }
        bench.run(until: at(40))
        #expect(bench.played == Array(0..<bench.played.count), "nothing is left out")
        let concealed = bench.playout.statistics.concealedTicks
        #expect((4 * 960...6 * 960).contains(concealed), "\(concealed)")
        #expect(bench.playout.delay < .milliseconds(5))
    }

    @Test("A packet that others overtook makes the delay grow at once: the next one like it is in time")
    func overtaken() {
        var bench = PlayoutBench()
        bench.jitter = { _, packet in packet == 1500 || packet == 1510 ? .milliseconds(50) : .zero }
        bench.run(until: at(40))
        #expect(bench.played == Array(0..<bench.played.count + 1).filter { $0 != 1500 })
        let statistics = bench.playout.statistics
        #expect(statistics.packetsLate == 1 && (2400...2640).contains(statistics.insertedTicks), "\(statistics)")
    }

    @Test(
        "Concealed at 10 % random loss: well below 1 % with two RED levels, 1 % with one or in-band FEC, all without",
        arguments: [
            (2, false, 0.0...0.004), (1, false, 0.007...0.013), (0, true, 0.007...0.013), (0, false, 0.09...0.11),
        ])
    func loss(levels: Int, inbandFEC: Bool, expected: ClosedRange<Double>) {
        var bench = PlayoutBench(seed: 11)
        bench.lossPercent = 10
        bench.redundancyLevels = levels
        bench.hasInbandFEC = inbandFEC
        bench.jitter = { random, _ in .milliseconds(Int64.random(in: 0...15, using: &random)) }
        bench.run(until: at(600))
        let share = bench.playout.statistics.concealedShare
        #expect(expected.contains(share), "\(share), \(bench.playout.statistics), \(bench.playout.delay)")
        #expect(bench.playout.delay < .milliseconds(15 + 20 * max(levels, inbandFEC ? 1 : 0) + 12))
    }

    @Test("What in-band FEC can mend is asked of the packet behind, which is decoded next itself")
    func inbandFEC() {
        var bench = PlayoutBench()
        bench.hasInbandFEC = true
        bench.isLost = { $0 == 60 || $0 == 80 || $0 == 81 }
        bench.jitter = { _, packet in packet < 50 && packet % 5 == 0 ? .milliseconds(30) : .zero }
        bench.run(until: at(3))
        func sound(_ packet: Int) -> PlayoutOutput.Sound? {
            bench.heard.last { $0.output.timestamp == bench.timestamp(packet) && !$0.output.isInserted }?.output.sound
        }
        #expect(sound(60) == .recover(from: bench.bytes(61)) && sound(61) == .packet(bench.bytes(61)))
        #expect(sound(80) == .conceal && sound(81) == .recover(from: bench.bytes(82)))
    }

    @Test("A pause of the sender (DTX) is silence, not loss, and sound begins at its time behind it")
    func pause() {
        var bench = PlayoutBench()
        bench.isPaused = { (100..<180).contains($0) && $0 % 20 != 0 }
        bench.run(until: at(6))
        let statistics = bench.playout.statistics
        #expect(statistics.concealedTicks == 0, "\(statistics)")
        #expect(statistics.pausedTicks == 76 * 960, "\(statistics)")
        let first = bench.heard.first { $0.output.timestamp == bench.timestamp(180) }
        #expect(first?.output.sound == .packet(bench.bytes(180)))
        #expect(abs(((first?.at ?? .zero) - at(3.652)).inMilliseconds) < 2, "\(String(describing: first?.at))")
    }

    @Test("Behind a pause packets of 60 ms are played too, whatever step it ended in", arguments: [-500.0, 500])
    func longPackets(ppm: Double) {
        var bench = PlayoutBench()
        bench.milliseconds = 60
        bench.ppm = ppm
        bench.isPaused = { (100..<600).contains($0) }
        bench.run(until: at(50))
        #expect(bench.played == Array(0..<100) + Array(600..<max(600, bench.played.last ?? 0) + 1))
        let wait = bench.heard.first { $0.output.timestamp == bench.timestamp(600) }.map { $0.at - at(36.05) }
        #expect(
            (wait ?? .seconds(9)) < .milliseconds(90) && bench.playout.delay < .milliseconds(65),
            "\(bench.playout.delay)")
    }

    @Test("A short pause whose end is known already is silence too, and loss beside it is concealed")
    func foreseenPause() {
        var bench = PlayoutBench()
        bench.playout.holdBack = .milliseconds(150)
        bench.isPaused = { $0 > 2000 && $0 % 100 < 3 }
        bench.isLost = { $0 > 2500 && $0 % 100 == 50 }
        bench.run(until: at(70))
        let statistics = bench.playout.statistics
        #expect(statistics.pausedTicks == 44 * 960 && statistics.concealedTicks == 10 * 960, "\(statistics)")
        let silent = bench.heard.filter { $0.output.sound == .silence }
        #expect(silent.count == 44 && silent.allSatisfy { (0.66...2).contains($0.output.speed) })
    }

    @Test("A packet lost within a pause is concealed once; the rest of the pause is silence")
    func lossInPause() {
        var bench = PlayoutBench()
        bench.isPaused = { (100..<180).contains($0) && $0 % 20 != 0 }
        bench.isLost = { $0 == 140 }
        bench.run(until: at(6))
        #expect(bench.playout.statistics.concealedTicks == 960, "\(bench.playout.statistics)")
    }

    @Test(
        "After a blackout of 25 s it plays on within a packet, whether what was sent is lost or comes late at once",
        arguments: [false, true])
    func blackout(comesLate: Bool) {
        var bench = PlayoutBench()
        if comesLate {
            bench.jitter = { _, packet in
                (500..<1750).contains(packet) ? .milliseconds(Int64(1750 - packet) * 20) : .zero
            }
        } else {
            bench.isLost = { (500..<1750).contains($0) }
        }
        bench.run(until: at(35.0))
        let statistics = bench.playout.statistics
        #expect(statistics.concealedTicks >= 24 * 48_000)
        bench.run(until: at(50))
        let back = bench.heard.first { $0.at >= at(35.05) && $0.output.sound.isPacket }
        #expect((back?.at ?? .distantFuture) <= at(35.05 + 0.02 + 0.005), "\(String(describing: back?.at))")
        let last = bench.played.last ?? 0
        #expect(last > 2490 && bench.playout.delay < .milliseconds(5), "\(bench.playout.delay)")
        let silent = bench.heard.filter { $0.at > at(11) && $0.at < at(35.03) }
        #expect(silent.allSatisfy { $0.output.sound == .silence } && silent.count > 1100)
    }

    @Test(
        "A sender that starts again with other timestamps is followed within 100 ms",
        arguments: [-3_000_000_000, 77_777, 9_000_000_000])
    func restart(jump: Int64) {
        var playout = AudioPlayout()
        var plays: [Int64] = []
        for packet in 0..<200 {
            let now = at(Double(packet) * 0.02)
            let timestamp = Int64(packet) * 960 + (packet < 100 ? 0 : jump)
            playout.receive([31 << 3, 0x80, 0, 0], sequenceNumber: Int64(packet), timestamp: timestamp, at: now)
            while let output = playout.pull(at: now + .milliseconds(6)) {
                if case .packet = output.sound { plays.append(output.timestamp) }
            }
        }
        let after = plays.drop { $0 < 100 * 960 && $0 >= 0 }
        #expect(after.count >= 94 && playout.statistics.restarts == 1, "\(after.count)")
        #expect(plays.last == 199 * 960 + jump)
    }

    @Test("Stale packets that come faster than they were sent are no restart: what is new is played")
    func staleStream() {
        var playout = AudioPlayout()
        var last: Int64 = 0
        for packet in 0..<1500 {
            // Nothing passes for 12 s; then what waited comes, one each 5 ms.
            let sent = at(Double(packet) * 0.02)
            let now = packet < 100 ? sent : max(sent, at(14 + Double(packet - 100) * 0.005))
            while let due = playout.due, due <= now {
                if let output = playout.pull(at: due) { last = output.timestamp }
            }
            playout.receive([31 << 3, 0, 0, 0], sequenceNumber: Int64(packet), timestamp: Int64(packet) * 960, at: now)
        }
        #expect(playout.statistics.restarts == 0 && last >= 1490 * 960, "\(playout.statistics)")
        #expect(playout.delay < .milliseconds(120), "\(playout.delay)")
    }

    @Test("Another SSRC starts anew at once")
    func otherSource() {
        var playout = AudioPlayout()
        playout.receive([31 << 3, 0, 0, 0], sequenceNumber: 1, timestamp: 5000, at: at(1))
        playout.restart()
        #expect(playout.due == nil && playout.pull(at: at(9)) == nil)
        playout.receive([31 << 3, 1, 1, 1], sequenceNumber: 70, timestamp: -800, at: at(2))
        #expect(playout.pull(at: at(2.01))?.sound == .packet([31 << 3, 1, 1, 1]))
    }

    @Test("In a virtual 8 h at ±500 ppm the delay neither grows nor runs out", arguments: [-500.0, 500])
    func eightHours(ppm: Double) {
        let figures = Figures()
        var bench = PlayoutBench(seed: 3)
        bench.ppm = ppm
        bench.milliseconds = 60
        bench.jitter = { random, _ in .microseconds(Int64.random(in: 0...8000, using: &random)) }
        bench.onOutput = { _, playout in figures.note(playout) }
        bench.run(until: at(60))
        figures.delays = nil
        let before = bench.playout.statistics
        bench.run(until: at(8 * 3600))
        let statistics = bench.playout.statistics
        let delays = figures.delays ?? 0...99
        #expect(delays.lowerBound > 0 && delays.upperBound < 20, "\(delays)")
        let concealed = statistics.concealedTicks - before.concealedTicks
        #expect(concealed * 1000 < statistics.playedTicks, "\(concealed / 48) ms")
    }

    @Test("Lip sync may hold sound back: reached by speed, and given back")
    func holdBack() {
        var bench = PlayoutBench()
        bench.run(until: at(5))
        bench.playout.holdBack = .milliseconds(40)
        bench.run(until: at(25))
        #expect(abs(bench.playout.delay.inMilliseconds - 42) < 1, "\(bench.playout.delay)")
        bench.playout.holdBack = .zero
        bench.run(until: at(45))
        #expect(bench.playout.delay < .milliseconds(3) && bench.playout.statistics.concealedTicks == 0)
        bench.playout.holdBack = .seconds(900)
        #expect(bench.playout.holdBack == .seconds(1))
    }

    @Test("A viewer that was away for a while goes on with what is new, in bounded memory")
    func stalledViewer() {
        var playout = AudioPlayout()
        for packet in 0..<500 {
            playout.receive(
                [31 << 3, 0, 0, 0], sequenceNumber: Int64(packet), timestamp: Int64(packet) * 960,
                at: at(Double(packet) * 0.02))
        }
        let now = at(10)
        var outputs: [PlayoutOutput] = []
        while let output = playout.pull(at: now) { outputs.append(output) }
        #expect(outputs.count <= 80 && playout.statistics.packetsDiscarded > 400)
        #expect(outputs.last.map { $0.timestamp >= 498 * 960 } == true)
    }

    @Test("Behind a sleep of the machine it goes on at once, and what comes then is in its place")
    func sleep() {
        var playout = playedForASecond()
        let packets = Int64(8 * 3600 * 50)
        let now = at(8 * 3600)
        var outputs = 0
        while playout.pull(at: now) != nil { outputs += 1 }
        #expect(outputs < 1000)
        playout.receive([31 << 3, 7, 7, 7], sequenceNumber: 50, timestamp: packets * 960, at: now)
        let back = playout.pull(at: now + .milliseconds(20))
        #expect(back?.sound == .packet([31 << 3, 7, 7, 7]) && back?.timestamp == packets * 960)
        #expect(back.map { $0.due >= now && $0.due < now + .milliseconds(5) } == true)
        #expect(playout.statistics.concealedTicks == 0, "\(playout.statistics)")
        #expect(playout.statistics.pausedTicks == (packets - 50) * 960, "\(playout.statistics)")
    }

    @Test("The time without a sender is no loss, once there is another")
    func withoutSender() {
        var playout = playedForASecond()
        while let due = playout.due, due < at(61) { _ = playout.pull(at: due) }
        #expect(playout.settled.concealedTicks == 9600, "200 ms, also as long as there is none")
        playout.restart()
        #expect(playout.statistics.concealedTicks == 9600, "\(playout.statistics)")
        #expect(playout.statistics.pausedTicks >= 59 * 48_000, "\(playout.statistics)")
    }

    /// Packets 0 to 49, on a clean network.
    private func playedForASecond() -> AudioPlayout {
        var playout = AudioPlayout()
        for packet in 0..<50 {
            let now = at(Double(packet) * 0.02)
            playout.receive(
                [31 << 3, 0, 0, 0], sequenceNumber: Int64(packet), timestamp: Int64(packet) * 960, at: now)
            while playout.pull(at: now) != nil {}
        }
        return playout
    }

    @Test("Random packets never trap, and what is held stays bounded (seed 4)")
    func random() {
        var random = SeededGenerator(seed: 4)
        var playout = AudioPlayout()
        var now = Instant.zero
        var (sequence, timestamp) = (Int64(0), Int64(0))
        for _ in 0..<60_000 {
            now += .microseconds(Int64.random(in: 0...30_000, using: &random))
            sequence &+= [1, 1, 1, 2, -3, 40_000, .max / 2].randomElement(using: &random) ?? 1
            timestamp &+=
                [960, 960, 960, 961, 0, 120, -960, 100_000, 1 << 40, .min / 2].randomElement(using: &random) ?? 0
            if random.chance(2) { (sequence, timestamp) = (.max, .min) }
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let copies = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                AudioPlayout.Copy(timestampOffset: Int64.random(in: -5...16_383, using: &random), bytes: bytes)
            }
            playout.receive(bytes, copies: copies, sequenceNumber: sequence, timestamp: timestamp, at: now)
            if random.chance(1) { playout.holdBack = .milliseconds(Int64.random(in: -9...2000, using: &random)) }
            for _ in 0..<5 {
                guard let output = playout.pull(at: now) else { break }
                #expect((120...5760).contains(output.frames) && (0.6...2).contains(output.speed))
            }
        }
        #expect(playout.statistics.restarts > 0)
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
}

/// What a closure notes.
final class Figures {
    var delays: ClosedRange<Double>?
    private var count = 0

    /// One in ten: hours have many.
    func note(_ playout: AudioPlayout) {
        count += 1
        guard count % 10 == 0 else { return }
        let delay = playout.delay.inMilliseconds
        delays = min(delays?.lowerBound ?? delay, delay)...max(delays?.upperBound ?? delay, delay)
    }
}

extension PlayoutOutput.Sound {
    var isPacket: Bool {
        if case .packet = self { true } else { false }
    }
}
