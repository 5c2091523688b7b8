import Timebase

/// A transfer without end by TCP, as far as it matters to a queue: additive increase, multiplicative decrease (RFC 5681,
/// with the factor of RFC 9438).
struct BulkFlow {
    let startsAt: Double
    private(set) var bitsDelivered = 0.0
    private var window = 10.0
    private var inFlight: [(answeredAt: Double, isLost: Bool)] = []
    private var nextDecrease = 0.0

    init(startsAt: Double) { self.startsAt = startsAt }

    mutating func send(_ path: SimulatedPath, _ linkFreeAt: inout Double, at now: Double) {
        guard now >= startsAt, let rate = path.rate else { return }
        let roundTrip = path.delay.inSeconds * 2
        for packet in inFlight where packet.answeredAt <= now { answer(packet.isLost, roundTrip, now) }
        inFlight.removeAll { $0.answeredAt <= now }
        while inFlight.count < Int(window) {
            let isLost = linkFreeAt - now > path.queue.inSeconds
            if !isLost { linkFreeAt = max(linkFreeAt, now) + 12_000 / rate }
            inFlight.append((max(linkFreeAt, now) + roundTrip, isLost))
        }
    }

    private mutating func answer(_ isLost: Bool, _ roundTrip: Double, _ now: Double) {
        if !isLost {
            window += 1 / window
            bitsDelivered += 12_000
        } else if now > nextDecrease {
            window = max(2, window * 0.7)
            nextDecrease = now + roundTrip + 0.3
        }
    }
}
