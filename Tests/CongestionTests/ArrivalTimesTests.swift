import Congestion
import Testing
import TestSupport

@Suite("Times of arrival that can't be true")
struct ArrivalTimesTests {
    @Test("who lies about them is sent as much as who does not", arguments: [nil, 0.0, 4, 60] as [Double?])
    func lies(span: Double?) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var share = PathSimulation(seed: seed, feedbackInterval: .milliseconds(10)) { _ in
                SimulatedPath(rate: nil, delay: .milliseconds(5))
            }
            share.run(for: 10)
            var random = SeededGenerator(seed: seed)
            share.told = { span == nil ? random.unit() * 1e6 : $0 + random.unit() * (span ?? 0) }
            let begin = share.bitsDelivered
            share.run(for: 20)
            #expect((share.bitsDelivered - begin) / 20 > 3_500_000, "\((share.bitsDelivered - begin) / 20), seed \(seed)")
        }
    }

    @Test("a narrow link is found out all the same, by when feedback comes")
    func narrowLink() {
        for seed in 1...5 as ClosedRange<UInt64> {
            var share = PathSimulation(seed: seed) { SimulatedPath(rate: $0 < 10 ? 4_000_000 : 1_000_000) }
            var random = SeededGenerator(seed: seed)
            share.told = { $0 + random.unit() * 60 }
            share.run(for: 15)
            let begin = share.bitsDelivered
            share.run(for: 25)
            #expect(share.queue(0.95, from: 15) < 0.12, "\(share.queue(0.95, from: 15)) s, seed \(seed)")
            #expect((share.bitsDelivered - begin) / 25 > 700_000, "\((share.bitsDelivered - begin) / 25), seed \(seed)")
        }
    }

    @Test("a clock that is set, forth or back, makes no queue", arguments: [3600, 0.5, -0.5, -3600])
    func clockIsSet(seconds: Double) {
        var share = PathSimulation { _ in SimulatedPath(rate: 5_000_000) }
        share.told = { $0 < 10 ? $0 + 10_000 : $0 + 10_000 + seconds }
        share.run(for: 10)
        let begin = share.bitsDelivered
        share.run(for: 20)
        #expect((share.bitsDelivered - begin) / 20 > 3_500_000, "\((share.bitsDelivered - begin) / 20)")
        #expect(share.picturesPerSecond(from: 10, to: 30) > 29)
    }

    @Test("nor where the screen rests again and again")
    func clockIsSetBetweenPauses() {
        var share = PathSimulation(feedbackInterval: .milliseconds(50)) { _ in
            SimulatedPath(rate: 8_000_000, delay: .milliseconds(40))
        }
        share.told = { $0 < 10 ? $0 : $0 + 3600 }
        share.moves = { $0 < 10.5 || Int($0) % 3 != 0 }
        share.run(for: 10.5)
        let before = share.estimator.capacity
        for _ in 0..<100 {
            share.run(for: 0.09)
            #expect(share.estimator.queueDelay < .milliseconds(45))
        }
        #expect(share.estimator.capacity > before * 3 / 4, "\(share.estimator.capacity) of \(before)")
    }
}
