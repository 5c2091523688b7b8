import Testing
import TestSupport
import Timebase

@testable import Congestion

/// A link with a queue before a peer that reports every 5 s, and a sharer that uses what it may.
struct ReportedPath {
    var rate = ReportedRate(maximum: 4_000_000)
    var capacity = 1_000_000.0
    /// Bits per second of what is shown, at most.
    var wish = Int.max
    /// Asks for what it misses, 40 ms after the next packet has come.
    var asks = false
    var loss = 0.0
    /// More is lost.
    var longest = Duration.milliseconds(300)
    /// A round trip without a queue.
    var delay = Duration.milliseconds(20)
    private(set) var queue = Duration.zero
    /// Of each second: bits that passed, and how long the queue was on average.
    private(set) var seconds: [(passed: Double, queue: Duration, target: Int)] = []

    private var now = Instant.zero
    private var due = Instant.zero
    private var number: UInt16 = 65_000
    private var missing: [(UInt16, Instant)] = []
    private var checks: [(due: Instant, took: Duration)] = []
    private var reported = (sent: 0, lost: 0)
    private var random = SeededGenerator(seed: 11)
    private static let bytes = 1200

    init(asks: Bool) { self.asks = asks }

    mutating func run(seconds count: Int) {
        for _ in 0..<count {
            var passed = 0.0
            var queues = Duration.zero
            for _ in 0..<1000 {
                now += .milliseconds(1)
                queue = max(.zero, queue - .milliseconds(1))
                while max(due, rate.mayLeave(at: now)) <= now {
                    passed += send()
                    due = max(due, now - .milliseconds(20)) + .seconds(Double(Self.bytes * 8) / Double(min(wish, rate.target)))
                }
                queues += queue
                ask()
                check()
            }
            seconds.append((passed, queues / 1000, rate.target))
            if seconds.count % 5 == 0 { report() }
        }
    }

    private mutating func send() -> Double {
        number &+= 1
        reported.sent += 1
        rate.sent(bytes: Self.bytes, at: now)
        let isLost = Double.random(in: 0..<1, using: &random) < loss
        guard queue < longest, !isLost else {
            reported.lost += 1
            missing.append((number, now + delay * 2 + queue))
            return 0
        }
        queue += .seconds(Double(Self.bytes * 8) / capacity)
        return Double(Self.bytes * 8)
    }

    /// A connectivity check, where one is wanted; it waits in the queue, or is lost there, as all else.
    private mutating func check() {
        if rate.takeRoundTripWish(at: now), queue < longest { checks.append((now + delay + queue, delay + queue)) }
        while let first = checks.first, first.due <= now {
            rate.measured(roundTrip: first.took, at: now)
            checks.removeFirst()
        }
    }

    private mutating func ask() {
        let told = missing.prefix { $0.1 <= now }.map(\.0)
        missing.removeFirst(told.count)
        if asks, !told.isEmpty { rate.missing(told, at: now) }
    }

    private mutating func report() {
        rate.measured(roundTrip: delay + queue, at: now)
        rate.reported(loss: Double(reported.lost) / Double(max(1, reported.sent)), of: reported.sent, at: now)
        reported = (0, 0)
    }
}

@Suite("Paths of peers that only report")
struct ReportedPathTests {
    @Test("a quarter of what is sent passes: known within 4 s by what is asked for, else by the second report", arguments: [true, false])
    func narrow(asks: Bool) {
        var path = ReportedPath(asks: asks)
        path.capacity = 10_000_000
        path.run(seconds: 10)
        #expect(path.rate.target == 4_000_000)
        path.capacity = 1_000_000
        path.run(seconds: 40)
        let limit = asks ? 4 : 11
        let later = path.seconds.dropFirst(10 + limit)
        #expect(later.allSatisfy { $0.target < 1_500_000 }, "\(path.seconds.map(\.target))")
        let queue = later.dropFirst(4).map(\.queue).reduce(.zero, +) / (later.count - 4)
        #expect(queue < .milliseconds(150), "\(later.map(\.queue))")
        let passed = later.map(\.passed).reduce(0, +) / Double(later.count)
        #expect(passed > 700_000, "\(later.map(\.passed))")
    }

    @Test(
        "what fills a queue, as round trips alone tell, leaves it within five seconds, and comes back to it slowly",
        arguments: [true, false])
    func longQueue(asks: Bool) {
        var path = ReportedPath(asks: asks)
        path.capacity = 10_000_000
        path.run(seconds: 10)
        path.longest = .milliseconds(600)
        path.capacity = 3_000_000
        path.run(seconds: 40)
        let later = path.seconds.dropFirst(15)
        #expect(later.allSatisfy { $0.queue < .milliseconds(280) }, "\(later.map(\.queue))")
        #expect(later.map(\.queue).reduce(.zero, +) / later.count < .milliseconds(120))
        #expect(later.map(\.passed).reduce(0, +) / Double(later.count) > 2_600_000)
    }

    @Test("a queue that overflows, before a third of what there was, is gone within three seconds")
    func fullQueue() {
        var path = ReportedPath(asks: true)
        path.longest = .milliseconds(600)
        path.delay = .milliseconds(60)
        path.capacity = 3_000_000
        path.run(seconds: 20)
        path.capacity = 1_000_000
        path.run(seconds: 12)
        let later = path.seconds.dropFirst(23)
        #expect(later.allSatisfy { $0.queue < .milliseconds(250) }, "\(path.seconds.map(\.queue))")
        #expect(later.map(\.passed).reduce(0, +) / Double(later.count) > 700_000)
    }

    @Test(
        "a path that falls below what is shown has no queue for long, though more was believed in than twice that",
        arguments: [true, false])
    func partlyUsed(asks: Bool) {
        var path = ReportedPath(asks: asks)
        (path.capacity, path.wish, path.longest) = (10_000_000, 1_600_000, .seconds(3))
        path.run(seconds: 10)
        #expect(path.rate.target == 4_000_000)
        path.capacity = 1_000_000
        path.run(seconds: 40)
        let later = path.seconds.dropFirst(10)
        #expect(later.allSatisfy { $0.queue < .milliseconds(800) }, "\(later.map(\.queue))")
        #expect(later.dropFirst(5).allSatisfy { $0.queue < .milliseconds(500) }, "\(later.map(\.queue))")
        #expect(later.map(\.passed).reduce(0, +) / Double(later.count) > 850_000)
    }

    @Test(
        "a path that takes less than an eighth of what may be used has a short queue, as others have",
        arguments: [12_000_000, 4_000_000], [true, false])
    func veryNarrow(maximum: Int, asks: Bool) {
        var path = ReportedPath(asks: asks)
        path.rate = ReportedRate(maximum: maximum)
        (path.capacity, path.longest) = (20_000_000, .seconds(3))
        path.run(seconds: 10)
        path.capacity = Double(maximum) / 12
        path.run(seconds: 120)
        let later = path.seconds.dropFirst(50)
        #expect(later.allSatisfy { $0.queue < .milliseconds(600) }, "\(later.map(\.queue))")
        #expect(later.map(\.passed).reduce(0, +) / Double(later.count) > path.capacity * 0.85)
    }

    @Test("a path that grows is used again")
    func growing() {
        var path = ReportedPath(asks: true)
        path.run(seconds: 20)
        #expect(path.rate.target < 1_300_000)
        path.capacity = 10_000_000
        path.run(seconds: 40)
        #expect(path.rate.target > 3_000_000)
    }

    @Test("a path that becomes longer, as wide as it was, is not taken for a queue for long")
    func longer() {
        var path = ReportedPath(asks: true)
        path.capacity = 10_000_000
        path.run(seconds: 10)
        path.delay = .milliseconds(120)
        path.run(seconds: 40)
        #expect(path.rate.target > 3_000_000, "\(path.seconds.map(\.target))")
    }

    @Test("5 % that get lost at random cost nothing", arguments: [true, false])
    func random(asks: Bool) {
        var path = ReportedPath(asks: asks)
        path.capacity = 10_000_000
        path.loss = 0.05
        path.run(seconds: 60)
        #expect(path.rate.target == 4_000_000)
    }

    @Test(
        "a screen at rest on a path that loses a fifth, and all checks, is sent less for that loss alone, not for a queue",
        arguments: [(200, 200), (50, 1000)] as [(Int64, Int)])
    func rest(milliseconds: Int64, bytes: Int) {
        var rate = ReportedRate(maximum: 4_000_000)
        var now = Instant.zero
        var number: UInt16 = 0
        rate.measured(roundTrip: .milliseconds(20), at: now)
        for _ in 0..<400 {
            now += .milliseconds(milliseconds)
            number += 1
            rate.sent(bytes: bytes, at: now)
            _ = rate.takeRoundTripWish(at: now)
            if number % 5 == 0 { rate.missing([number], at: now) }
        }
        // Four of twenty cost a tenth, ten times: the twenty behind each such fall may have left before it, and don't count.
        #expect((1_400_000...1_450_000).contains(rate.target), "\(rate.target)")
    }

    @Test("a queue that others fill leaves an eighth, and a screen at rest is not told of it")
    func others() {
        var rate = ReportedRate(maximum: 4_000_000)
        var now = Instant.zero
        rate.measured(roundTrip: .milliseconds(20), at: now)
        for second in 0..<60 {
            now += .seconds(1)
            if second >= 20 { for _ in 0..<100 { rate.sent(bytes: rate.target / 800, at: now) } }
            rate.measured(roundTrip: .milliseconds(200 + second % 5 * 50), at: now)
            if second < 20 { #expect(rate.target == 4_000_000) }
        }
        #expect(rate.target == 500_000)
    }
}
