import Congestion
import Testing

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
