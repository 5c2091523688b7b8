import Timebase

/// When to say that a viewer's path takes less than pictures need: a dip is nobody's concern.
package struct Starvation: Sendable {
    private var isTold = false
    /// Since when it has been otherwise than was told.
    private var since: Instant?

    package init() {}

    /// - Returns: what is to be told now.
    package mutating func update(_ isStarved: Bool, at now: Instant) -> Bool? {
        guard isStarved != isTold else {
            since = nil
            return nil
        }
        let began = since ?? now
        since = began
        guard now - began >= MediaLimits.timeOfStarvation else { return nil }
        since = nil
        isTold = isStarved
        return isStarved
    }
}
