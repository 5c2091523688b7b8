import Testing
import Timebase

@testable import RTP

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
        tracker.repairPacketPatience = .milliseconds(20)
        tracker.repairPacketsCome(upTo: 5, at: after(2))
        #expect(tracker.missingCount == 2)
        #expect(tracker.takeDue(at: after(2)).requests.isEmpty, "the other repair packets may still mend it")
        #expect(tracker.takeDue(at: after(3)).requests == [4, 5])
    }

    @Test("more missing packets than repair packets bring back are asked for at once")
    func beyondRepair() {
        var tracker = tracker()
        tracker.repairPacketPatience = .milliseconds(20)
        for number in [5, 7, 8] as [Int64] { _ = tracker.receive(number, at: after(1)) }
        #expect(tracker.takeDue(at: after(1)).requests == [4, 6], "one repair packet for a picture, as far as is known")
        // Each is for others of the picture's packets.
        for number in [8, 7] as [Int64] { tracker.repairPacketsCome(upTo: number, isRepairPacket: true, at: after(2)) }
        for number in [10, 12, 13] as [Int64] { _ = tracker.receive(number, at: after(20)) }
        #expect(tracker.takeDue(at: after(20)).requests.isEmpty, "two came for the last one")
        for number in [15, 16] as [Int64] { _ = tracker.receive(number, at: after(21)) }
        #expect(tracker.takeDue(at: after(21)).requests == [9, 11, 14])
    }

    @Test("where packets come close together, the repair packets are not waited for longer than they take")
    func fastPath() {
        var tracker = tracker()
        tracker.repairPacketPatience = .milliseconds(20)
        var at = start
        for number in 4...203 as ClosedRange<Int64> {
            at = at + .microseconds(20)
            _ = tracker.receive(number, at: at)
        }
        tracker.repairPacketsCome(upTo: 205, at: at)
        #expect(tracker.takeDue(at: at + .microseconds(100)).requests.isEmpty)
        #expect(tracker.takeDue(at: at + .microseconds(150)).requests == [204, 205])
    }

    @Test("what repair packets mend meanwhile is not asked for")
    func mended() {
        var tracker = tracker()
        tracker.repairPacketPatience = .milliseconds(20)
        _ = tracker.receive(6, at: after(2))
        _ = tracker.receive(4, at: after(3))
        _ = tracker.receive(5, at: after(3))
        #expect(tracker.takeDue(at: after(100)).requests.isEmpty)
    }

    @Test("what is asked for again is told from what is missed for the first time")
    func repeated() {
        var tracker = tracker()
        for number in 5...6 as ClosedRange<Int64> { _ = tracker.receive(number, at: start) }
        #expect(!tracker.takeDue(at: start).isRepeated)
        for number in 8...9 as ClosedRange<Int64> { _ = tracker.receive(number, at: after(10)) }
        #expect(!tracker.takeDue(at: after(10)).isRepeated)
        let again = tracker.takeDue(at: after(59))
        #expect(again.requests == [4] && again.isRepeated)
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
        _ = tracker.receive(4, isAnswer: true, at: after(205))
        for number in 7...8 as ClosedRange<Int64> { _ = tracker.receive(number, at: after(300)) }
        #expect(tracker.takeDue(at: after(300)).requests == [6])
        #expect(tracker.takeDue(at: after(450)).requests.isEmpty)
        #expect(tracker.takeDue(at: after(560)).requests == [6])
    }

    @Test("an answer tells that what was asked for before it is lost, a few milliseconds later")
    func overtaken() {
        var tracker = tracker()
        _ = tracker.receive(7, at: start)
        _ = tracker.receive(8, at: start)
        #expect(tracker.takeDue(at: start).requests == [4, 5, 6])
        _ = tracker.receive(5, isAnswer: true, at: after(50))
        #expect(tracker.takeDue(at: after(54)).requests.isEmpty, "it may come a little later")
        #expect(tracker.takeDue(at: after(55)).requests == [4], "6 was to come behind 5")
        #expect(tracker.takeDue(at: after(58)).requests.isEmpty)
        #expect(tracker.takeDue(at: after(59)).requests == [6])
        #expect(tracker.takeDue(at: after(107)).requests.isEmpty, "each round takes its time")
    }

    @Test(
        "what came by itself, or before an answer can be there, tells nothing of others",
        arguments: [(20, true), (50, false)])
    func notOvertaken(time: Int64, isAnswer: Bool) {
        var tracker = tracker()
        _ = tracker.receive(6, at: start)
        _ = tracker.receive(7, at: start)
        #expect(tracker.takeDue(at: start).requests == [4, 5])
        _ = tracker.receive(5, isAnswer: isAnswer, at: after(time))
        #expect(tracker.takeDue(at: after(57)).requests.isEmpty)
    }

    @Test("second rounds don't make the next ones longer")
    func secondRounds() {
        var tracker = tracker()
        var (number, at) = (4 as Int64, 0 as Int64)
        for _ in 0..<20 {
            for next in (number + 1)...(number + 2) { _ = tracker.receive(next, at: after(at)) }
            #expect(tracker.takeDue(at: after(at)).requests == [number])
            #expect(tracker.takeDue(at: after(at + 60)).requests == [number])
            _ = tracker.receive(number, isAnswer: true, at: after(at + 110))
            number += 3
            at += 200
        }
    }

    @Test("what comes after it was given up tells how long answers take")
    func tooLate() {
        var tracker = tracker(roundTrip: .milliseconds(1))
        for number in 5...6 as ClosedRange<Int64> { _ = tracker.receive(number, at: start) }
        while let deadline = tracker.deadline { _ = tracker.takeDue(at: deadline) }
        _ = tracker.receive(4, isAnswer: true, at: after(600))
        #expect(tracker.usualAnswer == .milliseconds(600))
        for number in 8...9 as ClosedRange<Int64> { _ = tracker.receive(number, at: after(1000)) }
        #expect(tracker.takeDue(at: after(1000)).requests == [7])
        #expect(tracker.takeDue(at: after(1600)).requests.isEmpty)
    }

    @Test("a few that were lost again and again don't make all others wait")
    func lostAgain() {
        var tracker = tracker()
        for number in 5...6 as ClosedRange<Int64> { _ = tracker.receive(number, at: start) }
        _ = tracker.takeDue(at: start)
        _ = tracker.receive(4, isAnswer: true, at: after(50))
        for number in 12...13 as ClosedRange<Int64> { _ = tracker.receive(number, at: after(100)) }
        for time in 0..<500 as Range<Int64> { _ = tracker.takeDue(at: after(100 + time)) }
        tracker.abandon(below: 12)
        for number in 7...11 as ClosedRange<Int64> { _ = tracker.receive(number, isAnswer: true, at: after(616)) }
        for number in 15...16 as ClosedRange<Int64> { _ = tracker.receive(number, at: after(1000)) }
        #expect(tracker.takeDue(at: after(1000)).requests == [14])
        #expect(tracker.takeDue(at: after(1150)).requests == [14])
    }

    @Test("where a path becomes longer, answers are soon waited for as long as they take")
    func longerPath() {
        var tracker = tracker()
        var (number, at) = (4 as Int64, 0 as Int64)
        for round in 0..<60 {
            for next in (number + 1)...(number + 2) { _ = tracker.receive(next, at: after(at)) }
            var requests = 0
            for time in 0..<200 as Range<Int64> { requests += tracker.takeDue(at: after(at + time)).requests.count }
            _ = tracker.receive(number, isAnswer: true, at: after(at + 200))
            #expect(round < 40 || requests == 1, "\(requests) in round \(round)")
            number += 3
            at += 400
        }
    }

    @Test("where answers take now 50 ms and now 100, those that take longer are waited for")
    func uneven() {
        var tracker = tracker()
        var (number, at) = (4 as Int64, 0 as Int64)
        for round in 0..<9 as Range<Int64> {
            for next in (number + 1)...(number + 2) { _ = tracker.receive(next, at: after(at)) }
            #expect(tracker.takeDue(at: after(at)).requests == [number])
            if round == 8 { break }
            _ = tracker.receive(number, isAnswer: true, at: after(at + 50 + 50 * (round % 2)))
            number += 3
            at += 300
        }
        #expect(tracker.takeDue(at: after(at + 95)).requests.isEmpty)
        #expect(tracker.takeDue(at: after(at + 200)).requests == [number])
    }

    @Test("more missing than can be asked for is given up as a whole")
    func tooMany() {
        var tracker = tracker()
        #expect(tracker.receive(1_000_000, at: start) == .tooManyMissing)
        #expect(tracker.missingCount == 0)
        tracker.repairPacketsCome(upTo: 9_000_000, at: start)
        #expect(tracker.missingCount == 0, "nor does a repair packet make up such a list")
    }
}
