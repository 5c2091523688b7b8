import Timebase

/// Bytes that a path takes and nothing needs: what may go to waste there.
package struct SpareBudget: Sendable {
    private var bytes = 0.0
    private var weighedAt: Instant?

    package init() {}

    /// What is needed left.
    ///
    /// - Parameter bitsPerSecond: what the path takes. Half a second of it is saved up at most, and owed at most.
    package mutating func sent(_ count: Int, of bitsPerSecond: Int, at now: Instant) {
        let perSecond = Double(bitsPerSecond) / 8
        let most = perSecond * Limits.spareTime.inSeconds
        let time = now - (weighedAt ?? now)
        weighedAt = now
        bytes = max(-most, min(most, bytes + perSecond * time.inSeconds) - Double(count))
    }

    /// True, and `amount` is spent, where that much is there.
    package mutating func spend(_ amount: Int) -> Bool {
        guard bytes >= Double(amount) else { return false }
        bytes -= Double(amount)
        return true
    }
}
