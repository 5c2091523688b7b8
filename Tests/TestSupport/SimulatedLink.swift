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
    package var duplication = 0.0
    /// Nothing passes within these.
    package var blackouts: [Range<Instant>] = []

    package init() {}
}

/// A datagram on its way.
package struct Flight: Sendable {
    package var arrival: Instant
    package var bytes: [UInt8]
    package var from: TransportAddress
    package var to: TransportAddress
    fileprivate var order: Int
}

/// A network in virtual time: the same seed makes the same fate for every datagram.
package struct SimulatedLink: Sendable {
    package var conditions: LinkConditions
    private var random: SeededGenerator
    private var flights: [Flight] = []
    private var count = 0
    /// Datagrams sent and lost, for tests that must show that there was something to repair.
    package private(set) var sent = 0
    package private(set) var lost = 0

    package init(seed: UInt64, conditions: LinkConditions = LinkConditions()) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
    }

    package mutating func send(_ bytes: [UInt8], from: TransportAddress, to: TransportAddress, at now: Instant) {
        sent += 1
        if random.unit() < conditions.loss || conditions.blackouts.contains(where: { $0.contains(now) }) {
            lost += 1
            return
        }
        launch(bytes, from, to, now)
        if random.unit() < conditions.duplication { launch(bytes, from, to, now) }
    }

    private mutating func launch(
        _ bytes: [UInt8], _ from: TransportAddress, _ to: TransportAddress, _ now: Instant
    ) {
        let extra = Duration.nanoseconds(Int64(Double(conditions.jitter.nanoseconds) * random.unit()))
        count += 1
        flights.append(
            Flight(arrival: now + conditions.delay + extra, bytes: bytes, from: from, to: to, order: count))
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
