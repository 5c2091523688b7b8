enum ViewLimits {
    /// Events that nobody has read; older ones make room.
    static let unreadEvents = 1000
    /// Units that a slow reader may lag behind: eight seconds.
    static let units = 240
    /// Pieces of sound likewise.
    static let audioPieces = 400
    /// At most so long without a look at the sound: the next packet may change when it is due.
    static let audioPause = Duration.milliseconds(20)
    /// Once connected, a picture may take so long, even where all patience went into connecting.
    static let firstPicture = Duration.seconds(1)
    static let firstPause = Duration.milliseconds(250)
    static let longestPause = Duration.seconds(2)
    /// So often it is looked whether the sharer is there, of whom something is heard each second; after so long without
    /// ICE begins anew, which takes a few round trips, and more where many pairs are tried.
    static let pathInterval = Duration.milliseconds(500)
    static let quietTime = Duration.seconds(3)
    static let restartTime = Duration.seconds(6)
    static let restartPause = Duration.seconds(1)
    /// A keyframe is a burden on all viewers: a reader that lags gets none more often than this.
    static let keyframeWish = Duration.seconds(5)
}
