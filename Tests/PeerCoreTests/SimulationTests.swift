import Glibc
import TestSupport
import Testing
import Timebase

@Suite("Simulation")
struct SimulationTests {
    /// The written seeds: each one's conditions follow from it. Fewer under the sanitizers, where each takes a second.
    static let seeds = Array(1...(getenv("SIMULATION_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 200))

    @Test("whatever the network does for half a minute, the share ends playing", arguments: seeds)
    func endsPlaying(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(Int64(random.next() % 120))
        conditions.jitter = .milliseconds(Int64(random.next() % 40))
        conditions.loss = random.unit() * 0.2
        conditions.duplication = random.unit() * 0.05
        if seed % 3 == 0 {
            let start = Instant(nanoseconds: 1_000_000_000) + .seconds(Int64(5 + random.next() % 5))
            conditions.blackouts = [start..<(start + .seconds(10))]
        }
        var share = Share(PeerPair(seed: seed, conditions: conditions))
        share.run(for: .seconds(12), unitSize: 2500)
        if seed % 4 == 0 { share.pair.viewerMapping = PeerPair.address(77, port: UInt16(6000 + seed)) }
        share.run(for: .seconds(13), unitSize: 2500)
        // The weather clears; what was broken must mend.
        share.pair.link.conditions.loss = 0
        share.pair.link.conditions.jitter = .zero
        share.run(for: .seconds(10), unitSize: 2500)
        let areConnected = share.pair.bothAreConnected
        #expect(areConnected)
        #expect(share.recent >= 25, "\(share.recent) units in the last second")
        #expect(share.keyframes <= 37, "at most one a second")
    }
}
