import DequeModule
import Timebase

/// What arrives of what is sent, in bits per second on the receiver's clock.
struct DeliveryRate: Sendable {
    private var arrivals: Deque<(time: Duration, bytes: Int)> = []

    init() {}

    mutating func observe(_ reports: [PacketReport]) {
        for report in reports {
            guard let arrival = report.arrival else { continue }
            // The receiver's clock has wrapped, or jumped. Where it went back, all that comes would count with the newest.
            if let last = arrivals.last?.time, arrival - last > Limits.clockJump || last - arrival > Limits.deliveryWindow {
                arrivals.removeAll()
            }
            // Reordered packets count with the newest.
            arrivals.append((max(arrival, arrivals.last?.time ?? arrival), report.bytes))
        }
        guard let newest = arrivals.last?.time else { return }
        // Of a receiver whose clock stands still, nothing would ever be old.
        while let oldest = arrivals.first,
            newest - oldest.time > Limits.deliveryWindow || arrivals.count > Limits.deliveredPackets
        {
            arrivals.removeFirst()
        }
    }

    /// Over the newest `window`; nil where too little came to tell.
    func bitsPerSecond(over window: Duration) -> Int? {
        guard let newest = arrivals.last?.time else { return nil }
        var bytes = 0
        var began = newest
        var count = 0
        for arrival in arrivals.reversed() {
            guard newest - arrival.time <= window else { break }
            bytes += arrival.bytes
            began = arrival.time
            count += 1
        }
        // The first packet opens the interval: its bytes came before.
        guard count >= Limits.packetsOfDelivery else { return nil }
        let first = arrivals[arrivals.count - count]
        let span = newest - began
        guard span >= Limits.shortestDelivery else { return nil }
        return Int(Double(bytes - first.bytes) * 8 / span.inSeconds)
    }

    mutating func forget() { arrivals.removeAll() }
}
