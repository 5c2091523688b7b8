import RTP
import Testing
import Timebase

@Suite("Which packets are asked for, and when")
struct NACKTrackerTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private func after(_ milliseconds: Int64) -> Instant { start + .milliseconds(milliseconds) }

    /// Numbers 1 to 3 came, 4 and 5 did not.
    private func tracker(upTo last: Int64 = 3, roundTrip: Duration = .milliseconds(50)) -> NACKTracker {
        var tracker = NACKTracker(roundTripTime: roundTrip)
        for number in 1...last { _ = tracker.receive(number, at: start) }
        return tracker
    }

    @Test("what two later packets have overtaken is asked for at once, what one has after a few milliseconds")
    func reordering() {
        var tracker = tracker()
        _ = tracker.receive(5, at: after(10))
        #expect(tracker.deadline == after(15))
        _ = tracker.receive(6, at: after(11))
        #expect(tracker.takeDue(at: after(11)).requests == [4])
    }

    @Test("a picture's last packets are missed by its repair packets, before the next picture comes")
    func tail() {
        var tracker = tracker()
        tracker.parityPatience = .milliseconds(20)
        tracker.parityCame(upTo: 5, at: after(2))
        #expect(tracker.missingCount == 2)
        #expect(tracker.takeDue(at: after(2)).requests.isEmpty, "the other repair packets may still mend it")
        #expect(tracker.takeDue(at: after(3)).requests == [4, 5])
    }

    @Test("what repair packets mend meanwhile is not asked for")
    func mended() {
        var tracker = tracker()
        tracker.parityPatience = .milliseconds(20)
        _ = tracker.receive(6, at: after(2))
        _ = tracker.receive(4, at: after(3))
        _ = tracker.receive(5, at: after(3))
        #expect(tracker.takeDue(at: after(100)).requests.isEmpty)
    }

    @Test("asked again after a round trip and a little more, and given up when the tries are used up")
    func again() {
        var tracker = tracker()
        for number in 5...6 as ClosedRange<Int64> { _ = tracker.receive(number, at: start) }
        #expect(tracker.takeDue(at: start).requests == [4])
        #expect(tracker.takeDue(at: after(50)).requests.isEmpty)
        var rounds = 0
        var abandoned: Int64?
        while abandoned == nil, let deadline = tracker.deadline, rounds < 100 {
            let due = tracker.takeDue(at: deadline)
            abandoned = due.abandoned
            rounds += 1
            #expect(deadline - start >= .milliseconds(50 * rounds))
        }
        #expect(abandoned == 4)
        #expect(rounds > 1)
        #expect(tracker.missingCount == 0)
    }

    @Test("answers that take longer than what is told of the round trip are waited for")
    func slowAnswers() {
        var tracker = tracker(roundTrip: .milliseconds(10))
        _ = tracker.receive(5, at: start)
        _ = tracker.takeDue(at: after(5))
        _ = tracker.receive(4, at: after(205))
        for number in 7...8 as ClosedRange<Int64> { _ = tracker.receive(number, at: after(300)) }
        #expect(tracker.takeDue(at: after(300)).requests == [6])
        #expect(tracker.takeDue(at: after(450)).requests.isEmpty)
        #expect(tracker.takeDue(at: after(560)).requests == [6])
    }

    @Test("more missing than can be asked for is given up as a whole")
    func tooMany() {
        var tracker = tracker()
        #expect(tracker.receive(1_000_000, at: start) == .tooManyMissing)
        #expect(tracker.missingCount == 0)
        tracker.parityCame(upTo: 9_000_000, at: start)
        #expect(tracker.missingCount == 0, "nor does a repair packet make up such a list")
    }
}
