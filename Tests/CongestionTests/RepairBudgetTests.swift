import Congestion
import Testing
import Timebase

@Suite("What repair may spend")
struct RepairBudgetTests {
    @Test("however much is asked for again, a quarter of the media is sent")
    func share() {
        var budget = RepairBudget(bitsPerSecond: 4_000_000)
        var (media, again) = (0, 0)
        for _ in 0..<10_000 {
            budget.earn(1200)
            media += 1200
            while budget.spend(1000) { again += 1000 }
        }
        #expect(again <= media / 4 + 20_000)
        #expect(again >= media / 4 - 1000)
    }

    @Test("what is lost of the first picture is sent again, and a second's share at most is saved up")
    func bounds() {
        var budget = RepairBudget(bitsPerSecond: 4_000_000)
        let first = budget.spend(20_000)
        let more = budget.spend(1)
        #expect(first && !more)
        budget.earn(1_000_000_000)
        let all = budget.spend(125_000)
        let beyond = budget.spend(1)
        #expect(all && !beyond)
        budget.earn(1_000_000_000)
        budget.set(bitsPerSecond: 1_000_000)
        let narrower = budget.spend(31_251)
        #expect(!narrower)
    }
}

@Suite("What a path takes and nothing needs")
struct SpareBudgetTests {
    private static let rate = 800_000
    private var budget = SpareBudget()

    /// 100 kB a second pass.
    private mutating func send(_ bytes: Int, at milliseconds: Int64) {
        budget.sent(bytes, of: Self.rate, at: .zero + .milliseconds(milliseconds))
    }

    @Test("is nothing at first, and then what is left")
    mutating func left() {
        send(1000, at: 0)
        let first = budget.spend(1)
        send(1000, at: 100)
        let rest = budget.spend(8000)
        let more = budget.spend(1)
        #expect(!first && rest && !more)
    }

    @Test("is saved up for half a second at most")
    mutating func saved() {
        send(0, at: 0)
        send(0, at: 60_000)
        let beyond = budget.spend(50_001)
        let all = budget.spend(50_000)
        #expect(!beyond && all)
    }

    @Test("is owed for half a second at most, where more was needed")
    mutating func owed() {
        send(0, at: 0)
        send(1_000_000, at: 1)
        send(0, at: 501)
        let early = budget.spend(1)
        send(0, at: 502)
        let later = budget.spend(100)
        #expect(!early && later)
    }
}
