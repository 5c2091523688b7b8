import Timebase

/// A viewer's wish for a picture to begin from, and how often it is granted: one who asks all the time costs the others
/// hardly anything.
///
///     none ──asked──► open ──the lane's cache serves it (at most once a second)──────► none
///                      │  ──a new keyframe is asked for (beside others only so often)──► open
///                      ├──a keyframe was made──► none
///                      ├──another lane's pictures are to follow──► open, as if it had never been served
///                      └──it was asked for early, and only a new keyframe would serve──► none
///
/// Where the cache can serve, no keyframe is asked for: who asks again soon after it was served (many players do when
/// the first packet comes, and have not seen yet what it belongs to) is served once more.
package struct PictureWish: Sendable {
    /// How a wish is granted.
    package enum Answer: Equatable, Sendable {
        /// With what the lane's cache holds.
        case cache
        /// With a keyframe, which the encoder is to be asked for now.
        case keyframe
        /// From the cache, at that time.
        case wait(until: Instant)
        /// No more than was done already; or there is no wish.
        case nothing
    }

    package private(set) var isOpen = false
    /// It was asked for while a keyframe was on its way, and nobody else is to pay for it.
    private var isEarly = false
    /// When the cache may serve it, and may have done so once more.
    private var cacheDue = Instant.zero
    private var cacheDueAgain = Instant.zero
    private var askedAt: Instant?
    private var keyframes: TokenBucket

    package init(at now: Instant) {
        keyframes = TokenBucket(
            perSecond: Limits.keyframeCost / Limits.secondsPerKeyframe,
            capacity: Limits.keyframeCost * Limits.keyframesAtOnce, at: now)
    }

    /// - Parameter early: a keyframe is on its way to the viewer; if it can't use that, it asks again.
    package mutating func ask(early: Bool = false) {
        isEarly = early && (isEarly || !isOpen)
        isOpen = true
    }

    /// Another lane's pictures are to follow: what it asked for, and was served, was of those before.
    package mutating func changeLane() {
        keyframeMade()
        (cacheDue, cacheDueAgain) = (.zero, .zero)
        ask()
    }

    /// A keyframe is on its way to everybody.
    package mutating func keyframeMade() {
        isOpen = false
        askedAt = nil
    }

    /// What is to be done about it now; it counts as done.
    ///
    /// - Parameters:
    ///   - cacheServes: this viewer can begin with what the lane's cache holds.
    ///   - isAlone: nobody else is sent the same pictures.
    package mutating func answer(cacheServes: Bool, isAlone: Bool, at now: Instant) -> Answer {
        guard isOpen else { return .nothing }
        guard cacheServes else {
            if isEarly && !isAlone { keyframeMade() }
            return isOpen && takeRequest(isAlone: isAlone, at: now) ? .keyframe : .nothing
        }
        guard now >= cacheDue else { return .wait(until: cacheDue) }
        cacheDue = max(now + Limits.cachePause, cacheDueAgain)
        cacheDueAgain = now + Limits.cacheInterval * 2
        keyframeMade()
        return .cache
    }

    private mutating func takeRequest(isAlone: Bool, at now: Instant) -> Bool {
        guard askedAt.map({ now - $0 >= Limits.keyframePatience }) ?? true,
            isAlone || keyframes.spend(Limits.keyframeCost, at: now)
        else { return false }
        askedAt = now
        return true
    }
}
