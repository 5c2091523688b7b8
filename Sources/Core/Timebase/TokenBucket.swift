/// An allowance that refills over time: what repair and replies may spend beside the media.
package struct TokenBucket: Sendable {
    private let capacity: Int
    private var tokens: Double
    private var refilledAt: Instant
    private let perSecond: Double

    package init(perSecond: Int, capacity: Int, at now: Instant) {
        self.perSecond = Double(perSecond)
        self.capacity = capacity
        tokens = Double(capacity)
        refilledAt = now
    }

    /// True, and `amount` is spent, where that much is there.
    package mutating func spend(_ amount: Int, at now: Instant) -> Bool {
        if now > refilledAt {
            tokens = min(Double(capacity), tokens + (now - refilledAt).inSeconds * perSecond)
            refilledAt = now
        }
        guard tokens >= Double(amount) else { return false }
        tokens -= Double(amount)
        return true
    }
}
