import Media
import TestSupport
import Testing
import Timebase

/// Viewers of a share, whose rates are told four times a second, in the order in which they stand.
private struct Viewers {
    private(set) var policy = RungPolicy<String>()
    private(set) var moves: [String: Int] = [:]
    /// The most that was made on each viewer's rung.
    private(set) var made: [String: Int] = [:]
    private var now = Instant.zero

    /// - Parameter believed: viewers whose rates are not known.
    mutating func run(
        _ rates: KeyValuePairs<String, Int>, for seconds: Double, believed: Set<String> = []
    ) {
        for _ in 0..<Int(seconds * 4) {
            for (viewer, rate) in rates { tell(viewer, rate, isProven: !believed.contains(viewer)) }
            for (viewer, _) in rates {
                made[viewer] = max(made[viewer] ?? 0, policy.rates[policy.rung(of: viewer)] ?? 0)
            }
            pass()
        }
    }

    /// - Returns: the seconds until then.
    mutating func run(_ rates: KeyValuePairs<String, Int>, until viewer: String, watches rung: Int) -> Double {
        let start = now
        while policy.rung(of: viewer) != rung, now - start < .seconds(200) { run(rates, for: 0.25) }
        return (now - start).inSeconds - 0.25
    }

    mutating func tell(_ viewer: String, _ rate: Int?, isProven: Bool = true) {
        for moved in policy.update(viewer, bitsPerSecond: rate, isProven: isProven, at: now) { moves[moved, default: 0] += 1 }
    }

    mutating func pass() { now += .milliseconds(250) }

    /// What was before counts no more.
    mutating func forget() { (moves, made) = ([:], [:]) }

    func rungs(_ viewers: String...) -> [Int] { viewers.map { policy.rung(of: $0) } }
}

@Suite("Moves between rungs")
struct RungMoveTests {
    private var viewers = Viewers()

    @Test("who is about to leave for a better rung drives nobody away from its own")
    mutating func leavers() {
        viewers.run(["a": 3_800_000, "b": 1_500_000, "s": 1_400_000], for: 10)
        #expect(viewers.rungs("a", "b", "s") == [0, 1, 1])
        viewers.forget()
        viewers.run(["a": 3_800_000, "b": 1_500_000, "s": 3_800_000], for: 20)
        #expect(viewers.rungs("a", "b", "s") == [0, 1, 0] && viewers.moves == ["s": 1])
        #expect(viewers.made["b"] == 1_500_000)
    }

    @Test("who is below since another came to its rung has not fallen: it is waited for until it has left")
    mutating func displaced() {
        viewers.run(["a": 3_800_000, "b": 700_000, "c": 3_800_000], for: 40)
        #expect(viewers.rungs("a", "b", "c") == [0, 1, 0])
        viewers.forget()
        viewers.run(["a": 3_800_000, "b": 700_000, "c": 1_600_000], for: 10)
        #expect(viewers.rungs("a", "b", "c") == [0, 2, 1])
        #expect(viewers.made["b"] == 800_000, "half of what the other takes")
    }

    @Test("a path that recovers at once brings its viewer straight back, past the rung of others")
    mutating func straightUp() {
        viewers.run(["a": 3_800_000, "b": 1_500_000, "d": 300_000], for: 10)
        #expect(viewers.rungs("a", "b", "d") == [0, 1, 2])
        viewers.forget()
        viewers.run(["a": 3_800_000, "d": 3_800_000, "b": 1_500_000], for: 20)
        #expect(viewers.rungs("a", "b", "d") == [0, 1, 0] && viewers.moves == ["d": 1])
        #expect(viewers.made["b"] == 1_500_000)
    }

    @Test("who falls below half of what is made on the next rung as well moves straight past it")
    mutating func straightDown() {
        viewers.run(["a": 3_800_000, "b": 1_500_000, "c": 3_800_000], for: 10)
        viewers.forget()
        viewers.run(["a": 3_800_000, "b": 1_500_000, "c": 200_000], for: 10)
        #expect(viewers.rungs("a", "b", "c") == [0, 1, 2] && viewers.moves == ["c": 1])
    }

    @Test("a rung that nobody watches any more draws nobody from a slower one, as long as others watch the first")
    mutating func emptyRung() {
        viewers.run(["a": 3_800_000, "d": 500_000, "s": 1_500_000], for: 10)
        #expect(viewers.rungs("a", "d", "s") == [0, 2, 1])
        viewers.forget()
        viewers.run(["a": 3_800_000, "d": 500_000, "s": 3_800_000], for: 30)
        #expect(viewers.rungs("a", "d", "s") == [0, 2, 0] && viewers.moves == ["s": 1])
        viewers.tell("a", nil)
        viewers.tell("s", nil)
        viewers.run(["d": 500_000], for: 6)
        #expect(viewers.policy.rates == [0: 500_000])
    }

    @Test("who takes enough for the first rung's least does not go where it would drive others away")
    mutating func inBetween() {
        viewers.run(["a": 3_800_000, "b": 1_000_000, "s": 300_000], for: 10)
        #expect(viewers.rungs("a", "b", "s") == [0, 1, 2])
        viewers.forget()
        viewers.run(["a": 3_800_000, "b": 1_000_000, "s": 2_400_000], for: 20)
        #expect(viewers.rungs("a", "b", "s") == [0, 1, 0] && viewers.moves == ["s": 1])
    }

    @Test("a rate that is only believed in drives nobody away whose is known")
    mutating func believed() {
        viewers.run(["a": 1_500_000, "c": 1_000_000], for: 10)
        viewers.run(["a": 1_500_000, "c": 3_800_000], for: 60, believed: ["c"])
        #expect(viewers.moves.isEmpty && viewers.policy.rates == [0: 1_500_000])
        #expect(viewers.made["a"] == 1_500_000)
        viewers.run(["a": 1_500_000, "c": 3_800_000], for: 4)
        #expect(viewers.rungs("a", "c") == [1, 0], "once it is known")
    }

    @Test("nor does it bring its viewer back before 80 s, unless nobody is there whom that would disturb", arguments: [true, false])
    mutating func believedReturn(isLeft: Bool) {
        viewers.run(["a": 3_800_000, "c": 1_000_000], for: 10)
        viewers.run(["a": 3_800_000, "c": 3_800_000], for: 60, believed: ["c"])
        #expect(viewers.rungs("a", "c") == [0, 1])
        if isLeft {
            viewers.tell("a", nil)
            viewers.run(["c": 3_800_000], for: 6, believed: ["c"])
        } else {
            viewers.run(["a": 3_800_000, "c": 3_800_000], for: 6)
        }
        #expect(viewers.policy.rung(of: "c") == 0)
    }

    @Test("a rate that is believed in for 80 s brings its viewer back, though less is made for it than would prove it")
    mutating func believedForLong() {
        viewers.run(["a": 3_800_000, "b": 1_000_000, "c": 1_000_000], for: 10)
        viewers.run(["a": 3_800_000, "b": 1_000_000, "c": 3_800_000], for: 79, believed: ["c"])
        #expect(viewers.rungs("a", "b", "c") == [0, 1, 1])
        viewers.run(["a": 3_800_000, "b": 1_000_000, "c": 3_800_000], for: 2, believed: ["c"])
        #expect(viewers.rungs("a", "b", "c") == [0, 1, 0])
    }

    @Test("who had to leave soon after its return is waited for twice as long, up to 80 s, until it has stayed for a minute")
    mutating func patience() {
        let (low, high) = (["a": 3_800_000, "b": 1_000_000] as KeyValuePairs, ["a": 3_800_000, "b": 3_800_000] as KeyValuePairs)
        var waits: [Double] = []
        for _ in 0..<6 {
            viewers.run(low, for: 10)
            waits.append(viewers.run(high, until: "b", watches: 0))
            viewers.run(high, for: 20)
        }
        #expect(waits == [5, 10, 20, 40, 80, 80])
        viewers.run(high, for: 50)
        viewers.run(low, for: 10)
        let wait = viewers.run(high, until: "b", watches: 0)
        #expect(wait == 5)
    }

    @Test("to a rung that nobody watches it returns after five seconds, however often it had to leave")
    mutating func undisturbed() {
        for _ in 0..<4 {
            viewers.run(["a": 3_800_000, "b": 1_000_000], for: 10)
            _ = viewers.run(["a": 3_800_000, "b": 3_800_000], until: "b", watches: 0)
        }
        viewers.run(["a": 3_800_000, "b": 1_000_000], for: 10)
        viewers.tell("a", nil)
        let wait = viewers.run(["b": 1_000_000], until: "b", watches: 0)
        #expect(wait == 5)
    }

    @Test("beside one whose path swings for an hour, those whose paths are constant move twice at most", arguments: 0..<8 as Range<UInt64>)
    mutating func hour(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func slow() -> Double { (0..<4).reduce(60_000) { rate, _ in rate * Double.random(in: 1...2.3, using: &random) } }
        let constant = ["a": 3_800_000, "b": slow(), "c": slow()]
        let low = slow()
        let (lowTime, highTime) = (Double.random(in: 8...40, using: &random), Double.random(in: 8...40, using: &random))
        for step in 0..<14_400 {
            let isLow = (Double(step) / 4).truncatingRemainder(dividingBy: lowTime + highTime) < lowTime
            for viewer in ["a", "b", "c", "s"] {
                let rate = constant[viewer] ?? (isLow ? low : 3_800_000)
                viewers.tell(viewer, Int(rate * Double.random(in: 0.93...1.07, using: &random)))
            }
            viewers.pass()
        }
        #expect(constant.keys.allSatisfy { viewers.moves[$0] ?? 0 <= 2 }, "\(viewers.moves)")
    }
}
