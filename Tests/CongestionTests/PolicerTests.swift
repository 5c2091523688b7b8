import Congestion
import Testing
import Timebase

/// Networks that drop what is beyond a rate, without a queue, and such as lose packets whatever is sent.
@Suite("A policer, and loss that is the path's own")
struct PolicerTests {
    @Test(
        "what a policer drops is soon no longer sent, and what it lets pass is used",
        arguments: [600_000.0, 1_500_000, 3_000_000], [8_000.0, 40_000])
    func policed(rate: Double, burst: Double) {
        var simulation = PathSimulation(wish: 4_000_000) { _ in
            SimulatedPath(policer: SimulatedPath.Policer(bitsPerSecond: rate, burstBytes: burst))
        }
        simulation.run(for: 15)
        let (sent, dropped, bits) = (simulation.sent, simulation.dropped, simulation.bitsDelivered)
        simulation.run(for: 60)
        let loss = Double(simulation.dropped - dropped) / Double(simulation.sent - sent)
        #expect(loss < 0.1, "\(loss)")
        let used = (simulation.bitsDelivered - bits) / 60 / rate
        #expect(used > 0.75, "\(used)")
    }

    @Test("a path that loses much of whatever is sent is used as before", arguments: [0.15, 0.2, 0.25, 0.3])
    func lossy(loss: Double) {
        var simulation = PathSimulation(wish: 2_000_000) { _ in SimulatedPath(rate: 8_000_000, loss: loss) }
        simulation.run(for: 60)
        let used = simulation.bitsDelivered / 60 / (2_000_000 * (1 - loss))
        #expect(used > 0.85, "\(used)")
    }
}
