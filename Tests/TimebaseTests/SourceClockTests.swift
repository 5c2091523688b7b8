import Testing
import Timebase

@Suite("Another clock's timestamps")
struct SourceClockTests {
    @Test("a server's milliseconds date what it tells, however late that is read: where they wrap, and behind a sleep that they leave out")
    func server() {
        var clock = SourceClock()
        for step in 0..<3000 as Range<Int64> {
            // They wrap after 40 s, and after 80 the machine sleeps for an hour.
            let told = UInt32(truncatingIfNeeded: Int64(UInt32.max) - 40_000 + 40 * step)
            let drawn = Instant.zero + .milliseconds(40 * step) + .seconds(step < 2000 ? 0 : 3600)
            let read = drawn + .milliseconds(step * 7 % 23)
            let dated = clock.instant(of: .milliseconds(told), arrivedAt: read)
            #expect(dated <= read)
            // Behind each jump until something has come at once.
            if step % 1000 > 23 { #expect((dated - drawn).magnitude <= .milliseconds(2), "\(step)") }
        }
    }

    @Test("a clock that runs slow by half a thousandth is followed")
    func slow() {
        var clock = SourceClock()
        for step in 0..<6000 as Range<Int64> {
            let now = Instant.zero + .milliseconds(10 * step)
            let dated = clock.instant(of: .microseconds(9_995 * step), arrivedAt: now)
            #expect(now - dated <= .milliseconds(1), "\(step)")
        }
    }

    @Test("what comes late for seconds, by less than a burst lasts, is dated by what came at once")
    func burst() {
        var clock = SourceClock()
        for step in 0..<400 as Range<Int64> {
            let made = Instant.zero + .seconds(1) + .milliseconds(10 * step)
            let came = step == 0 ? made : made + .milliseconds(30)
            let dated = clock.instant(of: .seconds(1) + .milliseconds(10 * step), arrivedAt: came)
            #expect((dated - made).magnitude <= .milliseconds(5), "\(step)")
        }
    }
}
