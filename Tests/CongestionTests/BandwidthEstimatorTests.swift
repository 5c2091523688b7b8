import Congestion
import Testing
import Timebase

@Suite("What a path takes")
struct BandwidthEstimatorTests {
    @Test("a link of 1 Mbit/s is used nearly whole, and its queue stays short", arguments: [40, 100] as [Int64])
    func slowLink(feedbackMilliseconds: Int64) {
        var share = PathSimulation(feedbackInterval: .milliseconds(feedbackMilliseconds)) { _ in
            SimulatedPath(rate: 1_000_000)
        }
        share.run(for: 30)
        #expect(share.bitsDelivered / 30 > 850_000)
        #expect(share.queue(0.95, from: 5) < 0.1)
        #expect(share.picturesPerSecond(from: 5, to: 30) > 27)
    }

    @Test(
        "before 150 kbit/s its own queue is not taken for another flow's", arguments: 1...3 as ClosedRange<UInt64>,
        [40, 100] as [Int64])
    func verySlowLink(seed: UInt64, feedbackMilliseconds: Int64) {
        var share = PathSimulation(seed: seed, feedbackInterval: .milliseconds(feedbackMilliseconds)) { _ in
            SimulatedPath(rate: 150_000, queue: .seconds(2))
        }
        share.run(for: 120)
        #expect(share.queue(0.95, from: 20) < 0.3, "\(share.queue(0.95, from: 20))")
        #expect(share.bitsDelivered / 120 > 130_000)
    }

    @Test("a link that falls from 4 to 1 Mbit/s has no queue any more after six round trips")
    func fall() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var share = PathSimulation(seed: seed) { SimulatedPath(rate: $0 < 10 ? 4_000_000 : 1_000_000) }
            share.run(for: 15)
            let settled = try #require(share.settled(below: 0.08, from: 10))
            #expect(settled < 0.7, "after \(settled) s")
        }
    }

    @Test("a link that rises from 1 to 4 Mbit/s is used within a second, whatever it was before", arguments: [1, 4, 100])
    func rise(megabitsBefore: Double) {
        var share = PathSimulation { time in
            SimulatedPath(rate: time < 5 ? megabitsBefore * 1_000_000 : time < 13 ? 1_000_000 : 4_000_000)
        }
        share.run(for: 14)
        #expect(share.estimator.capacity > 3_400_000, "\(share.estimator.capacity)")
    }

    @Test(
        "a link that stands still for a moment of each second, and makes up for it, is not taken for a narrow one",
        arguments: 1...3 as ClosedRange<UInt64>)
    func standstill(seed: UInt64) {
        var share = PathSimulation(seed: seed) { _ in
            SimulatedPath(rate: 8_000_000, standstill: .milliseconds(150))
        }
        share.run(for: 20)
        #expect(share.bitsDelivered / 20 > 2_800_000, "\(share.bitsDelivered / 20)")
    }

    @Test("what was too much a moment ago does not hold back a link that rises again", arguments: [1, 2], [2, 15])
    func riseSoonAfterFall(seconds: Double, jitterMilliseconds: Int64) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var share = PathSimulation(seed: seed) { time in
                SimulatedPath(
                    rate: time < 10 || time >= 10 + seconds ? 4_000_000 : 1_000_000,
                    jitter: .milliseconds(jitterMilliseconds))
            }
            share.run(for: 12 + seconds)
            #expect(share.estimator.capacity > 3_200_000, "\(share.estimator.capacity)")
        }
    }

    @Test("beside a transfer it keeps a share whatever the queue holds", arguments: [60, 80, 100, 150], [25, 50])
    func bulkInShortQueue(queueMilliseconds: Int64, delayMilliseconds: Int64) {
        var share = PathSimulation { _ in
            SimulatedPath(
                rate: 2_000_000, queue: .milliseconds(queueMilliseconds), delay: .milliseconds(delayMilliseconds),
                jitter: .milliseconds(5))
        }
        share.bulk = BulkFlow(startsAt: 5)
        share.run(for: 20)
        let before = share.bitsDelivered
        share.run(for: 60)
        #expect((share.bitsDelivered - before) / 60 > 300_000, "\((share.bitsDelivered - before) / 60)")
    }

    @Test(
        "and where it holds up to a second, which nothing that we do makes shorter", arguments: [500, 800, 1000],
        1...4 as ClosedRange<UInt64>)
    func bulkInLongQueue(queueMilliseconds: Int64, seed: UInt64) {
        var share = PathSimulation(seed: seed) { _ in
            SimulatedPath(rate: 2_000_000, queue: .milliseconds(queueMilliseconds), jitter: .milliseconds(5))
        }
        share.bulk = BulkFlow(startsAt: 5)
        share.run(for: 60)
        let before = share.bitsDelivered
        share.run(for: 90)
        #expect((share.bitsDelivered - before) / 90 > 300_000, "\((share.bitsDelivered - before) / 90)")
    }

    @Test("loss that is the path's own is no reason to send less", arguments: [0.05, 0.1])
    func ownLoss(loss: Double) {
        var share = PathSimulation { _ in SimulatedPath(rate: nil, delay: .milliseconds(50), loss: loss) }
        share.run(for: 20)
        #expect(share.estimator.target > 4_000_000)
        #expect(share.estimator.lastingLoss > loss / 2)
    }

    @Test("jitter is not taken for a queue")
    func jitter() {
        var share = PathSimulation { _ in
            SimulatedPath(rate: 6_000_000, delay: .milliseconds(10), jitter: .milliseconds(15))
        }
        share.run(for: 20)
        #expect(share.estimator.target > 3_800_000, "\(share.estimator.target)")
    }

    @Test("feedback that gets lost does not fill the window for ever")
    func lostFeedback() {
        var share = PathSimulation { _ in SimulatedPath(rate: nil, delay: .milliseconds(10), loss: 0.2) }
        share.run(for: 30)
        #expect(share.estimator.bytesInFlight < share.estimator.window)
        #expect(share.picturesPerSecond(from: 20, to: 30) > 0.5, "whole pictures are rare where a fifth is lost")
    }

    @Test("nothing is sent into a blackout but what notices its end, and pictures come right after it")
    func blackout() throws {
        var share = PathSimulation { time in
            SimulatedPath(rate: 10_000_000, loss: (10..<13).contains(time) ? 1 : 0)
        }
        share.run(for: 15)
        let first = try #require(share.pictures.first { $0.sentAt > 13 })
        #expect(first.arrivedAt < 13.5, "at \(first.arrivedAt)")
    }

    @Test(
        "beside a transfer that fills the queue it keeps its part, and takes the link back when that has ended",
        arguments: 1...2 as ClosedRange<UInt64>)
    func bulk(seed: UInt64) {
        let path = SimulatedPath(rate: 2_000_000, delay: .milliseconds(50), jitter: .milliseconds(15))
        var simulation = PathSimulation(seed: seed) { _ in path }
        simulation.bulk = BulkFlow(startsAt: 5)
        simulation.run(for: 25)
        let before = (simulation.bitsDelivered, simulation.bulk?.bitsDelivered ?? 0)
        simulation.run(for: 60)
        let own = simulation.bitsDelivered - before.0
        let other = (simulation.bulk?.bitsDelivered ?? 0) - before.1
        // This transfer is slower to come back than CUBIC.
        #expect((0.35...0.75).contains(own / (own + other)), "\(own) beside \(other)")
        simulation.bulk = nil
        simulation.run(for: 20)
        let alone = simulation.bitsDelivered
        simulation.run(for: 20)
        #expect((simulation.bitsDelivered - alone) / 20 > 1_500_000)
        #expect(simulation.queue(0.95, from: 105) < 0.08)
    }

    @Test("a path that becomes longer is believed, after a while")
    func longerPath() {
        var share = PathSimulation { SimulatedPath(rate: 5_000_000, delay: .milliseconds($0 < 5 ? 20 : 120)) }
        share.run(for: 25)
        #expect(share.estimator.target > 3_000_000, "\(share.estimator.target)")
    }

    @Test("a path that becomes longer and narrow at once is neither given up nor filled")
    func longerAndNarrow() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var share = PathSimulation(seed: seed) { time in
                time < 5 ? SimulatedPath(rate: nil, delay: .milliseconds(1))
                    : SimulatedPath(rate: 1_000_000, delay: .milliseconds(50), jitter: .milliseconds(15))
            }
            share.run(for: 25)
            #expect(share.estimator.target > 700_000, "\(share.estimator.target)")
            #expect(share.queue(0.95, from: 15) < 0.08, "\(share.queue(0.95, from: 15))")
        }
    }

    @Test(
        "what another flow's queue allowed is over when its queue is: a link that falls then is not filled",
        arguments: [(40, 10), (40, 6), (44, 6), (48, 6), (52, 6)] as [(Double, Double)])
    func afterwards(end: Double, pause: Double) throws {
        var share = PathSimulation { time in SimulatedPath(rate: time < end + pause ? 2_000_000 : 500_000) }
        share.bulk = BulkFlow(startsAt: 5)
        share.run(for: end)
        share.bulk = nil
        share.run(for: pause + 10)
        let settled = try #require(share.settled(below: 0.1, from: end + pause))
        #expect(settled < 1.5, "after \(settled) s")
    }

    @Test("packets that overtake the others on their way hide no queue, and are no measure of the path")
    func favoured() {
        var estimator = BandwidthEstimator(start: 2_000_000, maximum: 40_000_000)
        var number: Int64 = 0
        // A picture's packet every ten milliseconds, each a millisecond later than the one before; sound at once.
        for step in 0..<100 {
            let now = Instant.zero + .milliseconds(10 * step)
            let late = Duration.milliseconds(20 + step)
            estimator.sent(number, bytes: 1200, at: now)
            estimator.sent(number + 1, bytes: 150, isFavoured: true, at: now)
            estimator.report(UInt16(number), arrival: .milliseconds(10 * step) + late)
            estimator.report(UInt16(number + 1), arrival: .milliseconds(10 * step + 20))
            if step % 5 == 4 { estimator.finish(at: now + late) }
            number += 2
        }
        #expect(estimator.queueDelay > .milliseconds(60), "\(estimator.queueDelay)")
        #expect(estimator.capacity < 2_000_000)
    }

    @Test("pictures that sound has overtaken in a queue are not lost, and stay in flight")
    func overtaken() {
        var estimator = BandwidthEstimator(start: 2_000_000, maximum: 40_000_000)
        var number: Int64 = 0
        // Of each page the second half comes with the next feedback; sound has come before it.
        for page in 0..<20 as Range<Int64> {
            let begin = Instant.zero + .milliseconds(500 * page)
            let first = number
            for _ in 0..<20 {
                estimator.sent(number, bytes: 1200, at: begin)
                number += 1
            }
            estimator.sent(number, bytes: 150, isFavoured: true, at: begin)
            let arrival = Duration.milliseconds(500 * page + 20)
            for packet in first..<first + 20 {
                estimator.report(UInt16(packet), arrival: packet < first + 10 ? arrival : nil)
            }
            estimator.report(UInt16(number), arrival: arrival)
            estimator.finish(at: begin + .milliseconds(40))
            #expect(estimator.bytesInFlight == 10 * 1200)
            for packet in first + 10..<first + 20 { estimator.report(UInt16(packet), arrival: arrival + .milliseconds(40)) }
            estimator.finish(at: begin + .milliseconds(80))
            number += 1
        }
        #expect(estimator.lastingLoss == 0 && estimator.loss == 0)
        // One of them that does not come is lost once another has.
        for packet in number..<number + 200 {
            estimator.sent(packet, bytes: 1200, at: .zero + .seconds(11) + .milliseconds(packet - number))
        }
        estimator.sent(number + 200, bytes: 150, isFavoured: true, at: .zero + .milliseconds(11_200))
        for packet in number..<number + 200 {
            estimator.report(UInt16(packet), arrival: packet % 10 == 9 ? nil : .milliseconds(11_220))
        }
        estimator.report(UInt16(number + 200), arrival: .milliseconds(11_220))
        estimator.finish(at: .zero + .milliseconds(11_240))
        estimator.finish(at: .zero + .milliseconds(11_600))
        #expect((0.08...0.11).contains(estimator.loss), "\(estimator.loss)")
    }

    @Test("a picture that was told of as lost and comes all the same was not")
    func reordered() {
        var estimator = BandwidthEstimator(start: 2_000_000, maximum: 40_000_000)
        for step in 0..<100 as Range<Int64> {
            let now = Instant.zero + .milliseconds(20 * step)
            let first = 4 * step
            for packet in first..<first + 4 { estimator.sent(packet, bytes: 1200, at: now) }
            let arrival = Duration.milliseconds(20 * step + 20)
            for packet in first..<first + 4 { estimator.report(UInt16(packet), arrival: packet == first + 2 ? nil : arrival) }
            estimator.finish(at: now + .milliseconds(30))
            estimator.report(UInt16(first + 2), arrival: arrival)
            estimator.finish(at: now + .milliseconds(35))
        }
        #expect(estimator.lastingLoss < 0.02, "\(estimator.lastingLoss)")
    }

    @Test("what a feedback tells not to have come is lost, though the next one, which misses something as well, was there before it")
    func overtakenFeedback() {
        var estimator = BandwidthEstimator(start: 2_000_000, maximum: 40_000_000)
        let begin = Instant.zero + .seconds(1)
        for packet in 1...20 as ClosedRange<Int64> { estimator.sent(packet, bytes: 1200, at: begin) }
        for (turn, packets) in ([11...20, 1...10] as [ClosedRange<UInt16>]).enumerated() {
            for packet in packets {
                estimator.report(packet, arrival: packet == 5 || packet == 20 ? nil : .milliseconds(1020))
            }
            estimator.finish(at: begin + .milliseconds(30 + 10 * turn))
        }
        #expect(estimator.takeLost() == [5])
        #expect(estimator.isLost(5) && !estimator.isLost(20))
    }

    @Test("a path that is longer behind an outage is no queue")
    func longerBehindOutage() {
        var simulation = PathSimulation(wish: 3_000_000) { time in
            SimulatedPath(
                rate: 8_000_000, delay: .milliseconds(time < 11 ? 25 : 105), loss: (10..<12).contains(time) ? 1 : 0)
        }
        simulation.run(for: 10)
        let before = simulation.estimator.capacity
        simulation.run(for: 2.6)
        #expect(simulation.estimator.queueDelay < .milliseconds(15), "\(simulation.estimator.queueDelay)")
        #expect(simulation.estimator.capacity * 2 >= before * 9 / 10, "\(before) \(simulation.estimator.capacity)")
    }

    @Test("what nobody needs to know more of may rise")
    func maximum() {
        var simulation = PathSimulation(wish: 300_000) { _ in SimulatedPath(rate: 50_000_000) }
        simulation.run(for: 3)
        #expect(simulation.estimator.capacity <= 3_000_000)
        simulation.setMaximum(20_000_000, wish: 2_000_000)
        simulation.run(for: 5)
        #expect(simulation.estimator.capacity > 6_000_000, "\(simulation.estimator.capacity)")
        simulation.setMaximum(200_000, wish: 200_000)
        #expect(simulation.estimator.capacity == 200_000)
    }

    @Test("feedback on what was never sent, twice or from another time changes nothing")
    func lies() {
        var estimator = BandwidthEstimator(start: 3_000_000, maximum: 40_000_000)
        let before = (estimator.target, estimator.capacity)
        for number in stride(from: UInt16(0), to: 60_000, by: 7) {
            estimator.report(number, arrival: .nanoseconds(Int64.max))
            estimator.report(number, arrival: .nanoseconds(Int64.min))
            estimator.finish(at: Instant(nanoseconds: Int64(number)))
        }
        #expect(before == (estimator.target, estimator.capacity))
        for number in 1...100 as ClosedRange<Int64> {
            estimator.sent(number, bytes: 1200, at: Instant(nanoseconds: number * 1_000_000))
        }
        for round in 0..<50 as Range<Int64> {
            for number in 1...100 as ClosedRange<UInt16> {
                estimator.report(number, arrival: .nanoseconds(round % 2 == 0 ? Int64.max - round : Int64.min + round))
            }
            estimator.finish(at: Instant(nanoseconds: 200_000_000 + round))
        }
        #expect((20_000...40_000_000).contains(estimator.target))
        #expect(estimator.bytesInFlight == 0)
    }

    @Test("a path that loses nine tenths of whatever is sent is used as before, but for the second in which less is tried")
    func mostLost() {
        var estimator = BandwidthEstimator(start: 3_000_000, maximum: 40_000_000)
        var least = estimator.target
        for number in 1...20_000 as ClosedRange<Int64> {
            let now = Instant(nanoseconds: number * 3_000_000)
            estimator.sent(number, bytes: 1200, at: now)
            estimator.report(UInt16(truncatingIfNeeded: number), arrival: number % 10 == 0 ? .milliseconds(number * 3) : nil)
            if number % 10 == 0 { estimator.finish(at: now) }
            least = min(least, estimator.target)
        }
        #expect((200_000...300_000).contains(least), "four fifths of what passes: \(least)")
        #expect((2_700_000...2_800_000).contains(estimator.target), "\(estimator.target)")
    }

    @Test("a peer that says that all is lost is sent a few packets a second, as one that says nothing")
    func allLost() {
        var estimator = BandwidthEstimator(start: 3_000_000, maximum: 40_000_000)
        var (number, sentSince): (Int64, Int) = (0, 0)
        for step in 0..<4000 as Range<Int64> {
            let now = Instant.zero + .milliseconds(3 * step)
            let isLost = step >= 100
            estimator.advance(to: now)
            if let free = estimator.mayLeave(at: now), free <= now {
                number += 1
                estimator.sent(number, bytes: 1200, at: now)
                estimator.report(UInt16(truncatingIfNeeded: number), arrival: isLost ? nil : .milliseconds(3 * step))
                if isLost { sentSince += 1 }
            }
            if step % 10 == 9 { estimator.finish(at: now) }
        }
        // Twelve seconds: a window, then one each 50 ms, and after five seconds each 150 ms.
        #expect(estimator.isSilent)
        #expect((100...250).contains(sentSince), "\(sentSince)")
    }
}
