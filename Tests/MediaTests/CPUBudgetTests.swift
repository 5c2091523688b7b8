import Media
import Testing
import Timebase

@Suite("CPU budget")
struct CPUBudgetTests {
    /// A processor on which a picture takes so many milliseconds at each step, and thirty pictures a second.
    private struct Machine {
        var budget: CPUBudget
        var now = Instant.zero
        var changes: [(step: Int, second: Double)] = []

        init(steps: Int) { budget = CPUBudget(steps: steps) }

        mutating func run(seconds: Int, _ milliseconds: (Int) -> Int) {
            for _ in 0..<seconds * 30 {
                let busy = Duration.milliseconds(milliseconds(budget.step))
                if budget.spent(busy, of: .microseconds(33_333), at: now) {
                    changes.append((budget.step, Double((now - .zero) / .seconds(1))))
                }
                now += .microseconds(33_333)
            }
        }
    }

    @Test("goes down before pictures are late, within a second, and no further than needed")
    func down() {
        var machine = Machine(steps: 3)
        machine.run(seconds: 60) { [30, 27, 20, 10][$0] }
        #expect(machine.changes.map(\.step) == [1, 2])
        #expect(machine.changes.allSatisfy { $0.second < 1 })
    }

    @Test("where every picture is very late, three are enough, and steps that can't suffice are left out")
    func farTooSlow() {
        var machine = Machine(steps: 6)
        // Each step saves half, the most that one is taken to save: none below the fourth fits.
        machine.run(seconds: 10) { [320, 160, 80, 40, 20, 10, 5][$0] }
        #expect(machine.changes.map(\.step) == [4])
        #expect(machine.changes.allSatisfy { $0.second < 0.1 })
    }

    @Test("two pictures far too slow, one after the other, change nothing")
    func twoSlowPictures() {
        var machine = Machine(steps: 6)
        machine.run(seconds: 2) { _ in 2 }
        let changed = (0..<2).map { _ in machine.budget.spent(.milliseconds(90), of: .microseconds(33_333), at: machine.now) }
        #expect(changed == [false, false])
        machine.run(seconds: 2) { _ in 2 }
        #expect(machine.changes.isEmpty)
    }

    @Test("one slow picture changes nothing, nor does work that fits")
    func slowPicture() {
        var machine = Machine(steps: 2)
        machine.run(seconds: 10) { _ in 8 }
        machine.run(seconds: 1) { _ in 8 }
        let changed = machine.budget.spent(.milliseconds(120), of: .microseconds(33_333), at: machine.now)
        #expect(!changed)
        machine.run(seconds: 10) { _ in 20 }
        #expect(machine.changes.isEmpty)
    }

    @Test("one picture that took seconds, as behind a stall, costs a step and not all of them")
    func stall() {
        var machine = Machine(steps: 6)
        machine.run(seconds: 2) { _ in 8 }
        let changed = machine.budget.spent(.seconds(3), of: .microseconds(33_333), at: machine.now)
        #expect(changed && machine.budget.step == 1)
    }

    @Test("room that is there for four seconds, and again for four, is none for five")
    func interruptedCalm() {
        var machine = Machine(steps: 2)
        machine.run(seconds: 3) { _ in 40 }
        machine.changes = []
        machine.run(seconds: 4) { _ in 5 }
        machine.run(seconds: 1) { _ in 20 }
        machine.run(seconds: 4) { _ in 5 }
        #expect(machine.changes.isEmpty)
        machine.run(seconds: 3) { _ in 5 }
        #expect(machine.changes.map(\.step) == [1])
    }

    @Test("goes up again when there is room, after five seconds, a step at a time")
    func up() {
        var machine = Machine(steps: 2)
        machine.run(seconds: 3) { _ in 40 }
        #expect(machine.budget.step == 2)
        let calm = Double((machine.now - .zero) / .seconds(1))
        machine.changes = []
        machine.run(seconds: 20) { _ in 5 }
        #expect(machine.changes.map(\.step) == [1, 0])
        #expect(machine.changes.allSatisfy { $0.second - calm > 5 })
    }

    @Test("a better preset that turns out too slow is tried ever more seldom")
    func noFlapping() {
        var machine = Machine(steps: 1)
        machine.run(seconds: 600) { [30, 10][$0] }
        #expect(machine.budget.step == 1)
        // Down once, then up and down again for each attempt.
        #expect(machine.changes.count <= 25)
        let attempts = machine.changes.filter { $0.step == 0 }.map(\.second)
        #expect(zip(attempts, attempts.dropFirst()).suffix(3).allSatisfy { $1 - $0 > 75 })
    }
}
