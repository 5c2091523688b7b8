import Congestion
import Testing
import Timebase

@Suite("Probes of an idle path")
struct IdleProbeTests {
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    /// Instants at which trains begin within a minute of rest.
    private func trains(growing: Bool) -> [Double] {
        var probe = IdleProbe()
        probe.pageSent(at: at(0))
        var capacity = 1_000_000
        var begins: [Double] = []
        var last = Instant.zero - .seconds(1)
        for millisecond in stride(from: Int64(0), to: 60_000, by: 1) {
            while let due = probe.due(isWanted: true), due <= at(millisecond) {
                if at(millisecond) - last > .milliseconds(50) { begins.append(Double(millisecond) / 1000) }
                last = at(millisecond)
                probe.sent(capacity: capacity, rate: capacity * 2, at: at(millisecond))
            }
            if growing, begins.count > 0, last == at(millisecond) { capacity *= 2 }
        }
        return begins
    }

    @Test("what brings nothing is tried ever more seldom")
    func seldom() {
        let begins = trains(growing: false)
        #expect(begins.first == 2)
        #expect(begins.count <= 7, "\(begins)")
        #expect(zip(begins, begins.dropFirst()).allSatisfy { $1 - $0 <= 16.1 }, "\(begins)")
    }

    @Test("as long as each train finds more, the next comes soon")
    func soon() {
        let begins = trains(growing: true)
        #expect(begins.count > 20, "\(begins)")
    }

    @Test("pictures too small to measure the path by don't keep it from being measured")
    func smallPictures() {
        var probe = IdleProbe()
        probe.pageSent(at: at(0))
        var trains = 0
        for millisecond in 0..<12_000 as Range<Int64> {
            if millisecond % 100 == 0 { probe.mediaSent(packets: 1, at: at(millisecond)) }
            var isTrain = false
            while let due = probe.due(isWanted: true), due <= at(millisecond) {
                isTrain = true
                probe.sent(capacity: 1_000_000, rate: 2_000_000, at: at(millisecond))
            }
            if isTrain { trains += 1 }
        }
        #expect(trains >= 2)
    }

    @Test("where the path is thought to take less than the last train found, the next comes soon, however rare they were")
    func fallen() {
        var probe = IdleProbe()
        var now = at(0)
        for _ in 0..<6 {
            while probe.due(isWanted: true, capacity: 4_000_000) == .zero || probe.due(isWanted: true)! <= now {
                probe.sent(capacity: 4_000_000, rate: 8_000_000, at: now)
            }
            now = probe.due(isWanted: true) ?? now
        }
        while probe.due(isWanted: true)! <= now { probe.sent(capacity: 4_000_000, rate: 8_000_000, at: now) }
        #expect(probe.due(isWanted: true, capacity: 4_000_000) == now + .seconds(16))
        #expect(probe.due(isWanted: true, capacity: 1_000_000) == now + .seconds(2))
        // So does the one behind a train that found less.
        now += .seconds(2)
        while probe.due(isWanted: true, capacity: 1_000_000)! <= now {
            probe.sent(capacity: 1_000_000, rate: 2_000_000, at: now)
        }
        #expect(probe.due(isWanted: true, capacity: 1_000_000) == now + .seconds(2))
    }

    @Test("a picture ends a train, and is not followed by one at once")
    func pictures() {
        var probe = IdleProbe()
        #expect(probe.due(isWanted: true) == .zero)
        probe.sent(capacity: 1_000_000, rate: 2_000_000, at: at(0))
        #expect(probe.due(isWanted: true) == .zero, "the train goes on")
        probe.mediaSent(packets: 3, at: at(5))
        #expect(probe.due(isWanted: true) == at(305))
        #expect(probe.due(isWanted: false) == nil)
    }

    @Test("a small picture in the midst of a train breaks it off: what came behind it would measure the pause")
    func brokenOff() {
        var probe = IdleProbe()
        probe.sent(capacity: 1_000_000, rate: 2_000_000, at: at(0))
        #expect(probe.due(isWanted: true) == .zero, "the train goes on")
        probe.mediaSent(packets: 1, at: at(5))
        #expect(probe.due(isWanted: true) == at(2005))
    }
}
