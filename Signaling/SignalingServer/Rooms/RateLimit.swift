/// A token bucket: so many at once, then so many a second.
struct RateLimit {
    private let burst: Double
    private let perSecond: Double
    private var tokens: Double
    private var refilled: ServerClock.Instant

    init(burst: Int, perSecond: Int, at now: ServerClock.Instant) {
        self.burst = Double(burst)
        self.perSecond = Double(perSecond)
        tokens = Double(burst)
        refilled = now
    }

    /// Whether one more may pass now.
    mutating func take(at now: ServerClock.Instant) -> Bool {
        let elapsed = max(refilled.duration(to: now), .zero)
        tokens = min(burst, tokens + elapsed / .seconds(1) * perSecond)
        refilled = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
