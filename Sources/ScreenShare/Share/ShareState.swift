/// The life of a share.
@nonexhaustive public enum ShareState: Hashable, Sendable {
    /// Not started, still opening its source and sockets, or `start` has failed and may be tried again.
    case idle
    /// Viewers are answered, and pictures flow.
    case live
    /// Viewers are answered and stay connected; nothing is captured for them.
    case paused
    /// Ended, with the error that ended it if it was not asked to.
    case stopped(ShareError?)
}
