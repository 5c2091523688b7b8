import Media
import Testing
import Timebase

@Suite("A picture that shows the same as the one before")
struct RepeatedPictureTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let rate = FrameRate(15)

    /// A sharp picture that was shown just now.
    private func shown() -> FrameRateAdapter {
        var adapter = FrameRateAdapter(rate: Self.rate, start: Self.start)
        adapter.changed(at: Self.start)
        _ = adapter.decide(at: Self.start, outboxFull: false, keyframeNeeded: true)
        adapter.encoded(quantiser: 15, isNewPicture: true)
        return adapter
    }

    @Test("and is painted sixty times a second is looked at once a slot, and signs of life come once a second")
    func painted() {
        var adapter = shown()
        var (looks, signs) = (0, 0)
        for step in 1...250 {
            let now = Self.start + .nanoseconds(Int64(step) * 1_000_000_000 / 60)
            adapter.changed(at: now)
            if case .lookAtEach = adapter.attention, step > 12 { Issue.record("each is looked at") }
            deciding: while true {
                switch adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) {
                case .encode:
                    looks += 1
                    adapter.repeated()
                case .keepalive: signs += 1
                case .encodeAgain, .catchUp: Issue.record("it is sharp, and nobody lacks it")
                case .wait: break deciding
                }
            }
        }
        #expect(50...63 ~= looks && 3...4 ~= signs, "\(looks) looks, \(signs) signs of life")
        #expect(adapter.drops[.repeated] == looks)
    }

    @Test("and follows upon a keyframe takes nothing from the sign of life that is due then")
    func echo() {
        var adapter = shown()
        adapter.keyframeMade()
        let slot = Self.start + Self.rate.period + .milliseconds(1)
        adapter.changed(at: Self.start + .milliseconds(30))
        guard case .encode = adapter.decide(at: slot, outboxFull: false, keyframeNeeded: false) else {
            Issue.record("not looked at")
            return
        }
        adapter.repeated()
        adapter.changed(at: slot)
        guard case .keepalive = adapter.decide(at: slot, outboxFull: false, keyframeNeeded: false) else {
            Issue.record("no sign of life")
            return
        }
    }

    @Test("ends its run: what is new behind it leaves at once")
    func newBehind() {
        var adapter = shown()
        for slot in 1...4 as ClosedRange<Int64> {
            let now = Self.start + Self.rate.period * slot
            adapter.changed(at: now)
            guard case .encode = adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) else {
                Issue.record("not looked at")
                return
            }
            adapter.repeated()
        }
        // Within the run it would wait for its slot.
        let now = Self.start + Self.rate.period * 4 + .milliseconds(20)
        adapter.changed(at: now)
        guard case .encode = adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) else {
            Issue.record("it waits")
            return
        }
    }
}
