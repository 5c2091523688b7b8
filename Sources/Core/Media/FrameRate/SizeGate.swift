import Timebase

/// When a source's new size is taken: each opens an encoder and costs a keyframe, and whoever drags a window's edge
/// makes dozens of them.
///
/// The first is taken at once. Those that follow within a second wait until one stands, or until that second is over.
package struct SizeGate: Sendable {
    private var takenAt: Instant?
    private var awaited: (size: PixelSize, since: Instant)?

    package init() {}

    /// Whether a picture of this size is taken now.
    ///
    /// - Parameter present: the size of the picture before; nil where there is none.
    package mutating func takes(_ size: PixelSize, after present: PixelSize?, at now: Instant) -> Bool {
        guard let present else { return true }
        guard size != present else {
            awaited = nil
            return true
        }
        if awaited?.size != size { awaited = (size, now) }
        let hasStood = awaited.map { now - $0.since >= MediaLimits.sizeStands } ?? false
        let isQuiet = takenAt.map { now - $0 >= MediaLimits.keyframeInterval } ?? true
        guard hasStood || isQuiet else { return false }
        takenAt = now
        awaited = nil
        return true
    }
}
