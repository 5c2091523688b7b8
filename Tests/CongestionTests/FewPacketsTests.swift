import Congestion
import Testing
import Timebase

@Suite("What a few packets say of a path")
struct FewPacketsTests {
    @Test(
        "a queue that others make while a screen hardly changes takes nothing from the next page",
        arguments: 1...3 as ClosedRange<UInt64>)
    func foreignQueue(seed: UInt64) {
        let path = SimulatedPath(rate: 5_000_000, jitter: .milliseconds(3))
        var share = PathSimulation(seed: seed) { _ in path }
        share.run(for: 6)
        let before = share.estimator.capacity
        #expect(before > 3_500_000)
        // Keys that are typed.
        share.setMaximum(40_000_000, wish: 40_000)
        share.run(for: 1)
        share.bulk = BulkFlow(startsAt: 7)
        share.run(for: 7)
        #expect(share.queue(0.9, from: 9) > 0.1, "else this tests nothing")
        #expect(share.estimator.capacity > before / 8, "\(share.estimator.capacity) of \(before)")
        share.bulk = nil
        share.run(for: 1.5)
        #expect(share.estimator.capacity * 10 > before * 9, "\(share.estimator.capacity) of \(before)")
    }

    @Test("a link that falls to a hundredth while text is scrolled is noticed as soon as before")
    func ownQueue() throws {
        var share = PathSimulation { SimulatedPath(rate: $0 < 6 ? 8_000_000 : 100_000) }
        share.run(for: 4)
        share.setMaximum(40_000_000, wish: 1_000_000)
        share.run(for: 4)
        #expect(share.estimator.capacity < 200_000, "\(share.estimator.capacity)")
    }

    @Test("a burst of our own that has just been told of makes its queue our own")
    func burst() {
        var share = PathSimulation { SimulatedPath(rate: $0 < 6 ? 8_000_000 : 300_000) }
        share.run(for: 4)
        share.setMaximum(40_000_000, wish: 40_000)
        share.run(for: 3)
        // Pages of some packets, far apart.
        for _ in 0..<3 {
            share.setMaximum(40_000_000, wish: 2_000_000)
            share.run(for: 0.05)
            share.setMaximum(40_000_000, wish: 20_000)
            share.run(for: 1)
        }
        #expect(share.estimator.capacity < 600_000, "\(share.estimator.capacity)")
    }

    /// A sharer whose feedback a test makes by hand.
    private struct Sharer {
        var estimator = BandwidthEstimator(start: 4_000_000, maximum: 100_000_000, ecn: .classic)
        var now = Instant(nanoseconds: 1_000_000_000)
        private var number: Int64 = 0

        mutating func send(_ count: Int, bytes: Int = 1200) -> [Int64] {
            (0..<count).map { _ in
                number += 1
                isMarkable[number] = estimator.allowsMark(at: now)
                estimator.sent(number, bytes: bytes, at: now)
                return number
            }
        }

        private var isMarkable: [Int64: Bool] = [:]

        /// All of these came so long after they left; told another 20 ms later.
        mutating func tell(_ numbers: [Int64], delay: Duration = .milliseconds(10)) {
            let arrival = now + delay - Instant.zero
            now += delay + .milliseconds(20)
            for number in numbers {
                estimator.report(
                    UInt16(truncatingIfNeeded: number), arrival: arrival,
                    ecn: isMarkable[number] == true ? .capable : .notCapable)
            }
            estimator.finish(at: now)
            estimator.advance(to: now)
        }

        mutating func rest(for duration: Duration) {
            now += duration
            estimator.advance(to: now)
        }
    }

    @Test("the last picture on the path of before is no measure of the one that follows")
    func moved() {
        var sharer = Sharer()
        for _ in 0..<50 { sharer.tell(sharer.send(8)) }
        sharer.estimator.moved(at: sharer.now, start: 500_000)
        #expect(sharer.estimator.capacity == 500_000)
        sharer.rest(for: .milliseconds(50))
        sharer.tell(sharer.send(1), delay: .milliseconds(60))
        #expect(sharer.estimator.capacity <= 500_000, "\(sharer.estimator.capacity)")
    }

    @Test("behind a pause of an hour what was before is no base: clocks drift, and routes change")
    func longPause() {
        var sharer = Sharer()
        for _ in 0..<50 { sharer.tell(sharer.send(8)) }
        sharer.tell(sharer.send(2))
        sharer.rest(for: .seconds(3600))
        for _ in 0..<5 {
            sharer.tell(sharer.send(4), delay: .milliseconds(110))
            #expect(sharer.estimator.queueDelay < .milliseconds(5), "\(sharer.estimator.queueDelay)")
        }
    }

    @Test("one sign of life that got lost is no reason to leave marks, however often that happens; ten packets are")
    func lostSignOfLife() {
        var sharer = Sharer()
        for _ in 0..<200 {
            sharer.tell(sharer.send(8))
            sharer.rest(for: .milliseconds(70))
        }
        #expect(sharer.estimator.isMarkable)
        for _ in 0..<10 {
            for _ in 0..<3 {
                sharer.tell(sharer.send(1, bytes: 60))
                sharer.rest(for: .seconds(1))
            }
            _ = sharer.send(1, bytes: 60)
            sharer.rest(for: .seconds(2))
            #expect(sharer.estimator.isSilent)
            sharer.tell(sharer.send(1, bytes: 60))
            #expect(sharer.estimator.isMarkable)
        }
        _ = sharer.send(10)
        sharer.rest(for: .seconds(2))
        sharer.tell(sharer.send(1, bytes: 60))
        #expect(!sharer.estimator.isMarkable)
    }
}
