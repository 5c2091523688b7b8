import Timebase

/// What becomes of pictures that nobody takes: from the first that has no room on, all are left out up to a keyframe
/// that has, and one is asked for until it has come.
struct ReaderLag: Sendable {
    private(set) var isSkipping = false
    private var askedAt: Instant?

    /// Whether a picture may be handed over; if not, it counts as left out.
    func takes(isKeyframe: Bool) -> Bool { !isSkipping || isKeyframe }

    /// A picture was handed over.
    mutating func handedOver() { isSkipping = false }

    /// A picture was left out.
    ///
    /// - Returns: whether a keyframe is to be asked for now. The reader may have caught up long after the one that was
    ///   asked for first: it is asked for again.
    mutating func leftOut(at now: Instant) -> Bool {
        isSkipping = true
        if let askedAt, now - askedAt < ViewLimits.keyframeWish { return false }
        askedAt = now
        return true
    }
}
