import Congestion
import Testing
import Timebase

@Suite("Pacing")
struct PacerTests {
    @Test("a burst leaves at once, the rest at the rate")
    func burst() {
        var pacer = Pacer(bitsPerSecond: 8_000_000, burstBytes: 10_000)
        var now = Instant(nanoseconds: 1_000_000_000)
        var sentAtOnce = 0
        while pacer.nextSend <= now {
            pacer.sent(bytes: 1000, at: now)
            sentAtOnce += 1000
        }
        #expect((10_000...11_000).contains(sentAtOnce))
        var sent = 0
        let end = now + .seconds(1)
        while pacer.nextSend < end {
            now = pacer.nextSend
            pacer.sent(bytes: 1000, at: now)
            sent += 1000
        }
        #expect((990_000...1_001_000).contains(sent), "8 Mbit/s are a million bytes a second, not \(sent)")
    }

    @Test("with another rate what waits leaves at that rate")
    func anotherRate() {
        var pacer = Pacer(bitsPerSecond: 800_000, burstBytes: 1000)
        let now = Instant(nanoseconds: 1_000_000_000)
        for _ in 0..<11 { pacer.sent(bytes: 1000, at: now) }
        #expect(pacer.nextSend == now + .milliseconds(100))
        pacer.set(bitsPerSecond: 8_000_000, burstBytes: 1000, at: now)
        #expect(pacer.nextSend == now + .milliseconds(10))
        pacer.set(bitsPerSecond: 800_000, burstBytes: 1000, at: now + .seconds(9))
        #expect(pacer.nextSend <= now + .seconds(9))
    }

    @Test("idle time is not saved up beyond the burst")
    func idle() {
        var pacer = Pacer(bitsPerSecond: 8_000_000, burstBytes: 5000)
        let now = Instant(nanoseconds: 3_600_000_000_000)
        var sent = 0
        while pacer.nextSend <= now {
            pacer.sent(bytes: 1000, at: now)
            sent += 1000
        }
        #expect(sent <= 6000)
    }
}
