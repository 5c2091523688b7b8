import Timebase

/// What becomes of pictures that nobody takes: from the first that has no room on, all are left out up to a keyframe
/// that has, and one is asked for until it has come.
struct ReaderLag: Sendable {
    private(set) var isSkipping = false
    /// When a keyframe was asked for last, and how many pictures had been taken by then.
    private var asked: (at: Instant, taken: Int)?

    /// Whether a picture may be handed over; if not, it counts as left out.
    func takes(isKeyframe: Bool) -> Bool { !isSkipping || isKeyframe }

    /// A picture was handed over.
    mutating func handedOver() { isSkipping = false }

    /// A picture was left out.
    ///
    /// - Parameter taken: how many pictures the reader has taken so far.
    /// - Returns: whether a keyframe is to be asked for now. The reader may have caught up long after the one that was
    ///   asked for first: it is asked for again, but not for one that takes nothing, as a player that pauses. For that one
    ///   there would be no room.
    mutating func leftOut(at now: Instant, taken: Int) -> Bool {
        isSkipping = true
        if let asked, taken == asked.taken || now - asked.at < ViewLimits.keyframeWish { return false }
        asked = (now, taken)
        return true
    }
}
