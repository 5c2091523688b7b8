import Datagrams
import Glibc
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

private func number(_ name: String, or usual: UInt64) -> UInt64 {
    getenv(name).flatMap { UInt64(String(cString: $0)) } ?? usual
}

@Suite("Simulation")
struct SimulationTests {
    /// Each one's weather follows from it. `make simulation` runs 10,000; fewer under the sanitizers, where each takes
    /// a second. `SIMULATION_SEED=7` runs that one alone.
    static let seeds = getenv("SIMULATION_SEED") == nil
        ? Array(1...number("SIMULATION_SEEDS", or: 500)) : [number("SIMULATION_SEED", or: 1)]

    /// Loss to 30 %, single or in bursts, reordering, duplicates, narrow links, which are filled, marks of congestion treated
    /// well or badly.
    private func weather(_ seed: UInt64, _ random: inout SeededGenerator) -> LinkConditions {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(Int64(random.next() % 120))
        conditions.jitter = .milliseconds(Int64(random.next() % 40))
        conditions.loss = random.unit() * 0.3
        conditions.lossLength = seed % 2 == 0 ? 1 : 1 + random.unit() * 9
        conditions.duplication = random.unit() * 0.05
        if seed % 5 == 0 { conditions.rate = 1_000_000 + Int(random.next() % 7_000_000) }
        conditions.marking = [.above(.milliseconds(10)), .none, .wiped, .lost, .all, .above(.zero)][Int(seed / 2 % 6)]
        return conditions
    }

    @Test("whatever the network does, the share ends playing", arguments: seeds)
    func endsPlaying(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let events = seed % 8
        var conditions = weather(seed, &random)
        // Consent lasts for 30 s from the last answer (RFC 7675 § 5.1): a blackout of 25 leaves hardly room for more.
        if events == 0 { (conditions.loss, conditions.lossLength) = (min(conditions.loss, 0.03), 1) }
        let feedback: PathFeedback = seed % 3 == 0 ? .perStream : .transportWide
        let mark: ECN? = seed % 2 == 0 ? nil : seed % 9 == 0 ? .capable1 : .capable0
        var share = Share(PeerPair(seed: seed, conditions: conditions, feedback: feedback, mark: mark))
        share.followsPath = conditions.rate != nil
        share.run(for: .seconds(events == 0 ? 2 : 4), unitSize: 2500)
        if events == 0 || events == 3 {
            let length = Duration.seconds(events == 0 ? 25 : Int64(1 + random.next() % 10))
            share.pair.link.conditions.blackouts = [share.pair.now..<(share.pair.now + length)]
            share.run(for: length, unitSize: 2500)
        }
        if events == 1 { share.pair.sleepSharer(for: .seconds(Int64(1 + random.next() % 20))) }
        if events == 2 { share.pair.sleepViewer(for: .seconds(Int64(1 + random.next() % 20))) }
        if seed % 4 == 0 { share.pair.viewerMapping = PeerPair.address(77, port: UInt16(6000 + seed % 50_000)) }
        share.run(for: .seconds([1, 2].contains(events) ? 22 : 4), unitSize: 2500)
        // The weather clears; what was broken must mend.
        share.pair.link.conditions = LinkConditions()
        share.run(for: .seconds(6), unitSize: 2500)
        let areConnected = share.pair.bothAreConnected
        #expect(areConnected)
        #expect(share.recent >= 25, "\(share.recent) units in the last second")
        #expect(share.keyframes <= 40, "at most one a second")
        let statistics = share.pair.sharer.statistics.outgoing
        let (repaired, sent) = (statistics?.bytesRepaired ?? 0, statistics?.bytesSent ?? 0)
        if events > 3 { #expect(repaired * 2 <= sent, "\(repaired) of \(sent) bytes were repairs") }
    }
}

@Suite("Days on end")
struct LongRunTests {
    /// `make simulation` runs 30; every counter wraps in that time, many times.
    static let hours = number("VIRTUAL_HOURS", or: 2)

    @Test("numbers of 16 bits, timestamps of 32 and the NTP era wrap, and nobody notices")
    func wraps() {
        // The NTP era ends on 7 February 2036, half way through the run (RFC 5905 § 6).
        let half = Int64(Self.hours) * 1800
        let eraEnd: Int64 = 2_085_978_496
        let start = NTPTimestamp(unixNanoseconds: (eraEnd - half) * 1_000_000_000)
        var pair = PeerPair(seed: 42, mark: .capable0, wallClock: start)
        pair.keepsAll = false
        pair.run(for: .seconds(2))
        var video = SyntheticVideo()
        var (sent, late) = (0, 0)
        var last: Int64?
        for second in 0..<Int64(Self.hours) * 3600 {
            let captured = pair.now
            // Ten packets a second: sequence numbers wrap every two hours.
            pair.send(video.next(keyframe: second == 0, size: 11_000, capturedAt: captured, ticks: second * 90_000))
            sent += 1
            pair.run(for: .seconds(1))
            guard let unit = pair.received.last else { continue }
            if let last, unit.mediaTime.ticks - last != 90_000 { late += 1 }
            last = unit.mediaTime.ticks
            guard second > 5, let read = unit.capturedAt else { continue }
            let expected = start.advanced(by: captured - Instant(nanoseconds: 1_000_000_000))
            let error = Double(Int64(bitPattern: read.bits &- expected.bits)) / Double(1 << 32)
            if abs(error) > 0.002 { late += 1 }
        }
        #expect(pair.unitsReceived == sent)
        #expect(late == 0, "units with a wrong time")
        let wishes = pair.sharerEvents.count { if case .keyframeNeeded = $0 { true } else { false } }
        #expect(wishes == 1, "but at the beginning, nobody needs a keyframe")
        let areConnected = pair.bothAreConnected
        #expect(areConnected)
    }
}
