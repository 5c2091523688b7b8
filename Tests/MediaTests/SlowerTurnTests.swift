import Testing
import Timebase

@testable import Media

@Suite("The turn of slower viewers")
struct SlowerTurnTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    /// One change, sharp at once, and who lacks it.
    private func rested(owes: Bool) -> FrameRateAdapter {
        var adapter = FrameRateAdapter(rate: FrameRate(15), start: start)
        adapter.changed(at: start)
        _ = adapter.decide(at: start, outboxFull: false, keyframeNeeded: false)
        adapter.encoded(quantiser: 20, isNewPicture: true)
        adapter.owesSlower = owes
        return adapter
    }

    @Test("comes three periods after the others rest, not with the next sign of life, and again until nothing is owed")
    func turn() {
        var adapter = rested(owes: true)
        let due = start + FrameRate(15).period * 3
        #expect(adapter.decide(at: start, outboxFull: false, keyframeNeeded: false) == .wait(until: due))
        for turn in 0..<2 {
            let now = due + FrameRate(15).period * (3 * turn)
            guard case .catchUp = adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) else {
                Issue.record("not its turn")
                return
            }
        }
        adapter.owesSlower = false
        let wait = adapter.decide(at: due, outboxFull: false, keyframeNeeded: false)
        #expect(wait == .wait(until: start + .seconds(1)), "the sign of life comes when it would have come")
    }

    @Test("what waits to leave only to make the picture sharper keeps back more of that, and no change")
    func behindAPass() {
        var adapter = rested(owes: false)
        adapter.encoded(quantiser: 40, isNewPicture: false)
        let later = start + .milliseconds(200)
        guard case .wait = adapter.decide(at: later, outboxFull: true, yields: true, keyframeNeeded: false) else {
            Issue.record("pass upon pass")
            return
        }
        adapter.changed(at: later)
        guard case .encode = adapter.decide(at: later, outboxFull: true, yields: true, keyframeNeeded: false) else {
            Issue.record("a change waited")
            return
        }
        adapter.changed(at: later + .milliseconds(100))
        let decision = adapter.decide(at: later + .milliseconds(100), outboxFull: true, keyframeNeeded: false)
        guard case .wait = decision else {
            Issue.record("\(decision)")
            return
        }
    }

    @Test("a pass that finds no bits uses up no slot, is tried again a period later, and what changes leaves at once")
    func fruitlessPass() {
        let period = FrameRate(15).period
        var adapter = rested(owes: false)
        adapter.encoded(quantiser: 40, isNewPicture: false)
        var now = start
        // The first leaves, and uses up what comes next.
        for isSent in [true, false] {
            while true {
                let decision = adapter.decide(at: now, outboxFull: false, keyframeNeeded: false)
                if case .wait(let until) = decision, until > now { now = until } else { break }
            }
            adapter.encoded(quantiser: isSent ? 39 : RefinementPolicy.nothingEncoded, isNewPicture: false, isSent: isSent)
        }
        #expect(adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) == .wait(until: now + period))
        now += .milliseconds(1)
        adapter.changed(at: now)
        let decision = adapter.decide(at: now, outboxFull: false, keyframeNeeded: false)
        guard case .encode = decision else {
            Issue.record("\(decision)")
            return
        }
    }

    @Test("does not come where nobody lacks anything, nor before a change")
    func none() {
        var adapter = rested(owes: false)
        let wait = adapter.decide(at: start, outboxFull: false, keyframeNeeded: false)
        #expect(wait == .wait(until: start + .seconds(1)))
        var changed = rested(owes: true)
        changed.changed(at: start + .milliseconds(150))
        let decision = changed.decide(at: start + .milliseconds(210), outboxFull: false, keyframeNeeded: false)
        guard case .encode = decision else {
            Issue.record("\(decision)")
            return
        }
    }
}
