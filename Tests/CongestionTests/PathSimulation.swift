import Congestion
import TestSupport
import Timebase

/// A path with a queue before its narrow link, in steps of a millisecond.
struct SimulatedPath {
    /// Bits per second; nil: as fast as you like.
    var rate: Double?
    var queue = Duration.milliseconds(300)
    /// One way.
    var delay = Duration.milliseconds(25)
    /// More delay, up to this; packets keep their order.
    var jitter = Duration.zero
    /// 0…1, behind the queue.
    var loss = 0.0
    /// Each second begins with so long a time in which nothing leaves the queue.
    var standstill = Duration.zero
    /// Drops what is beyond, before the queue.
    var policer: Policer?
    var marking = Marking.none

    /// A token bucket (RFC 2698's, with one rate).
    struct Policer {
        var bitsPerSecond: Double
        var burstBytes = 20_000.0
    }

    /// What the network does with packets that may be marked.
    enum Marking {
        case none
        /// Marks what will wait for longer than this in the queue.
        case above(Duration)
        /// Takes the permission away.
        case wiped
        case dropped
        /// Marks whatever comes.
        case all
    }
}

/// A sharer's pictures at 30 a second over such a path, as large as the estimator lets them be, and feedback on them.
struct PathSimulation {
    struct Picture {
        var sentAt: Double
        var arrivedAt: Double
    }

    private struct Arrival {
        var number: Int64
        var time: Double
        var ecn: ECNCodepoint
    }

    private(set) var pictures: [Picture] = []
    /// What waited in the queue, each millisecond.
    private(set) var queues: [(time: Double, seconds: Double)] = []
    private(set) var bitsDelivered = 0.0
    /// Packets that the queue, or a policer, had no room for, and all.
    private(set) var dropped = 0
    private(set) var sent = 0
    private var policed = (bytes: 0.0, at: 0.0)
    /// Another flow in the same queue; nil: none.
    var bulk: BulkFlow?
    /// What is told of a time of arrival, in seconds.
    var told: (Double) -> Double = { $0 }
    /// Whether something is shown.
    var moves: (Double) -> Bool = { _ in true }
    /// No picture before.
    var startsAt = 0.0 {
        didSet { nextPicture = startsAt }
    }
    private(set) var estimator: BandwidthEstimator
    private var random: SeededGenerator
    private let path: (Double) -> SimulatedPath
    private let feedbackInterval: Double
    private var wish: Double

    private var now = 0.0
    private var pacer = Pacer(bitsPerSecond: 6_000_000, burstBytes: 5_000)
    private var number: Int64 = 100
    private var waiting: [(bytes: Int, picture: Int)] = []
    private var open: [Int: (sentAt: Double, left: Int)] = [:]
    fileprivate var linkFreeAt = 0.0
    private var lastArrival = 0.0
    private var flights: [(arrival: Double, number: Int64, bytes: Int, picture: Int, ecn: ECNCodepoint)] = []
    private var arrived: [Arrival] = []
    private var reported: Int64 = 100
    private var feedbacks: [(at: Double, first: Int64, last: Int64, arrivals: [Arrival])] = []
    private var nextPicture = 0.0
    private var nextFeedback = 0.0
    private var lastPicture = 0

    /// - Parameters:
    ///   - wish: what the pictures would take at most.
    ///   - ecn: how marks are answered; nil: packets don't allow any.
    ///   - path: by the time in seconds.
    init(
        seed: UInt64 = 1, start: Int = 3_000_000, wish: Int = 4_000_000, feedbackInterval: Duration = .milliseconds(40),
        ecn: ECNResponse? = nil, path: @escaping (Double) -> SimulatedPath
    ) {
        random = SeededGenerator(seed: seed)
        estimator = BandwidthEstimator(start: start, maximum: wish * 10, ecn: ecn)
        self.wish = Double(wish)
        self.feedbackInterval = feedbackInterval.inSeconds
        self.path = path
    }

    private var instant: Instant { Instant(nanoseconds: 1_000_000_000 + Int64(now * 1e9)) }

    /// The pictures would take more, or less, from now on.
    mutating func setMaximum(_ bitsPerSecond: Int, wish: Int) {
        estimator.setMaximum(bitsPerSecond)
        self.wish = Double(wish)
    }

    mutating func run(for seconds: Double) {
        let end = now + seconds
        while now < end { step() }
    }

    /// Each over its own path but for the one queue before its narrow link; from their `startsAt` on.
    static func share(_ flows: inout [PathSimulation], for seconds: Double) {
        guard let begin = flows.first?.now else { return }
        var linkFreeAt = flows.map(\.linkFreeAt).max() ?? 0
        while flows[0].now < begin + seconds {
            for index in flows.indices {
                flows[index].linkFreeAt = linkFreeAt
                flows[index].step()
                linkFreeAt = flows[index].linkFreeAt
            }
        }
    }

    private mutating func step() {
        let path = path(now)
        hear(path)
        if now >= startsAt, moves(now) { show() }
        send(path)
        bulk?.send(path, &linkFreeAt, at: now)
        arrive()
        report(path)
        queues.append((now, max(0, linkFreeAt - now)))
        now += 0.001
    }

    private mutating func hear(_ path: SimulatedPath) {
        while let feedback = feedbacks.first, feedback.at <= now {
            feedbacks.removeFirst()
            let arrivals = Dictionary(feedback.arrivals.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
            for number in feedback.first...max(feedback.first, feedback.last) {
                let arrival = arrivals[number]
                estimator.report(
                    UInt16(truncatingIfNeeded: number),
                    arrival: arrival.map { Duration.nanoseconds(Int64(told($0.time) * 4000) * 250_000) }, ecn: arrival?.ecn)
            }
            estimator.finish(at: instant)
        }
        estimator.advance(to: instant)
        let rate = max(100_000, estimator.capacity * 2)
        pacer.set(bitsPerSecond: rate, burstBytes: max(3_000, min(20_000, rate / 8 / 130)), at: instant)
    }

    private mutating func show() {
        guard now >= nextPicture else { return }
        nextPicture = max(nextPicture + 1.0 / 30, now)
        let backlog = waiting.reduce(0) { $0 + $1.bytes }
        guard Double(backlog) * 8 / Double(estimator.target) < 0.06 else { return }
        let bits = min(Double(estimator.target) * 0.95, wish) / 30 * (0.8 + 0.4 * random.unit())
        lastPicture += 1
        var left = Int(bits / 8)
        open[lastPicture] = (now, (left + 1199) / 1200)
        while left > 0 {
            waiting.append((min(1200, left) + 60, lastPicture))
            left -= 1200
        }
    }

    private mutating func send(_ path: SimulatedPath) {
        while let first = waiting.first, pacer.nextSend <= instant {
            guard let free = estimator.mayLeave(at: instant), free <= instant else { return }
            waiting.removeFirst()
            pacer.sent(bytes: first.bytes, at: instant)
            let isMarkable = estimator.allowsMark(at: instant)
            estimator.sent(number, bytes: first.bytes, at: instant)
            launch(first.bytes, first.picture, isMarkable ? .capable : .notCapable, path)
            number += 1
        }
    }

    private mutating func launch(_ bytes: Int, _ picture: Int, _ ecn: ECNCodepoint, _ path: SimulatedPath) {
        guard let ecn = treat(ecn, path) else { return }
        sent += 1
        if let policer = path.policer, !passes(policer, bytes) { return dropped += 1 }
        if let rate = path.rate {
            if linkFreeAt - now > path.queue.inSeconds {
                dropped += 1
                return
            }
            let begin = max(linkFreeAt, now)
            linkFreeAt = max(begin, begin.rounded(.down) + path.standstill.inSeconds) + Double(bytes) * 8 / rate
        }
        guard random.unit() >= path.loss else { return }
        let extra = path.jitter.inSeconds * random.unit() * random.unit()
        lastArrival = max(lastArrival, max(linkFreeAt, now) + path.delay.inSeconds + extra)
        flights.append((lastArrival, number, bytes, picture, ecn))
    }

    private mutating func passes(_ policer: SimulatedPath.Policer, _ bytes: Int) -> Bool {
        let saved = policed.bytes + (now - policed.at) * policer.bitsPerSecond / 8
        policed = (min(policer.burstBytes, saved), now)
        guard policed.bytes >= Double(bytes) else { return false }
        policed.bytes -= Double(bytes)
        return true
    }

    /// What becomes of what a packet left with; nil where the packet goes with it.
    private func treat(_ ecn: ECNCodepoint, _ path: SimulatedPath) -> ECNCodepoint? {
        guard ecn != .notCapable else { return ecn }
        switch path.marking {
        case .none: return ecn
        case .above(let wait): return linkFreeAt - now > wait.inSeconds ? .congestionExperienced : ecn
        case .wiped: return .notCapable
        case .dropped: return nil
        case .all: return .congestionExperienced
        }
    }

    private mutating func arrive() {
        while let flight = flights.first, flight.arrival <= now {
            flights.removeFirst()
            arrived.append(Arrival(number: flight.number, time: flight.arrival, ecn: flight.ecn))
            bitsDelivered += Double(flight.bytes) * 8
            guard var picture = open[flight.picture] else { continue }
            picture.left -= 1
            open[flight.picture] = picture.left > 0 ? picture : nil
            if picture.left == 0 { pictures.append(Picture(sentAt: picture.sentAt, arrivedAt: flight.arrival)) }
        }
    }

    private mutating func report(_ path: SimulatedPath) {
        guard now >= nextFeedback else { return }
        nextFeedback = now + feedbackInterval
        guard let last = arrived.last else { return }
        // Feedback gets lost as packets do.
        if random.unit() >= path.loss {
            feedbacks.append((now + path.delay.inSeconds, reported, last.number, arrived))
        }
        reported = last.number + 1
        arrived = []
    }

    // MARK: What is asked of it

    /// Seconds that `share` of the queue's length over time was below.
    func queue(_ share: Double, from start: Double) -> Double {
        let sorted = queues.filter { $0.time >= start }.map(\.seconds).sorted()
        return sorted.isEmpty ? 0 : sorted[Int(Double(sorted.count - 1) * share)]
    }

    /// When the queue was below `seconds` and stayed there for 200 ms, from `start` on.
    func settled(below seconds: Double, from start: Double) -> Double? {
        var since: Double?
        for (time, queue) in queues where time >= start {
            guard queue < seconds else {
                since = nil
                continue
            }
            since = since ?? time
            if let since, time - since >= 0.2 { return since - start }
        }
        return nil
    }

    func picturesPerSecond(from start: Double, to end: Double) -> Double {
        Double(pictures.count { $0.arrivedAt >= start && $0.arrivedAt < end }) / (end - start)
    }
}
