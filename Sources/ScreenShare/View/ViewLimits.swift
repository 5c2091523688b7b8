enum ViewLimits {
    /// Events that nobody has read; older ones make room.
    static let unreadEvents = 1000
    /// Units that a slow reader may lag behind: eight seconds.
    static let units = 240
    /// And their bytes: more than eight seconds of the most that a share may use. A sharer that means ill could send eight
    /// times as much in as many units.
    static let unreadBytes = 128 << 20
    /// Pieces of sound likewise.
    static let audioPieces = 400
    /// At most so long without a look at the sound: the next packet may change when it is due.
    static let audioPause = Duration.milliseconds(20)
    /// A hundred years: `Task.sleep` traps where a clock can't count to its end, as of `Duration.seconds(.max)`.
    static let longestWait = Duration.seconds(100 * 365 * 86_400)
    /// Once connected, a picture may take so long, even where all patience went into connecting.
    static let firstPicture = Duration.seconds(1)
    /// An answer to an offer, or a connection, over a long way and through TURN.
    static let step = Duration.seconds(3)
    static let firstPause = Duration.milliseconds(250)
    static let longestPause = Duration.seconds(2)
    /// So often it is looked whether the sharer is there, which is asked where nothing was heard of it for a moment; after
    /// so long without an answer ICE begins anew, which takes a few round trips, and more where many pairs are tried.
    static let pathInterval = Duration.milliseconds(500)
    static let lostTime = Duration.milliseconds(2500)
    static let restartTime = Duration.seconds(6)
    /// After so long it is asked at each look: one answer may get lost.
    static let doubtTime = Duration.milliseconds(700)
    /// Not all of a room's viewers at once.
    static let restartSpread = Duration.milliseconds(700)
    /// A restart that may have been heeded is asked for again so often.
    static let owedRestarts = 3
    /// A candidate that another ICE session came before is told again so often, each time after this.
    static let staleCandidates = 3
    static let staleTime = Duration.milliseconds(100)
    /// A keyframe is a burden on all viewers: a reader that lags gets none more often than this.
    static let keyframeWish = Duration.seconds(5)
}
