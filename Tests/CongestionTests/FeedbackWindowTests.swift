import Congestion
import Testing
import Timebase

@Suite("What may be in flight")
struct FeedbackWindowTests {
    private var estimator = BandwidthEstimator(start: 1_000_000, maximum: 40_000_000)
    private var now = Instant.zero + .seconds(1)
    private var number: Int64 = 0

    /// Packets leave at once, and come after 20 ms and the queue; feedback takes 20 ms more.
    private mutating func send(_ packets: Int, losing: Int = 0, queue: Duration = .zero) {
        let first = number
        for _ in 0..<packets { leave() }
        let arrival = Duration.milliseconds(now.nanoseconds / 1_000_000 + 20) + queue
        for (index, packet) in (first..<number).enumerated() {
            estimator.report(UInt16(packet), arrival: index < losing ? nil : arrival)
        }
        estimator.finish(at: now + .milliseconds(40) + queue)
    }

    private mutating func leave() {
        estimator.sent(number, bytes: 1200, at: now)
        number += 1
    }

    @Test("a screen at rest, of which each second is told, gets no window for seconds")
    mutating func rest() {
        for _ in 0..<60 {
            send(4)
            now += .seconds(1)
        }
        // A quarter of a second's worth.
        #expect(estimator.window < estimator.capacity / 8 / 4, "\(estimator.window)")
    }

    @Test("one that is full is gone beyond where feedback got lost, as packets do; not where they are lost before a queue",
        arguments: [false, true])
    mutating func lateFeedback(isQueued: Bool) {
        for step in 0..<30 {
            send(10, losing: 1, queue: isQueued && step >= 25 ? .milliseconds(100) : .zero)
            now += .milliseconds(200)
        }
        #expect(estimator.ambientLoss > 0.01)
        while estimator.bytesInFlight < estimator.window { leave() }
        #expect((estimator.mayLeave(at: now + .milliseconds(400)) == nil) == isQueued)
    }

    // MARK: Another path

    @Test("what is under way on the path of before takes no room on another")
    mutating func moved() {
        send(10)
        now += .milliseconds(100)
        while estimator.bytesInFlight < estimator.window { leave() }
        #expect(estimator.mayLeave(at: now) == nil)
        estimator.moved(at: now + .milliseconds(1), start: 1_000_000)
        #expect(estimator.bytesInFlight == 0)
        #expect(estimator.mayLeave(at: now + .milliseconds(1)) == now + .milliseconds(1))
    }

    @Test("how long packets took there is no round trip of the other")
    mutating func roundTrip() {
        send(10)
        #expect(estimator.roundTrip == .milliseconds(40))
        now += .milliseconds(100)
        let last = number
        leave()
        estimator.moved(at: now + .milliseconds(10), start: 1_000_000)
        estimator.report(UInt16(last), arrival: .milliseconds(1120))
        estimator.finish(at: now + .milliseconds(40))
        now += .milliseconds(100)
        send(10, queue: .milliseconds(160))
        #expect(estimator.roundTrip == .milliseconds(200))
    }
}
