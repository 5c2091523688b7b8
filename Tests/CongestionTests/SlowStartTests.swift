import Testing
import Timebase

@testable import Congestion

/// A keyframe towards a peer that tells nothing of packets, over a link with a queue.
private struct StartingLink {
    var bitsPerSecond: Double
    var way = Duration.milliseconds(20)
    /// Answers of checks get lost.
    var answers = true
    var start: SlowStart
    var queue = 0.0
    var longestQueue = Duration.zero
    var sent = 0
    var found: Double?
    var checks: [(due: Instant, took: Duration)] = []

    init(bitsPerSecond: Double) {
        self.bitsPerSecond = bitsPerSecond
        start = SlowStart(roundTrip: .milliseconds(40))
    }

    /// - Returns: when all of it had left.
    mutating func run(bytes: Int, for time: Duration = .seconds(2)) -> Instant? {
        for tick in 0..<Int(time.inSeconds * 1000) {
            let now = Instant.zero + .milliseconds(tick)
            queue = max(0, queue - bitsPerSecond / 1000)
            while let check = checks.first, check.due <= now, found == nil {
                checks.removeFirst()
                found = start.measured(roundTrip: check.took, at: now)
            }
            var wants = start.isBlocked
            // 20 Mbit/s: what pacing allows.
            for _ in 0..<2 where sent < bytes && found == nil && start.mayLeave(at: now) <= now {
                sent += 1200
                queue += 1200 * 8
                wants = start.sent(bytes: 1200, at: now) || wants
            }
            let delay = Duration.seconds(queue / bitsPerSecond)
            longestQueue = max(longestQueue, delay)
            if wants {
                start.asks(at: now)
                if answers { checks.append((now + way * 2 + delay, way * 2 + delay)) }
            }
            if sent >= bytes { return now }
        }
        return nil
    }
}

@Suite("The start towards who tells nothing of packets")
struct SlowStartTests {
    @Test("over a wide path a keyframe leaves within four round trips")
    func wide() {
        var link = StartingLink(bitsPerSecond: 50_000_000)
        let end = link.run(bytes: 100_000)
        #expect(end ?? .distantFuture < Instant.zero + .milliseconds(170))
        #expect(link.found == nil)
    }

    @Test("a narrow path's queue is noticed before it holds 300 ms, and what passes is known", arguments: [500_000.0, 1_000_000, 2_000_000])
    func narrow(bitsPerSecond: Double) throws {
        var link = StartingLink(bitsPerSecond: bitsPerSecond)
        let end = link.run(bytes: 200_000)
        #expect(end == nil)
        #expect(link.longestQueue < .milliseconds(300))
        let found = try #require(link.found)
        #expect(0.75...1.25 ~= found / bitsPerSecond)
    }

    @Test("where answers get lost it is over after a second")
    func lost() {
        var link = StartingLink(bitsPerSecond: 50_000_000)
        link.answers = false
        let end = link.run(bytes: 100_000)
        #expect(end != nil && end ?? .zero < Instant.zero + .milliseconds(1050))
        #expect(link.start.isOver(at: .zero + .seconds(1)))
    }

    @Test("what was asked before the pictures left says nothing of them")
    func early() {
        var start = SlowStart(roundTrip: .milliseconds(40))
        #expect(start.measured(roundTrip: .milliseconds(400), at: .zero + .milliseconds(400)) == nil)
        _ = start.sent(bytes: 1200, at: .zero + .milliseconds(410))
        start.asks(at: .zero + .milliseconds(410))
        #expect(start.measured(roundTrip: .milliseconds(400), at: .zero + .milliseconds(450)) == nil)
        #expect(start.mayLeave(at: .zero + .milliseconds(450)) == .zero + .milliseconds(450))
    }

    @Test("answers at once, as many as there may be, overflow nothing")
    func answers() {
        var start = SlowStart(roundTrip: .milliseconds(9))
        for index in 0..<900 {
            let now = Instant.zero + .milliseconds(index)
            _ = start.sent(bytes: 1200, at: now)
            start.asks(at: now)
            #expect(start.measured(roundTrip: .zero, at: now) == nil)
        }
        #expect(start.mayLeave(at: .zero + .milliseconds(901)) == .zero + .milliseconds(901))
    }

    @Test("one late answer behind a little says nothing of the path")
    func lateAnswer() {
        var start = SlowStart(roundTrip: .milliseconds(40))
        for index in 0..<10 {
            let now = Instant.zero + .milliseconds(index * 90)
            _ = start.sent(bytes: 1200, at: now)
            start.asks(at: now)
            #expect(start.measured(roundTrip: .milliseconds(index == 9 ? 85 : 40), at: now + .milliseconds(85)) == nil)
        }
    }

    @Test("what is not answered lets a window through each time, not all that waits")
    func patience() {
        var start = SlowStart(roundTrip: .milliseconds(40))
        var sent = 0
        for tick in 0..<700 {
            let now = Instant.zero + .milliseconds(tick)
            while start.mayLeave(at: now) <= now {
                sent += 1200
                if start.sent(bytes: 1200, at: now) { start.asks(at: now) }
            }
        }
        #expect(sent <= 4 * (14_000 + 2400))
        #expect(sent >= 2 * 14_000)
    }
}
