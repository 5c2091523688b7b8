import Congestion
import Timebase

/// A viewer's wish for a picture to begin from, and how often it is granted: one who asks all the time costs the others
/// hardly anything.
///
///     none ──asked──► open ──the lane's cache serves it (at most once a second)──────► none
///                      │  ──a new keyframe is asked for (beside others only so often)──► open
///                      └──a keyframe was made──► none
package struct PictureWish: Sendable {
    package private(set) var isOpen = false
    private var servedAt: Instant?
    private var askedAt: Instant?
    private var keyframes: TokenBucket

    package init(at now: Instant) {
        keyframes = TokenBucket(
            perSecond: Limits.keyframeCost / Limits.secondsPerKeyframe,
            capacity: Limits.keyframeCost * Limits.keyframesAtOnce, at: now)
    }

    package mutating func ask() { isOpen = true }

    /// A keyframe is on its way to everybody.
    package mutating func keyframeMade() {
        isOpen = false
        askedAt = nil
    }

    /// Whether it may be served from the cache now.
    package func maySeeCache(at now: Instant) -> Bool {
        isOpen && servedAt.map { now - $0 >= Limits.cacheInterval } ?? true
    }

    package mutating func served(at now: Instant) {
        servedAt = now
        keyframeMade()
    }

    /// Whether the encoder is to be asked for a keyframe now.
    ///
    /// - Parameter isAlone: nobody else is sent the same pictures.
    package mutating func takeRequest(isAlone: Bool, at now: Instant) -> Bool {
        guard isOpen, askedAt.map({ now - $0 >= Limits.keyframePatience }) ?? true,
            isAlone || keyframes.spend(Limits.keyframeCost, at: now)
        else { return false }
        askedAt = now
        return true
    }
}
