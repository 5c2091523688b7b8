import Congestion
import Testing
import Timebase

@Suite("Explicit congestion notification (RFC 3168, RFC 6679, RFC 9331)")
struct ECNControlTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)
    private static let roundTrip = Duration.milliseconds(50)

    /// Packets and reports on them in turn, each as the network made it.
    private static func run(
        _ ecn: inout ECNControl, from start: Instant, seconds: Double, queueIsShort: Bool = true,
        network: (ECNCodepoint) -> ECNCodepoint?
    ) -> (sent: [ECNCodepoint], factors: [Double]) {
        var sent: [ECNCodepoint] = [], factors: [Double] = []
        var now = start
        var counts = ECNCounts()
        while now < start + .seconds(seconds) {
            now += .milliseconds(4)
            let codepoint = ecn.allowsNext(at: now) ? ECNCodepoint.capable : .notCapable
            sent.append(codepoint)
            if let came = network(codepoint) { counts.count(came) }
            guard sent.count % 10 == 0 else { continue }
            ecn.observe(counts, arrivals: 10, at: now)
            counts = ECNCounts()
            let verdict = ecn.takeVerdict(queueIsShort: queueIsShort, roundTrip: roundTrip, at: now)
            if case .yield(let factor, _) = verdict { factors.append(factor) }
        }
        return (sent, factors)
    }

    @Test("a few packets try it, and all carry ECT once one of them came as it left",
        arguments: [ECNResponse.classic, .scalable])
    func capable(response: ECNResponse) {
        var ecn = ECNControl(response)
        let (sent, factors) = Self.run(&ecn, from: Self.start, seconds: 1) { $0 }
        #expect(sent.prefix(10).count { $0 != .notCapable } == 1)
        #expect(sent.dropFirst(10).allSatisfy { $0 == .capable })
        #expect(ecn.isCapable && factors.isEmpty && ecn.congestionMarks == 0)
    }

    @Test("where ECT is wiped out, or packets with it lost, hardly any carries it; a minute later it is tried again",
        arguments: [ECNCodepoint.notCapable, nil])
    func incapable(fate: ECNCodepoint?) {
        var ecn = ECNControl(.classic)
        let (sent, _) = Self.run(&ecn, from: Self.start, seconds: 30) { $0 == .notCapable ? $0 : fate }
        #expect(sent.count { $0 != .notCapable } == 10 && !ecn.isCapable)
        let (later, _) = Self.run(&ecn, from: Self.start + .seconds(30), seconds: 40) { $0 }
        #expect(later.count { $0 == .capable } > 500 && ecn.isCapable)
    }

    @Test("a network that begins to wipe it out is noticed")
    func becomesIncapable() {
        var ecn = ECNControl(.classic)
        _ = Self.run(&ecn, from: Self.start, seconds: 6) { $0 }
        let (sent, _) = Self.run(&ecn, from: Self.start + .seconds(6), seconds: 3) { _ in .notCapable }
        #expect(!ecn.isCapable && sent.suffix(500).allSatisfy { $0 == .notCapable })
    }

    @Test("ECT(0) is answered once in a round trip, by a tenth")
    func classic() {
        var ecn = ECNControl(.classic)
        var count = 0
        let (_, factors) = Self.run(&ecn, from: Self.start, seconds: 2) { codepoint in
            count += 1
            return codepoint != .notCapable && count % 20 == 0 ? .congestionExperienced : codepoint
        }
        #expect(factors.allSatisfy { $0 == 0.9 } && (12...20).contains(factors.count), "\(factors)")
        #expect(ecn.congestionMarks >= 20)
    }

    @Test("ECT(1) is answered in proportion to what is marked", arguments: [4, 20])
    func scalable(every: Int) throws {
        var ecn = ECNControl(.scalable)
        var count = 0
        let (_, factors) = Self.run(&ecn, from: Self.start, seconds: 20) { codepoint in
            count += 1
            return codepoint != .notCapable && count % every == 0 ? .congestionExperienced : codepoint
        }
        let last = factors.suffix(50)
        let mean = last.reduce(0, +) / Double(max(1, last.count))
        let expected = 1 - 0.5 / Double(every)
        #expect(abs(mean - expected) < 0.01, "\(mean)")
    }

    @Test("who marks everything whatever is sent is not believed for ever", arguments: [ECNResponse.classic, .scalable])
    func saturated(response: ECNResponse) {
        var ecn = ECNControl(response)
        let (sent, factors) = Self.run(&ecn, from: Self.start, seconds: 10) {
            $0 == .notCapable ? $0 : .congestionExperienced
        }
        #expect(factors.reduce(1, *) > 0.12 && factors.reduce(1, *) < 0.4 && !ecn.isCapable, "\(factors)")
        #expect(sent.suffix(1000).allSatisfy { $0 == .notCapable })
    }

    @Test("nor where packets come one by one, and jitter looks like a queue now and then")
    func saturatedSingly() {
        var ecn = ECNControl(.scalable)
        var (fall, sent) = (1.0, 0)
        while sent < 200 {
            sent += 1
            let now = Self.start + .milliseconds(20 * sent)
            var counts = ECNCounts()
            counts.count(ecn.allowsNext(at: now) ? .congestionExperienced : .notCapable)
            ecn.observe(counts, arrivals: 1, at: now)
            let verdict = ecn.takeVerdict(queueIsShort: sent % 3 > 0, roundTrip: Self.roundTrip, at: now)
            if case .yield(let factor, _) = verdict { fall *= factor }
        }
        #expect(!ecn.isCapable && fall > 0.03, "\(fall)")
    }

    @Test("a few that are all marked, among others that are not, are believed")
    func luckyMarks() {
        var ecn = Self.capable(.scalable)
        for count in 1...600 {
            let now = Self.start + .milliseconds(Int64(count) * 20)
            // Those that an answer goes by are marked, and most of the others are not.
            ecn.observe(ECNCounts(capable: 6), arrivals: 6, at: now - .milliseconds(10))
            ecn.observe(ECNCounts(congestionExperienced: 1), arrivals: 1, at: now)
            _ = ecn.takeVerdict(queueIsShort: true, roundTrip: .milliseconds(1), at: now)
        }
        #expect(ecn.isCapable)
    }

    @Test("of a queue that is there, all that comes may be marked for long")
    func saturatedQueue() {
        var ecn = ECNControl(.scalable)
        let (_, factors) = Self.run(&ecn, from: Self.start, seconds: 5, queueIsShort: false) {
            $0 == .notCapable ? $0 : .congestionExperienced
        }
        #expect(ecn.isCapable && factors.count > 30)
    }

    @Test("what left before all carried ECT, and is told of late, is no sign that it is wiped out")
    func lateReport() {
        var ecn = Self.capable(.classic)
        // A page that left at the beginning, and a screen at rest.
        ecn.observe(ECNCounts(capable: 5, notCapable: 300), arrivals: 305, at: Self.start + .seconds(1))
        #expect(ecn.isCapable)
        for second in 6..<20 as Range<Int64> {
            ecn.observe(ECNCounts(notCapable: 30), arrivals: 30, at: Self.start + .seconds(second))
        }
        #expect(!ecn.isCapable)
    }

    /// One whose test has just succeeded.
    private static func capable(_ response: ECNResponse) -> ECNControl {
        var ecn = ECNControl(response)
        while !ecn.allowsNext(at: start) {}
        ecn.observe(ECNCounts(capable: 1, notCapable: 9), arrivals: 10, at: start)
        #expect(ecn.isCapable)
        return ecn
    }

    @Test("pictures of one packet are not all risked: of ten packets one is a test")
    func sparse() {
        var ecn = ECNControl(.classic)
        let sent = (0..<300 as Range<Int64>).map { ecn.allowsNext(at: Self.start + .milliseconds($0 * 33)) }
        #expect(sent.count { $0 } == 10)
        let tests = sent.indices.filter { sent[$0] }
        #expect(zip(tests, tests.dropFirst()).allSatisfy { $1 - $0 >= 10 })
    }

    @Test("where nothing passes while it is tried, or after, it is left, and tried again ever later")
    func doubt() {
        var ecn = Self.capable(.classic)
        var now = Self.start
        for wait in [60, 120, 240] as [Int64] {
            ecn.doubt(at: now)
            #expect(!ecn.isCapable)
            // What is told now is of the time before.
            ecn.observe(ECNCounts(capable: 40), arrivals: 40, at: now + .seconds(1))
            #expect(!ecn.isCapable)
            #expect((0..<50).allSatisfy { _ in !ecn.allowsNext(at: now + .seconds(wait - 1)) })
            now += .seconds(wait)
            #expect((0..<50).contains { _ in ecn.allowsNext(at: now) })
        }
        var untried = ECNControl(.classic)
        untried.doubt(at: Self.start)
        #expect((0..<50).contains { _ in untried.allowsNext(at: Self.start) }, "a silence before the first test is none of it")
    }

    @Test("what is told before a test began is not of that test")
    func earlier() {
        var ecn = ECNControl(.classic)
        ecn.observe(ECNCounts(capable: 40), arrivals: 40, at: Self.start)
        #expect(!ecn.isCapable)
    }

    @Test("a viewer who stops telling of ECN gets none")
    func untold() {
        var ecn = Self.capable(.classic)
        for tenth in 1...40 as ClosedRange<Int64> {
            ecn.observe(ECNCounts(), arrivals: 10, at: Self.start + .milliseconds(tenth * 100))
        }
        #expect(ecn.isCapable)
        ecn.observe(ECNCounts(), arrivals: 10, at: Self.start + .milliseconds(5100))
        #expect(!ecn.isCapable)
    }

    @Test("what comes in the round trip after an answer asks for no other", arguments: [ECNResponse.classic, .scalable])
    func onceInARoundTrip(response: ECNResponse) {
        var ecn = Self.capable(response)
        var answers = 0
        // Marks of one burst, told of over 90 ms; the next two reports are clean.
        for (index, count) in [3, 3, 3, 0, 0].enumerated() {
            let now = Self.start + .milliseconds(Int64(index) * 45)
            ecn.observe(ECNCounts(capable: 10, congestionExperienced: count), arrivals: 13, at: now)
            if ecn.takeVerdict(queueIsShort: true, roundTrip: Self.roundTrip, at: now) != nil { answers += 1 }
        }
        #expect(answers == 1)
    }

    @Test("what part is marked is averaged by round trips, however often it is told of")
    func averagedByRoundTrips() {
        var ecn = Self.capable(.scalable)
        var verdict: ECNVerdict?
        // Ten clean reports within a round trip, and one with a mark at its end.
        for report in 1...11 as ClosedRange<Int64> {
            let now = Self.start + .milliseconds(10 * report)
            let marked = report == 11 ? 1 : 0
            ecn.observe(ECNCounts(capable: 9, congestionExperienced: marked), arrivals: 9 + marked, at: now)
            verdict = ecn.takeVerdict(queueIsShort: true, roundTrip: Self.roundTrip, at: now)
        }
        // All were thought to be marked at first; two averages of a sixteenth have been taken since.
        guard case .yield(let factor, _) = verdict else {
            Issue.record("\(String(describing: verdict))")
            return
        }
        #expect((0.54...0.58).contains(factor), "\(factor)")
    }

    @Test("an answer says what part of the last few hundred packets was marked, and forgets those before")
    func part() {
        var ecn = Self.capable(.classic)
        var now = Self.start + .seconds(1)
        ecn.observe(ECNCounts(capable: 9, congestionExperienced: 1), arrivals: 10, at: now)
        let first = ecn.takeVerdict(queueIsShort: true, roundTrip: Self.roundTrip, at: now)
        #expect(first == ECNVerdict.yield(0.9, part: 0.1))
        // Half of three hundred, none of two thousand, and a tenth of ten.
        for step in 0..<35 {
            now += .milliseconds(10)
            let counts = step < 15 ? ECNCounts(capable: 10, congestionExperienced: 10) : ECNCounts(capable: 100)
            ecn.observe(counts, arrivals: step < 15 ? 20 : 100, at: now)
        }
        ecn.observe(ECNCounts(capable: 9, congestionExperienced: 1), arrivals: 10, at: now)
        let later = ecn.takeVerdict(queueIsShort: true, roundTrip: Self.roundTrip, at: now)
        guard case .yield(0.9, let part) = later else {
            Issue.record("\(String(describing: later))")
            return
        }
        #expect((0.001...0.02).contains(part), "\(part)")
    }

    @Test("single marks, and marks with clean times between them, are of no network that marks everything")
    func honest() {
        var ecn = Self.capable(.classic)
        var now = Self.start
        for round in 0..<100 {
            now += .seconds(1)
            ecn.observe(ECNCounts(congestionExperienced: round % 2 == 0 ? 1 : 5), arrivals: 5, at: now)
            let verdict = ecn.takeVerdict(queueIsShort: true, roundTrip: Self.roundTrip, at: now)
            guard case .yield(0.9, _) = verdict else {
                Issue.record("\(String(describing: verdict))")
                return
            }
            now += .seconds(1)
            ecn.observe(ECNCounts(capable: 5), arrivals: 5, at: now)
            #expect(ecn.takeVerdict(queueIsShort: true, roundTrip: Self.roundTrip, at: now) == nil)
        }
    }
}

@Suite("What follows from marks for the rate")
struct MarkedRateTests {
    /// A verdict a second, `used` being what comes through.
    private static func capacity(after verdicts: [ECNVerdict], used: Int?, loss: LossVerdict? = nil) -> Int {
        var rate = RateControl(start: 4_000_000, maximum: 10_000_000)
        var now = Instant(nanoseconds: 5_000_000_000)
        for verdict in verdicts {
            now += .seconds(1)
            rate.observe(
                RateControl.Observation(
                    now: now, queue: .zero, jitter: .zero, roundTrip: .milliseconds(50), latestOutflow: nil, outflow: used,
                    delivered: used, trains: [], loss: loss, ecn: verdict))
        }
        return rate.capacity
    }

    private static func seldom(_ count: Int) -> [ECNVerdict] { Array(repeating: .yield(0.9, part: 0.02), count: count) }

    @Test("a film falls by a tenth each time")
    func film() {
        let known = 4_000_000
        #expect(Self.capacity(after: Self.seldom(1), used: known) == known * 9 / 10)
        #expect(Self.capacity(after: Self.seldom(1), used: known, loss: .less(0.8)) == known * 8 / 10, "loss and marks are one")
    }

    @Test("a screen at rest, whose few packets are marked now and then, keeps what TCP would have")
    func rest() {
        // 1.22 ÷ √0.02 packets in 50 ms.
        for used in [nil, 60_000] as [Int?] {
            #expect((1_900_000...2_100_000).contains(Self.capacity(after: Self.seldom(60), used: used)))
        }
        let often = Self.capacity(after: Array(repeating: .yield(0.9, part: 0.5), count: 60), used: 60_000)
        #expect((350_000...450_000).contains(often), "\(often)")
    }

    @Test("what was given up for marks that meant nothing is there again, and no more")
    func distrust() {
        let found = Self.capacity(after: Self.seldom(3) + [.distrust(0.729)], used: 4_000_000)
        #expect((3_900_000...4_000_000).contains(found), "\(found)")
        let later = Self.capacity(after: Self.seldom(10) + [.distrust(0.81)], used: 2_000_000)
        #expect(later < 2_500_000, "what was there ten marks ago need not be: \(later)")
    }
}

@Suite("A path that marks instead of dropping")
struct MarkedPathTests {
    private static func share(
        seed: UInt64 = 1, _ response: ECNResponse?, rate: Double = 2_000_000, _ marking: SimulatedPath.Marking
    ) -> PathSimulation {
        PathSimulation(seed: seed, ecn: response) { _ in SimulatedPath(rate: rate, marking: marking) }
    }

    @Test("nothing is lost, and the queue is shorter than without", arguments: [ECNResponse.classic, .scalable])
    func shortQueue(response: ECNResponse) {
        for seed in 1...3 as ClosedRange<UInt64> {
            var plain = Self.share(seed: seed, nil, .above(.milliseconds(20)))
            var marked = Self.share(seed: seed, response, .above(.milliseconds(20)))
            plain.run(for: 40)
            marked.run(for: 40)
            let (before, now) = (plain.queue(0.95, from: 5), marked.queue(0.95, from: 5))
            #expect(now < before, "\(now) s instead of \(before) s")
            #expect(marked.dropped == 0 && marked.estimator.isMarkable && marked.estimator.congestionMarks > 10)
            #expect(marked.bitsDelivered / 40 > 1_400_000, "\(marked.bitsDelivered / 40)")
            #expect(marked.picturesPerSecond(from: 5, to: 40) > 27)
        }
    }

    @Test("a network that treats marks badly costs nothing",
        arguments: [SimulatedPath.Marking.wiped, .dropped, .all], [ECNResponse.classic, .scalable])
    func hostile(marking: SimulatedPath.Marking, response: ECNResponse) {
        var plain = Self.share(nil, .none)
        var marked = Self.share(response, marking)
        plain.run(for: 40)
        marked.run(for: 40)
        #expect(!marked.estimator.isMarkable)
        // Of a network that marks everything a while has passed until it is known.
        #expect(marked.estimator.capacity > plain.estimator.capacity * 3 / 4)
        #expect(marked.bitsDelivered > plain.bitsDelivered * 0.8)
    }

    @Test("a router that allows less than the link is obeyed, and more is used once it allows that")
    func policed() {
        var share = PathSimulation(ecn: .classic) { time in
            SimulatedPath(rate: time < 10 || time > 25 ? 4_000_000 : 1_000_000, marking: .above(.milliseconds(25)))
        }
        share.run(for: 25)
        #expect((700_000..<1_300_000).contains(share.estimator.capacity), "\(share.estimator.capacity)")
        #expect(share.queue(0.95, from: 12) < 0.05)
        share.run(for: 10)
        #expect(share.estimator.capacity > 2_500_000, "\(share.estimator.capacity)")
    }

    @Test("a path that loses what is marked only later is freed of it by the silence that follows")
    func blackHole() {
        var share = PathSimulation(ecn: .classic) { time in
            SimulatedPath(marking: time < 5 ? .none : .dropped)
        }
        share.run(for: 5)
        #expect(share.estimator.isMarkable)
        share.run(for: 5)
        #expect(!share.estimator.isMarkable)
        #expect(share.picturesPerSecond(from: 7, to: 10) > 28)
    }
}
