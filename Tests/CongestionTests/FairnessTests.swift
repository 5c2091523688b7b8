import Congestion
import Testing
import Timebase

/// What several shares make of one link; pictures of each at a phase of its own, as sharers have it.
private struct SharedLink {
    let bitsPerSecond: Double
    var flows: [PathSimulation]

    /// - Parameters:
    ///   - delays: one way, of each flow.
    ///   - interval: between their starts.
    init(_ bitsPerSecond: Double, delays: [Duration], interval: Double, wish: Int = 1_500_000, seed: UInt64) {
        self.bitsPerSecond = bitsPerSecond
        flows = delays.enumerated().map { index, delay in
            var flow = PathSimulation(seed: seed * 100 + UInt64(index), start: 1_000_000, wish: wish) { _ in
                SimulatedPath(rate: bitsPerSecond, delay: delay, jitter: .milliseconds(15))
            }
            flow.startsAt = Double(index) * interval + Double((index * 17 + Int(seed) * 5) % 33) / 1000
            return flow
        }
    }

    /// What each has of the link, 0…1, from one moment until another.
    mutating func shares(from begin: Double, to end: Double) -> [Double] {
        PathSimulation.share(&flows, for: begin)
        let before = flows.map(\.bitsDelivered)
        PathSimulation.share(&flows, for: end - begin)
        return zip(flows, before).map { ($0.bitsDelivered - $1) / (end - begin) / bitsPerSecond }
    }

    /// 1 where all have the same (R. Jain, RFC 5166 § 2.3).
    static func fairness(_ shares: [Double]) -> Double {
        let sum = shares.reduce(0, +)
        return sum * sum / (Double(shares.count) * shares.map { $0 * $0 }.reduce(0, +))
    }
}

@Suite("Several shares on one link")
struct FairnessTests {
    /// With 16, and growth beside TCP that was another, shares took each other for TCP.
    private static let seeds = [1, 2, 3, 4, 16] as [UInt64]

    @Test("five, of round trips from 20 to 300 ms, all get their part, and no queue stands", arguments: seeds)
    func roundTrips(seed: UInt64) {
        var link = SharedLink(4_000_000, delays: [10, 25, 50, 100, 150].map { .milliseconds($0) }, interval: 10, seed: seed)
        let shares = link.shares(from: 70, to: 180)
        #expect(shares.reduce(0, +) > 0.9)
        #expect(SharedLink.fairness(shares) > 0.85, "\(shares)")
        #expect(shares.allSatisfy { $0 > 0.08 }, "\(shares)")
        #expect(link.flows[0].queue(0.5, from: 70) < 0.05)
        #expect(link.flows[0].queue(0.95, from: 70) < 0.1)
    }

    @Test("who comes late gets as much as who was there first", arguments: seeds)
    func latecomer(seed: UInt64) {
        let delays = [Duration.milliseconds(50), .milliseconds(50)]
        var link = SharedLink(2_000_000, delays: delays, interval: 30, wish: 4_000_000, seed: seed)
        let shares = link.shares(from: 50, to: 120)
        #expect(shares.reduce(0, +) > 0.9)
        #expect(SharedLink.fairness(shares) > 0.8, "\(shares)")
        #expect(link.flows[0].queue(0.5, from: 50) < 0.05)
    }
}
