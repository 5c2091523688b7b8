import Congestion
import Testing
import Timebase

@Suite("A queue that round trips tell of")
struct ToldQueueTests {
    private var rate = ReportedRate(maximum: 4_000_000)
    private var now = Instant.zero

    /// 3 Mbit/s, and a round trip of 20 ms measured five times a second where checks are answered.
    private mutating func send(milliseconds: Int, isAnswered: Bool = true) {
        for step in 1...milliseconds / 10 {
            now += .milliseconds(10)
            rate.sent(bytes: 3750, at: now)
            if isAnswered, step % 20 == 0 { rate.measured(roundTrip: .milliseconds(20), at: now) }
        }
    }

    /// One that is longer counts when it was measured twice, or packets are missed besides.
    private mutating func measure(_ roundTrip: Duration, missing: Bool = false) {
        if missing { rate.missing([1], at: now) } else { rate.measured(roundTrip: roundTrip, at: now) }
        rate.measured(roundTrip: roundTrip, at: now)
    }

    @Test("for a long one pictures wait, not for ever, and no longer than until it is seen to have gone")
    mutating func pause() {
        send(milliseconds: 2000)
        measure(.seconds(2))
        #expect(rate.mayLeave(at: now) == now + .milliseconds(600) && rate.leavesQueue(at: now))
        now += .milliseconds(100)
        rate.measured(roundTrip: .milliseconds(20), at: now)
        #expect(rate.mayLeave(at: now) == now && !rate.leavesQueue(at: now))
    }

    @Test("where packets are missed besides it is full, and clearly less is sent")
    mutating func full() {
        send(milliseconds: 2000)
        var other = self
        measure(.milliseconds(150))
        other.measure(.milliseconds(150), missing: true)
        #expect((2_200_000...2_600_000).contains(rate.target), "\(rate.target)")
        #expect((1_800_000...2_150_000).contains(other.rate.target), "\(other.rate.target)")
    }

    @Test("one check alone that nobody answers may be lost; two in a row wait in a queue")
    mutating func unanswered() {
        send(milliseconds: 2000)
        send(milliseconds: 390, isAnswered: false)
        #expect(rate.queue(at: now) == .zero)
        send(milliseconds: 100, isAnswered: false)
        #expect(rate.queue(at: now) > .milliseconds(200))
    }
}
