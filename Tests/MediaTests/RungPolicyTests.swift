import Media
import Testing
import Timebase

@Suite("Rungs for slow viewers")
struct RungPolicyTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// Tells the same rates four times a second.
    private func run(
        _ policy: inout RungPolicy<String>, _ rates: [String: Int], from start: Double, for seconds: Double
    ) {
        for step in 0..<Int(seconds * 4) {
            for (viewer, rate) in rates {
                _ = policy.update(viewer, bitsPerSecond: rate, at: at(start + Double(step) / 4))
            }
        }
    }

    @Test("viewers whose paths carry about the same share one encoding, for the slowest of them")
    func alike() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000, "b": 2_500_000], from: 0, for: 20)
        #expect(policy.rung(of: "a") == 0 && policy.rung(of: "b") == 0)
        #expect(policy.rates == [0: 2_500_000])
    }

    @Test("a viewer far below never holds the others back, and has an encoding of its own after two seconds")
    func slow() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000, "b": 1_500_000], from: 0, for: 1.5)
        #expect(policy.rates == [0: 2_000_000], "held back to half at most, at once")
        run(&policy, ["a": 4_000_000, "b": 1_500_000], from: 1.5, for: 2)
        #expect(policy.rung(of: "b") == 1)
        #expect(policy.rates == [0: 4_000_000, 1: 1_500_000])
    }

    @Test("one very far below is waited for half a second only")
    func verySlow() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000, "b": 64_000], from: 0, for: 0.5)
        #expect(policy.rates == [0: 2_000_000])
        run(&policy, ["a": 4_000_000, "b": 64_000], from: 0.5, for: 0.5)
        #expect(policy.rates == [0: 4_000_000, 1: 64_000])
    }

    @Test("three rungs and no more, whatever the viewers' rates")
    func many() {
        var policy = RungPolicy<String>()
        let rates = ["a": 8_000_000, "b": 2_000_000, "c": 500_000, "d": 100_000, "e": 60_000]
        run(&policy, rates, from: 0, for: 60)
        #expect(Set(rates.keys.map { policy.rung(of: $0) }) == [0, 1, 2])
        #expect(policy.rates.count == 3)
    }

    @Test("a path that recovers brings its viewer back, after five seconds")
    func recovery() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000, "b": 300_000], from: 0, for: 4)
        #expect(policy.rung(of: "b") == 1)
        run(&policy, ["a": 4_000_000, "b": 3_500_000], from: 4, for: 3)
        #expect(policy.rung(of: "b") == 1, "not at the first good moment")
        run(&policy, ["a": 4_000_000, "b": 3_500_000], from: 7, for: 4)
        #expect(policy.rung(of: "b") == 0)
    }

    @Test("a rate that swings around the border moves nobody to and fro")
    func swinging() {
        var policy = RungPolicy<String>()
        var moves = 0
        for step in 0..<2400 {
            let rate = step % 4 < 2 ? 1_900_000 : 2_600_000
            moves += policy.update("b", bitsPerSecond: rate, at: at(Double(step) / 4)).count
            moves += policy.update("a", bitsPerSecond: 4_000_000, at: at(Double(step) / 4)).count
        }
        #expect(moves == 0)
    }

    @Test("when the fast viewer leaves, the slow one goes back to the first rung")
    func leaving() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000, "b": 64_000], from: 0, for: 4)
        _ = policy.update("a", bitsPerSecond: nil, at: at(4))
        run(&policy, ["b": 64_000], from: 4, for: 7)
        #expect(policy.rates == [0: 64_000])
    }
}
