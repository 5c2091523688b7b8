import Congestion
import Testing
import Timebase

/// Networks that drop what is beyond a rate, without a queue, and such as lose packets whatever is sent.
@Suite("A policer, and loss that is the path's own")
struct PolicerTests {
    @Test(
        "what a policer drops is soon no longer sent, and what it lets pass is used",
        arguments: [600_000.0, 1_500_000, 3_000_000], [10_000.0, 40_000])
    func policed(rate: Double, burst: Double) {
        var simulation = PathSimulation(wish: 4_000_000) { _ in
            SimulatedPath(policer: SimulatedPath.Policer(bitsPerSecond: rate, burstBytes: burst))
        }
        simulation.run(for: 15)
        let (sent, dropped, bits) = (simulation.sent, simulation.dropped, simulation.bitsDelivered)
        simulation.run(for: 60)
        let loss = Double(simulation.dropped - dropped) / Double(simulation.sent - sent)
        #expect(loss < 0.1, "\(loss)")
        let used = (simulation.bitsDelivered - bits) / 60 / rate
        #expect(used > 0.75, "\(used)")
    }

    @Test("a path that loses much of whatever is sent is used as before", arguments: [0.15, 0.2, 0.25, 0.3])
    func lossy(loss: Double) {
        var simulation = PathSimulation(wish: 2_000_000) { _ in SimulatedPath(rate: 8_000_000, loss: loss) }
        simulation.run(for: 60)
        let used = simulation.bitsDelivered / 60 / (2_000_000 * (1 - loss))
        #expect(used > 0.85, "\(used)")
    }

    @Test("what is tried on such a path is tried ever more seldom: of ten minutes five times")
    func everMoreSeldom() {
        var control = LossControl()
        var trials: [Double] = []
        for step in 0..<6000 as Range<Int64> {
            let now = Instant.zero + .milliseconds(100 * step)
            let reports = (0..<20 as Range<Int64>).map { index in
                PacketReport(
                    number: 20 * step + index, sentAt: now, bytes: 1200, arrival: index % 5 == 0 ? nil : Duration.zero)
            }
            if case .trial = control.observe(reports, queueIsShort: true, at: now) { trials.append(Double(step) / 10) }
        }
        let pauses = zip(trials, trials.dropFirst()).map { $1 - $0 }
        #expect(pauses.count == 4, "\(trials)")
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $1 > $0 * 1.9 }, "\(trials)")
    }

    @Test("a policer that comes while much is sent is found, and stays known")
    func comes() {
        var simulation = PathSimulation(wish: 4_000_000) { time in
            SimulatedPath(
                rate: 20_000_000, policer: time > 10 ? SimulatedPath.Policer(bitsPerSecond: 1_200_000) : nil)
        }
        simulation.run(for: 20)
        let (sent, dropped) = (simulation.sent, simulation.dropped)
        simulation.run(for: 60)
        let loss = Double(simulation.dropped - dropped) / Double(simulation.sent - sent)
        #expect(loss < 0.12, "\(loss)")
    }

    @Test("where a policer goes away, more is soon sent again")
    func released() {
        var simulation = PathSimulation(wish: 4_000_000) { time in
            SimulatedPath(rate: 20_000_000, policer: time < 40 ? SimulatedPath.Policer(bitsPerSecond: 1_000_000) : nil)
        }
        simulation.run(for: 40)
        let before = simulation.bitsDelivered
        simulation.run(for: 20)
        let between = simulation.bitsDelivered
        simulation.run(for: 20)
        #expect(before / 40 < 1_100_000)
        #expect((simulation.bitsDelivered - between) / 20 > 3_500_000, "\((simulation.bitsDelivered - between) / 20)")
    }

    // MARK: What is told, observation by observation

    /// What is told of each twentieth of a second, in which `packets` leave, of which all but every so many-th come.
    private static func observe(
        _ control: inout LossControl, from start: Instant, seconds: Double, packets: Int64 = 20, losing every: Int64,
        isFavoured: Bool = false, queueIsShort: Bool = true, isCompeting: Bool = false
    ) -> (verdicts: [LossVerdict], end: Instant) {
        var verdicts: [LossVerdict] = []
        var now = start
        while now < start + .seconds(seconds) {
            now += .milliseconds(50)
            let reports = (1...packets).map { index in
                PacketReport(
                    number: index, sentAt: now, bytes: 1200, arrival: index % every == 0 ? nil : Duration.zero,
                    isFavoured: isFavoured)
            }
            let verdict = control.observe(reports, queueIsShort: queueIsShort, isCompeting: isCompeting, at: now)
            if let verdict { verdicts.append(verdict) }
            if case .trial = verdict { break }
        }
        return (verdicts, now)
    }

    private static func isTrial(_ verdict: LossVerdict?) -> Bool { if case .trial = verdict { true } else { false } }

    @Test("a trial ends where pictures end: of what a screen at rest sends it would take for ever")
    func restsInTrial() {
        var control = LossControl()
        let (verdicts, end) = Self.observe(&control, from: .zero, seconds: 60, losing: 5)
        #expect(Self.isTrial(verdicts.last))
        let rest = PacketReport(number: 1, sentAt: end, bytes: 100, arrival: Duration.zero)
        #expect(control.observe([rest], queueIsShort: true, at: end + .seconds(2)) == .inherent)
    }

    @Test("sound alone, of which no more is sent than there is, is no ground for a trial")
    func sound() {
        var control = LossControl()
        let (verdicts, _) = Self.observe(&control, from: .zero, seconds: 60, losing: 5, isFavoured: true)
        #expect(!verdicts.contains { Self.isTrial($0) }, "\(verdicts)")
    }

    @Test("where a policer was found and nothing is lost any more, what was lost before is no ground to look for it again")
    func foundAndObeyed() {
        var control = LossControl()
        // A queue, to which loss is put down at first.
        let (_, known) = Self.observe(&control, from: .zero, seconds: 10, losing: 2, queueIsShort: false)
        let (verdicts, begun) = Self.observe(&control, from: known, seconds: 10, losing: 2)
        #expect(Self.isTrial(verdicts.last))
        let (found, _) = Self.observe(&control, from: begun, seconds: 10, packets: 10, losing: .max)
        #expect(found == [.policed(.seconds(15))])
    }

    @Test("beside another flow, what the path loses anyway is not yielded to; what is lost beyond that is")
    func besideAnotherFlow() {
        var control = LossControl()
        let (verdicts, end) = Self.observe(&control, from: .zero, seconds: 5, losing: 20, isCompeting: true)
        #expect(verdicts.isEmpty, "\(verdicts)")
        let (later, _) = Self.observe(&control, from: end, seconds: 0.5, losing: 8, isCompeting: true)
        #expect(later.first == .less(0.88))
    }

    @Test("beside another flow one packet of an observation is loss enough; alone it is none")
    func onePacket() {
        for isCompeting in [true, false] {
            var control = LossControl()
            let (_, end) = Self.observe(&control, from: .zero, seconds: 5, packets: 15, losing: .max, isCompeting: isCompeting)
            let lost = PacketReport(number: 1, sentAt: end, bytes: 1200, arrival: nil)
            _ = control.observe([lost], queueIsShort: false, isCompeting: isCompeting, at: end)
            let (later, _) = Self.observe(
                &control, from: end, seconds: 0.3, packets: 15, losing: .max, queueIsShort: false, isCompeting: isCompeting)
            #expect(later == (isCompeting ? [.less(0.88)] : []))
        }
    }

    @Test("spells of heavy loss are no policer's", arguments: [1.0, 2, 3, 5], [0.3, 0.5, 0.8])
    func spells(length: Double, loss: Double) {
        var simulation = PathSimulation(wish: 2_000_000) { time in
            let isBad = time.truncatingRemainder(dividingBy: 8) < length
            return SimulatedPath(rate: 8_000_000, loss: isBad ? loss : 0)
        }
        simulation.run(for: 80)
        let used = simulation.bitsDelivered / 80 / (2_000_000 * (1 - loss * length / 8))
        #expect(used > 0.8, "\(used)")
    }
}
