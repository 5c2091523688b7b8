import Timebase

/// Spreads packets over time, so that a large frame does not overflow a queue on its way.
///
/// A leaky bucket kept as one instant (the generic cell rate algorithm): a burst of up to `burstBytes` leaves at once,
/// the rest at `bitsPerSecond`. A frame of typing or scrolling fits the burst and is never held back.
package struct Pacer: Sendable {
    package private(set) var bitsPerSecond: Int64
    package private(set) var burstBytes: Int
    /// When the bucket will be empty, at the present rate.
    private var emptyAt: Instant = .zero

    /// - Precondition: both are positive.
    package init(bitsPerSecond: Int, burstBytes: Int) {
        precondition(bitsPerSecond > 0 && burstBytes > 0)
        self.bitsPerSecond = Int64(bitsPerSecond)
        self.burstBytes = burstBytes
    }

    /// What was sent before is under way at the new rate.
    package mutating func set(bitsPerSecond: Int, burstBytes: Int, at now: Instant) {
        self.burstBytes = max(1, burstBytes)
        let next = max(1, Int64(bitsPerSecond))
        guard next != self.bitsPerSecond else { return }
        if emptyAt > now {
            let waiting = Double((emptyAt - now).nanoseconds) * Double(self.bitsPerSecond) / Double(next)
            emptyAt = now + .nanoseconds(Int64(waiting))
        }
        self.bitsPerSecond = next
    }

    /// When the next packet may leave; not later than now where the burst has room.
    package var nextSend: Instant { emptyAt - duration(of: burstBytes) }

    package mutating func sent(bytes: Int, at now: Instant) {
        emptyAt = max(emptyAt, now) + duration(of: bytes)
    }

    private func duration(of bytes: Int) -> Duration {
        .nanoseconds(Int64(clamping: bytes) * 8_000_000_000 / bitsPerSecond)
    }
}
