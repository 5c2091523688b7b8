import Timebase

/// Tells motion from rest where whatever is shown counts as a film: a page that is turned is none.
///
///     rest ──changes for a second, none two seconds behind another──► motion ──two seconds without──► rest
package struct MotionWatch: Sendable {
    private var since = Instant.zero
    private var last = Instant.zero

    package init() {}

    /// Something new was shown.
    package mutating func changed(at now: Instant) {
        if now - last >= MediaLimits.timeOfRest { since = now }
        last = now
    }

    package func isMoving(at now: Instant) -> Bool {
        now - last < MediaLimits.timeOfRest && last - since >= MediaLimits.timeOfMotion
    }
}
