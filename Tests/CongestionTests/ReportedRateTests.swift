import Testing
import Timebase

@testable import Congestion

@Suite("Peers without transport-wide feedback")
struct ReportedRateTests {
    private var rate = ReportedRate(maximum: 4_000_000)
    private var now = Instant.zero

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    /// Half a second of media and the peer's estimate at its end, so many times.
    private mutating func half(seconds count: Int, sending: Int, estimate: (_ index: Int, _ target: Int) -> UInt64) {
        for index in 0..<count {
            for _ in 0..<50 {
                now += .milliseconds(10)
                rate.sent(bytes: min(sending, rate.target) / 800, at: now)
            }
            rate.estimated(bitsPerSecond: estimate(index, rate.target), at: now)
        }
    }

    @Test("heavy loss lowers the rate, no loss raises it again up to what was asked for")
    mutating func loss() {
        for second in 1...5 as ClosedRange<Int64> { rate.reported(loss: 0.3, of: 100, at: at(second)) }
        #expect(rate.target < 2_000_000)
        for second in 6...60 as ClosedRange<Int64> { rate.reported(loss: 0, of: 100, at: at(second)) }
        #expect(rate.target == 4_000_000)
    }

    @Test("one lost packet of a screen at rest says nothing; of twenty, lost ones do")
    mutating func fewPackets() {
        rate.reported(loss: 0.5, of: 2, at: at(1))
        for second in 2...9 as ClosedRange<Int64> { rate.reported(loss: 0, of: 2, at: at(second)) }
        #expect(rate.target == 4_000_000)
        rate.reported(loss: 1, of: 2, at: at(10))
        #expect(rate.target < 4_000_000, "three of twenty")
    }

    @Test("where more may be used than before, it is")
    mutating func maximum() {
        rate.setMaximum(6_000_000)
        #expect(rate.target == 6_000_000)
        rate.setMaximum(3_000_000)
        #expect(rate.target == 3_000_000)
        for second in 1...5 as ClosedRange<Int64> { rate.reported(loss: 0.3, of: 100, at: at(second)) }
        let known = rate.target
        rate.setMaximum(6_000_000)
        #expect(rate.target == known, "what was too much is not tried at once")
    }

    @Test("a receiver that believes in less than is sent is believed, within bounds", arguments: [0, 1, 700_000])
    mutating func estimates(bitsPerSecond: UInt64) {
        half(seconds: 2, sending: 4_000_000) { _, _ in bitsPerSecond }
        #expect(rate.target == max(20_000, Int(bitsPerSecond)))
    }

    @Test("an estimate of anything at all harms nothing", arguments: [UInt64.max, 1 << 63])
    mutating func extremes(bitsPerSecond: UInt64) {
        half(seconds: 4, sending: 4_000_000) { _, _ in bitsPerSecond }
        #expect(rate.target == 4_000_000)
    }

    @Test("of a screen that rests, an estimate of what comes says nothing: the next page has its whole rate")
    mutating func rest() {
        half(seconds: 20, sending: 100_000) { _, _ in 105_000 }
        #expect(rate.target == 4_000_000)
        half(seconds: 3, sending: 4_000_000) { index, _ in UInt64(105_000 + index * 4_000) }
        #expect(rate.target == 4_000_000)
    }

    @Test("an estimate that does not grow though more is sent is meant as a bound")
    mutating func bound() {
        half(seconds: 4, sending: 400_000) { _, _ in 500_000 }
        #expect(rate.target == 4_000_000)
        half(seconds: 6, sending: 4_000_000) { _, _ in 500_000 }
        #expect(rate.target == 500_000)
    }

    @Test("what an estimate bounded on one path is free on another, though the estimate itself takes its time to grow")
    mutating func moved() {
        half(seconds: 6, sending: 2_000_000) { _, _ in 500_000 }
        #expect(rate.target < 1_000_000)
        rate.moved()
        #expect(rate.target == 4_000_000)
        // By 8 % a second, as receivers let it grow.
        half(seconds: 20, sending: 2_000_000) { index, _ in UInt64(500_000 + index * 20_000) }
        #expect(rate.target == 4_000_000)
    }

    @Test("what was lost of one path is not counted on another")
    mutating func lossesOfBefore() {
        rate.reported(loss: 1, of: 10, at: at(1))
        rate.moved()
        rate.reported(loss: 0.1, of: 10, at: at(2))
        #expect(rate.target == 4_000_000)
    }

    @Test("where the path is the bound, the rate stays about it, and returns when there is room")
    mutating func path() {
        var sent: [Int] = []
        for _ in 0..<60 {
            half(seconds: 1, sending: 4_000_000) { _, target in target > 1_000_000 ? 850_000 : 1_400_000 }
            sent.append(rate.target)
        }
        #expect(sent.dropFirst(20).allSatisfy { $0 > 700_000 && $0 < 1_400_000 })
        half(seconds: 60, sending: 4_000_000) { _, target in UInt64(target) * 3 / 2 }
        #expect(rate.target == 4_000_000)
    }

    @Test("a queue that others fill beside sound and a page now and then costs nothing; pictures that leave all the time yield to it")
    mutating func besideOthers() {
        func isQueued(_ step: Int) -> Bool { step >= 500 }
        for step in 0..<2000 {
            now += .milliseconds(20)
            rate.sent(bytes: 280, isPicture: false, at: now)
            if step % 200 == 0 { for _ in 0..<50 { rate.sent(bytes: 1200, at: now) } }
            if step % 10 == 0 { rate.measured(roundTrip: .milliseconds(isQueued(step) ? 420 : 20), at: now) }
            #expect(rate.target == 4_000_000)
        }
        rate.moved()
        for step in 0..<600 {
            now += .milliseconds(20)
            rate.sent(bytes: 1200, at: now)
            if step % 10 == 0 { rate.measured(roundTrip: .milliseconds(isQueued(step) ? 420 : 20), at: now) }
        }
        #expect(rate.target < 1_000_000)
    }

    @Test("what is asked for again counts once; what is new counts, half a round of numbers after a long pause as well")
    mutating func askedFor() {
        func ask(_ numbers: [UInt16]) {
            for _ in 0..<100 {
                now += .milliseconds(10)
                rate.sent(bytes: 1200, at: now)
                rate.missing(numbers, at: now)
            }
        }
        ask([5])
        #expect(rate.target == 4_000_000)
        now += .seconds(20)
        rate.missing(Array(40_000..<40_050), at: now)
        ask([40_049])
        #expect(rate.target < 4_000_000)
    }

    @Test("a pause in which nothing was told is no time of growth")
    mutating func pause() {
        for second in 1...5 as ClosedRange<Int64> { rate.reported(loss: 0.3, of: 100, at: at(second)) }
        let known = rate.target
        rate.reported(loss: 0, of: 100, at: at(65))
        #expect((known...known * 5 / 4).contains(rate.target), "\(rate.target)")
    }

    // MARK: What is known

    /// A round trip is measured five times a second.
    private mutating func send(_ bitsPerSecond: Int, seconds: Int, roundTrip: Duration = .milliseconds(20)) {
        for step in 1...seconds * 100 {
            now += .milliseconds(10)
            rate.sent(bytes: min(bitsPerSecond, rate.target) / 800, at: now)
            if step % 20 == 0 { rate.measured(roundTrip: roundTrip, at: now) }
        }
    }

    @Test("a rate that grew at rest since something was too much is believed in, and known for ten seconds once half of it has passed")
    mutating func proof() {
        send(20_000, seconds: 20)
        #expect(rate.isProven(at: now), "nothing was too much yet")
        send(3_000_000, seconds: 1, roundTrip: .milliseconds(220))
        #expect(rate.target < 3_000_000 && rate.isProven(at: now))
        send(20_000, seconds: 30)
        #expect(rate.target == 4_000_000 && !rate.isProven(at: now))
        send(2_500_000, seconds: 2)
        #expect(rate.isProven(at: now))
        send(20_000, seconds: 8)
        #expect(rate.isProven(at: now))
        send(20_000, seconds: 5)
        #expect(!rate.isProven(at: now))
        rate.moved()
        #expect(rate.isProven(at: now), "of another path nothing is known against it")
    }

    @Test("what grew at rest beyond an estimate that was a bound is believed in likewise")
    mutating func proofOfEstimates() {
        half(seconds: 6, sending: 2_000_000) { _, _ in 500_000 }
        #expect(rate.target < 1_000_000 && rate.isProven(at: now))
        half(seconds: 140, sending: 50_000) { _, _ in 55_000 }
        #expect(rate.target == 4_000_000 && !rate.isProven(at: now))
        half(seconds: 4, sending: 2_500_000) { _, _ in 2_500_000 }
        #expect(rate.isProven(at: now))
    }
}
