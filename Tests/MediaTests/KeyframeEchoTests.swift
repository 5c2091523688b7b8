import Media
import Testing
import Timebase

@Suite("After a keyframe on a still screen")
struct KeyframeEchoTests {
    @Test("a sign of life follows in the next slot, then once a second again")
    func echo() {
        let start = Instant(nanoseconds: 1_000_000_000)
        var adapter = FrameRateAdapter(rate: .fps30, start: start)
        adapter.changed(at: start)
        let first = adapter.decide(at: start, outboxFull: false, keyframeNeeded: true)
        #expect(first == .encode(MediaTime(ticks: 0)))
        adapter.encoded(quantiser: 15, isNewPicture: true)
        adapter.keyframeMade()
        let slot = start + FrameRate.fps30.period
        let second = adapter.decide(at: slot, outboxFull: false, keyframeNeeded: false)
        #expect(second == .keepalive(MediaTime(ticks: 3000)))
        let third = adapter.decide(at: slot, outboxFull: false, keyframeNeeded: false)
        #expect(third == .wait(until: slot + .seconds(1)))
    }
}
