import Datagrams
import Timebase

/// How a simulated path treats datagrams.
package struct LinkConditions: Sendable {
    /// One way.
    package var delay: Duration = .milliseconds(10)
    /// More delay, uniform from zero to this; datagrams may overtake each other.
    package var jitter: Duration = .zero
    /// 0…1.
    package var loss = 0.0
    /// Only what goes there is lost; nil: whatever goes anywhere.
    package var lossTo: TransportAddress?
    /// So many datagrams are lost in a row, on average (Gilbert 1960).
    package var lossLength = 1.0
    package var duplication = 0.0
    /// Nothing passes within these.
    package var blackouts: [Range<Instant>] = []
    /// Bits per second, in each direction; nil: as fast as you like.
    package var rate: Int?
    /// What a narrow link holds; more is lost.
    package var queue: Duration = .milliseconds(300)
    /// Bits per second, in each direction, beyond which datagrams are lost instead of waiting; nil: all that comes goes on.
    package var policed: Int?
    /// Bytes that may come at once before what is policed, once it was quiet.
    package var savedByPolicer = 100_000
    package var marking = Marking.none

    /// What becomes of datagrams that may be marked.
    package enum Marking: Sendable {
        case none
        /// Those that wait longer for the narrow link are.
        case above(Duration)
        case all
        /// They may not any more.
        case wiped
        case lost
    }

    package init() {}
}

/// A datagram on its way.
package struct Flight: Sendable {
    package var arrival: Instant
    package var bytes: [UInt8]
    package var from: TransportAddress
    package var to: TransportAddress
    package var ecn: ECN
    fileprivate var order: Int
}

/// A network in virtual time: the same seed makes the same fate for every datagram.
package struct SimulatedLink: Sendable {
    package var conditions: LinkConditions
    private var random: SeededGenerator
    private var flights: [Flight] = []
    private var count = 0
    private var losing: [TransportAddress: Bool] = [:]
    private var freeAt: [TransportAddress: Instant] = [:]
    private var saved: [TransportAddress: (bytes: Double, at: Instant)] = [:]
    /// Datagrams sent and lost, for tests that must show that there was something to repair.
    package private(set) var sent = 0
    package private(set) var lost = 0

    package init(seed: UInt64, conditions: LinkConditions = LinkConditions()) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
    }

    package mutating func send(
        _ bytes: [UInt8], from: TransportAddress, to: TransportAddress, ecn: ECN = .notCapable, at now: Instant
    ) {
        sent += 1
        if loses(to) || isBeyondPolicer(bytes.count, to, now) || conditions.blackouts.contains(where: { $0.contains(now) }) {
            lost += 1
            return
        }
        guard let ecn = marked(ecn, to, now), let leaves = pass(bytes.count, to, now) else {
            lost += 1
            return
        }
        launch(bytes, from, to, ecn, leaves)
        if random.unit() < conditions.duplication { launch(bytes, from, to, ecn, leaves) }
    }

    /// Each direction has its own bad times.
    private mutating func loses(_ to: TransportAddress) -> Bool {
        if let only = conditions.lossTo, only != to { return false }
        let leaving = 1 / max(1, conditions.lossLength)
        let entering = conditions.loss / max(0.01, 1 - conditions.loss) * leaving
        if conditions.lossLength <= 1 { return random.unit() < conditions.loss }
        let isBad = losing[to] == true ? random.unit() >= leaving : random.unit() < entering
        losing[to] = isBad
        return isBad
    }

    /// A token bucket (RFC 2697 with one rate).
    private mutating func isBeyondPolicer(_ bytes: Int, _ to: TransportAddress, _ now: Instant) -> Bool {
        guard let rate = conditions.policed else { return false }
        let most = Double(conditions.savedByPolicer)
        let before = saved[to] ?? (most, now)
        let left = min(most, before.bytes + Double(rate) / 8 * (now - before.at).inSeconds) - Double(bytes + 28)
        saved[to] = (left < 0 ? left + Double(bytes + 28) : left, now)
        return left < 0
    }

    /// When a datagram has passed the narrow link; nil where its queue is full.
    private mutating func pass(_ bytes: Int, _ to: TransportAddress, _ now: Instant) -> Instant? {
        guard let rate = conditions.rate else { return now }
        let start = max(now, freeAt[to] ?? now)
        guard start - now <= conditions.queue else { return nil }
        let end = start + .nanoseconds(Int64(bytes + 28) * 8_000_000_000 / Int64(max(1, rate)))
        freeAt[to] = end
        return end
    }

    /// Nil where it is lost.
    private func marked(_ ecn: ECN, _ to: TransportAddress, _ now: Instant) -> ECN? {
        if ecn == .notCapable { return ecn }
        switch conditions.marking {
        case .none: return ecn
        case .above(let limit): return (freeAt[to] ?? now) - now > limit ? .congestionExperienced : ecn
        case .all: return .congestionExperienced
        case .wiped: return .notCapable
        case .lost: return nil
        }
    }

    private mutating func launch(
        _ bytes: [UInt8], _ from: TransportAddress, _ to: TransportAddress, _ ecn: ECN, _ now: Instant
    ) {
        let extra = Duration.nanoseconds(Int64(Double(conditions.jitter.nanoseconds) * random.unit()))
        count += 1
        flights.append(
            Flight(arrival: now + conditions.delay + extra, bytes: bytes, from: from, to: to, ecn: ecn, order: count))
    }

    /// When the next datagram arrives; distant future where none is under way.
    package var nextArrival: Instant { flights.map(\.arrival).min() ?? .distantFuture }

    /// Takes what has arrived by then, in order of arrival.
    package mutating func arrivals(until now: Instant) -> [Flight] {
        let due = flights.filter { $0.arrival <= now }
        flights.removeAll { $0.arrival <= now }
        return due.sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
    }
}
