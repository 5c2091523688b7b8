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

    @Test("a viewer who falls far below holds nobody back, and has an encoding of its own after two seconds")
    func slow() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000], from: 0, for: 1)
        run(&policy, ["a": 4_000_000, "b": 1_500_000], from: 1, for: 1.5)
        #expect(policy.rung(of: "b") == 0 && policy.rates == [0: 4_000_000], "not even until it moves")
        run(&policy, ["a": 4_000_000, "b": 1_500_000], from: 2.5, for: 2)
        #expect(policy.rung(of: "b") == 1)
        #expect(policy.rates == [0: 4_000_000, 1: 1_500_000])
    }

    @Test("one very far below is waited for half a second only")
    func verySlow() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000], from: 0, for: 1)
        run(&policy, ["a": 4_000_000, "b": 64_000], from: 1, for: 0.5)
        #expect(policy.rung(of: "b") == 0 && policy.rates == [0: 4_000_000])
        run(&policy, ["a": 4_000_000, "b": 64_000], from: 1.5, for: 0.5)
        #expect(policy.rates == [0: 4_000_000, 1: 64_000])
    }

    @Test("several who have fallen far below hold nobody back either, and share the next rung")
    func severalSlow() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000], from: 0, for: 1)
        let rates = ["a": 4_000_000, "b": 1_500_000, "c": 1_200_000]
        run(&policy, rates, from: 1, for: 1.5)
        #expect(policy.rates == [0: 4_000_000])
        run(&policy, rates, from: 2.5, for: 2)
        #expect(policy.rates == [0: 4_000_000, 1: 1_200_000])
    }

    @Test("a newcomer who is thought to take far more has the others sent no more than half of that, and nobody moves")
    func guess() {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 1_000_000, "b": 900_000], from: 0, for: 5)
        run(&policy, ["a": 1_000_000, "b": 900_000, "c": 3_000_000], from: 5, for: 1)
        #expect(policy.rates == [0: 1_500_000])
        run(&policy, ["a": 1_000_000, "b": 900_000, "c": 800_000], from: 6, for: 5)
        #expect(policy.rates == [0: 800_000])
    }

    @Test("three rungs and no more, whatever the viewers' rates")
    func many() {
        var policy = RungPolicy<String>()
        let rates = ["a": 8_000_000, "b": 2_000_000, "c": 500_000, "d": 100_000, "e": 60_000]
        run(&policy, rates, from: 0, for: 60)
        #expect(Set(rates.keys.map { policy.rung(of: $0) }) == [0, 1, 2])
        #expect(
            policy.rates == [0: 8_000_000, 1: 2_000_000, 2: 250_000],
            "below the last rung there is nothing: its best gets half of what it takes, and no less")
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

    @Test(
        "a rate that swings about the border holds nobody back to it, and before long moves its viewer, once",
        arguments: [(2, 4), (7, 8)])
    func swinging(low: Int, of period: Int) {
        var policy = RungPolicy<String>()
        run(&policy, ["a": 4_000_000], from: 0, for: 1)
        var moves: [Double] = []
        var rates: Set<Int> = []
        for step in 0..<2400 {
            let (seconds, isLow) = (Double(step) / 4, step % period < low)
            var moved = policy.update("a", bitsPerSecond: 4_000_000, at: at(1 + seconds))
            moved += policy.update("b", bitsPerSecond: isLow ? 1_900_000 : 2_600_000, at: at(1 + seconds))
            moves += moved.map { _ in seconds }
            if isLow || !moves.isEmpty { rates.insert(policy.rates[0] ?? 0) }
        }
        #expect(moves.count == 1 && moves.allSatisfy { $0 < 5 }, "\(moves)")
        #expect(rates == [4_000_000, 2_600_000], "at the first fall, and when it has moved; between them as if it had not fallen")
        #expect(policy.rung(of: "b") == 1)
    }

    @Test("a dip now and then moves nobody, and but for the first leaves the others' rate where it is")
    func dips() {
        var policy = RungPolicy<String>()
        var moves = 0
        var rates: [String: Set<Int>] = [:]
        run(&policy, ["a": 4_000_000], from: 0, for: 1)
        for step in 0..<2400 {
            let (now, isDip) = (at(1 + Double(step) / 4), step % 8 == 0)
            moves += policy.update("a", bitsPerSecond: 4_000_000, at: now).count
            moves += policy.update("b", bitsPerSecond: isDip ? 500_000 : 3_000_000, at: now).count
            rates[step == 0 ? "first" : isDip ? "dip" : "else", default: []].insert(policy.rates[0] ?? 0)
        }
        #expect(moves == 0)
        #expect(rates == ["first": [4_000_000], "dip": [3_000_000], "else": [3_000_000]])
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
