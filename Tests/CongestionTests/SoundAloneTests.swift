import Congestion
import Testing
import Timebase

@Suite("While sound alone is told of")
struct SoundAloneTests {
    /// A sharer whose feedback a test makes by hand.
    private struct Sharer {
        var estimator = BandwidthEstimator(start: 2_000_000, maximum: 8_000_000)
        var now = Instant(nanoseconds: 1_000_000_000)
        private var number: Int64 = 0

        mutating func send(_ count: Int, isSound: Bool = false) -> [Int64] {
            (0..<count).map { _ in
                number += 1
                estimator.sent(number, bytes: isSound ? 150 : 1200, isFavoured: isSound, at: now)
                return number
            }
        }

        /// All of these came so long after they left; told 20 ms later, or as soon as they came.
        mutating func tell(_ numbers: [Int64], delay: Duration = .milliseconds(10)) {
            let arrival = now + delay - Instant.zero
            now += max(delay, .milliseconds(20))
            for number in numbers { estimator.report(UInt16(truncatingIfNeeded: number), arrival: arrival) }
            estimator.finish(at: now)
            estimator.advance(to: now)
        }

        mutating func soundPasses(for rounds: Int) {
            for _ in 0..<rounds { tell(send(1, isSound: true)) }
        }
    }

    @Test("though much of it is lost, it says nothing of what pictures may take")
    func losses() {
        var sharer = Sharer()
        for _ in 0..<20 { sharer.tell(sharer.send(8)) }
        let before = sharer.estimator.capacity
        for round in 0..<200 {
            // Half is lost for two seconds of six; a sign of life is among it each second.
            let numbers = sharer.send(9, isSound: true) + sharer.send(round % 5 == 0 ? 1 : 0) + sharer.send(1, isSound: true)
            let isBad = round % 30 < 10
            sharer.tell(isBad ? numbers.filter { $0 % 2 == 0 || $0 == numbers.last } : numbers)
            sharer.now += .milliseconds(180)
            #expect(sharer.estimator.capacity >= before / 2, "round \(round)")
        }
    }

    @Test("pictures whose feedback was lost do not keep others back for ever")
    func lostFeedback() {
        var sharer = Sharer()
        for _ in 0..<10 { sharer.tell(sharer.send(8)) }
        while sharer.estimator.mayLeave(at: sharer.now) == sharer.now { _ = sharer.send(1) }
        #expect(sharer.estimator.mayLeave(at: sharer.now) == nil, "the window is full")
        sharer.soundPasses(for: 50)
        #expect(sharer.estimator.mayLeave(at: sharer.now) == sharer.now)
    }

    @Test("a queue that a picture met is not taken for one that sound stands in")
    func oldQueue() {
        var sharer = Sharer()
        for _ in 0..<20 { sharer.tell(sharer.send(8)) }
        sharer.tell(sharer.send(8), delay: .milliseconds(70))
        let before = sharer.estimator.capacity
        sharer.soundPasses(for: 50)
        #expect(sharer.estimator.queueDelay > .milliseconds(40), "else this tests nothing")
        #expect(sharer.estimator.capacity >= before / 2, "\(sharer.estimator.capacity) of \(before)")
    }
}
