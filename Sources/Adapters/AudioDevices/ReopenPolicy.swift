import Timebase

/// How long to wait before a lost device is opened again: doubling, and soon again after it was there.
package struct ReopenPolicy: Hashable, Sendable {
    private var pause = Limits.reopenPauses.lowerBound

    package init() {}

    /// The pause before the next attempt: 0.25 s at first, 2 s at most.
    package mutating func nextPause() -> Duration {
        defer { pause = min(pause * 2, Limits.reopenPauses.upperBound) }
        return pause
    }

    /// The device works again.
    package mutating func reset() { pause = Limits.reopenPauses.lowerBound }
}
