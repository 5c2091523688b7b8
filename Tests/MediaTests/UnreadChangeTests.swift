import Media
import Testing
import Timebase

@Suite("A change that can't be read")
struct UnreadChangeTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    /// How long a source takes to say that it can't be read.
    private static let patience = Duration.milliseconds(280)

    /// A sharp picture, and half a second behind it a change.
    private func changed() -> (adapter: FrameRateAdapter, at: Instant) {
        var adapter = FrameRateAdapter(rate: .fps30, start: Self.start)
        adapter.changed(at: Self.start)
        _ = adapter.decide(at: Self.start, outboxFull: false, keyframeNeeded: true)
        adapter.encoded(quantiser: 15, isNewPicture: true)
        let now = Self.start + .milliseconds(500)
        adapter.changed(at: now)
        return (adapter, now)
    }

    private func isTry(_ decision: FrameDecision) -> Bool {
        if case .encode = decision { true } else { false }
    }

    @Test("a keyframe of the picture before goes ahead of the next try, and so does the sign of life behind that")
    func keyframe() {
        var (adapter, now) = changed()
        let first = adapter.decide(at: now, outboxFull: false, keyframeNeeded: true)
        #expect(isTry(first), "the first try is at once")
        now = now + Self.patience
        adapter.couldNotRead(at: now)
        guard case .encodeAgain = adapter.decide(at: now, outboxFull: false, keyframeNeeded: true) else {
            Issue.record("no keyframe")
            return
        }
        adapter.encoded(quantiser: 15, isNewPicture: false)
        adapter.keyframeMade()
        let slot = now + FrameRate.fps30.period
        #expect(adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) == .wait(until: slot))
        guard case .keepalive = adapter.decide(at: slot, outboxFull: false, keyframeNeeded: false) else {
            Issue.record("no sign of life")
            return
        }
        let next = adapter.decide(at: slot + .milliseconds(1), outboxFull: false, keyframeNeeded: false)
        #expect(isTry(next), "and then it is tried again")
    }

    @Test("it is tried again and again, and signs of life come all the same")
    func signsOfLife() {
        var (adapter, now) = changed()
        var (tries, signs) = (0, 0)
        while now < Self.start + .seconds(6) {
            switch adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) {
            case .encode:
                tries += 1
                now = now + Self.patience
                adapter.couldNotRead(at: now)
            case .keepalive: signs += 1
            case .wait(let until): now = until
            case .encodeAgain, .catchUp: Issue.record("nothing of the picture before is to be encoded")
            }
        }
        #expect(tries >= 12 && signs >= 4, "\(tries) tries, \(signs) signs of life")
    }
}
