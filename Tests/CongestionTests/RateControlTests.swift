import Testing
import Timebase

@testable import Congestion

@Suite("What follows from queues for the rate")
struct RateControlTests {
    private var rate = RateControl(start: 4_000_000, maximum: 10_000_000)
    private var now = Instant.zero

    /// A tenth of a second at a time; pictures leave all the while.
    private mutating func observe(
        seconds: Double, queue: Duration = .zero, delivered: Int? = nil, trains: [PacketTrain.Sample] = []
    ) {
        let end = now + .seconds(seconds)
        while now < end {
            now += .milliseconds(100)
            // Where nothing else is said all that may be sent comes through.
            let delivered = delivered ?? rate.target
            rate.observe(
                RateControl.Observation(
                    now: now, queue: queue, jitter: .zero, roundTrip: .milliseconds(50), latestOutflow: delivered,
                    outflow: delivered, delivered: delivered, inFlight: 20_000, trains: trains, loss: nil))
        }
    }

    @Test("a queue that stays while more of ours comes than was to be sent is our own for half a minute, and no longer")
    mutating func own() {
        rate = RateControl(start: 100_000, maximum: 10_000_000)
        observe(seconds: 25, queue: .milliseconds(400), delivered: 100_000)
        #expect(!rate.isCompeting)
        observe(seconds: 15, queue: .milliseconds(400), delivered: 100_000)
        #expect(rate.isCompeting)
    }

    /// 3.5 Mbit/s came out of a queue that stood.
    private mutating func standingQueue() {
        observe(seconds: 0.6, queue: .milliseconds(200), delivered: 3_500_000)
    }

    @Test("what has passed before is grown back to soon")
    mutating func known() {
        standingQueue()
        for _ in 0..<4 { rate.observe(less) }
        let before = rate.capacity
        #expect(before < 1_500_000)
        observe(seconds: 3)
        #expect(rate.capacity > before * 2, "\(rate.capacity)")
    }

    /// Loss asks for half.
    private var less: RateControl.Observation {
        RateControl.Observation(
            now: now, queue: .zero, jitter: .zero, roundTrip: .milliseconds(50), latestOutflow: nil, outflow: nil,
            delivered: nil, trains: [], loss: .less(0.75))
    }

    @Test("but not on another path: there it is tried as slowly as anything new")
    mutating func moved() {
        standingQueue()
        rate.moved(atMost: 300_000)
        observe(seconds: 3)
        #expect((300_000...450_000).contains(rate.capacity), "\(rate.capacity)")
    }

    @Test("nor behind an outage, which may have made the path another")
    mutating func outage() {
        standingQueue()
        rate.doubt()
        let before = rate.capacity
        observe(seconds: 3)
        #expect((before...before * 3 / 2).contains(rate.capacity), "\(before) \(rate.capacity)")
    }
    @Test("less is sent to find out whether a queue is still another flow's, but half of what was ours at least")
    mutating func trial() {
        observe(seconds: 10, queue: .milliseconds(300))
        #expect(rate.isCompeting)
        while rate.isCompeting, now < Instant.zero + .seconds(90) { observe(seconds: 0.1, queue: .milliseconds(300)) }
        let before = rate.capacity
        observe(seconds: 0.8, queue: .milliseconds(300), delivered: 20_000)
        #expect(rate.capacity * 2 >= before, "\(before) \(rate.capacity)")
    }

    @Test("beside a queue that only stands nothing of ours grows, for other shares may hold it; once it swings as TCP's, it does")
    mutating func swings() {
        observe(seconds: 10, queue: .milliseconds(200))
        let before = rate.capacity
        observe(seconds: 8, queue: .milliseconds(220))
        #expect(rate.isCompeting)
        #expect(rate.capacity == before)
        observe(seconds: 0.5, queue: .milliseconds(100))
        observe(seconds: 4, queue: .milliseconds(240))
        #expect(rate.isCompeting)
        #expect(rate.capacity > before * 5 / 4, "\(before) \(rate.capacity)")
    }

    @Test("once another flow's queue has overflowed our part grows")
    mutating func overflows() {
        observe(seconds: 10, queue: .milliseconds(200))
        rate.observe(
            RateControl.Observation(
                now: now, queue: .milliseconds(200), jitter: .zero, roundTrip: .milliseconds(50), latestOutflow: nil,
                outflow: nil, delivered: nil, trains: [], loss: .less(0.88)))
        let before = rate.capacity
        observe(seconds: 4, queue: .milliseconds(200))
        #expect(rate.isCompeting)
        #expect(rate.capacity > before * 5 / 4, "\(before) \(rate.capacity)")
    }

    @Test("beside another flow trains of packets are no measure of what is there for us")
    mutating func trains() {
        observe(seconds: 10, queue: .milliseconds(200))
        let before = rate.capacity
        observe(seconds: 0.5, queue: .milliseconds(50), trains: [PacketTrain.Sample(sentRate: nil, receivedRate: 9_000_000)])
        #expect(rate.isCompeting)
        #expect(rate.capacity < before * 3 / 2, "\(before) \(rate.capacity)")
    }

    @Test("what came before it yielded to another flow does not take that back")
    mutating func yielded() {
        observe(seconds: 10, queue: .milliseconds(300))
        let before = rate.capacity
        rate.observe(
            RateControl.Observation(
                now: now, queue: .milliseconds(200), jitter: .zero, roundTrip: .milliseconds(50), latestOutflow: before,
                outflow: before, delivered: before, trains: [], loss: .less(0.5)))
        observe(seconds: 0.2, queue: .milliseconds(200), delivered: before)
        #expect(rate.isCompeting)
        #expect(rate.capacity < before * 3 / 4, "\(before) \(rate.capacity)")
    }

    @Test("the trickle that is sent of a screen at least does not fill a path that took many times as much")
    mutating func trickle() {
        observe(seconds: 5)
        observe(seconds: 10, queue: .milliseconds(300), delivered: 30_000)
        #expect(rate.isCompeting)
    }
}
