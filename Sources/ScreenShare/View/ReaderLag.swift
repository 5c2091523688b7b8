import Timebase

/// What becomes of pictures that nobody takes: from the first that has no room on, all are left out up to a keyframe
/// that has, and one is asked for until it has come.
struct ReaderLag: Sendable {
    private(set) var isSkipping = false
    /// Units so far.
    private var handed = 0
    /// The pictures that the reader has not taken whole: how many units there were with each, and their bytes.
    private var untaken: [(end: Int, bytes: Int)] = []
    /// When a keyframe was asked for last, and how many pictures had been taken by then.
    private var asked: (at: Instant, taken: Int)?

    /// Whether a picture may be handed over; if not, it counts as left out.
    func takes(isKeyframe: Bool) -> Bool { !isSkipping || isKeyframe }

    /// Whether there is room for so many units; where none waits there is, however long they are.
    ///
    /// - Parameters:
    ///   - bytes: of all of them.
    ///   - taken: how many the reader has taken so far.
    mutating func hasRoom(for units: Int, bytes: Int, taken: Int) -> Bool {
        untaken.removeAll { $0.end <= taken }
        let waiting = untaken.reduce(0) { $0 + $1.bytes }
        return handed - taken + units <= ViewLimits.units
            && (untaken.isEmpty || waiting + bytes <= ViewLimits.unreadBytes)
    }

    /// A picture was handed over, in so many units.
    mutating func handedOver(_ units: Int = 1, bytes: Int) {
        isSkipping = false
        handed += units
        untaken.append((handed, bytes))
    }

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
