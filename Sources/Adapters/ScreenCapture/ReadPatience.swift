import Timebase

/// How long a read waits for the server, and when its silence is told of.
///
/// Only a server that does answer, be it late, is waited for longer: one that is stopped delays nobody past `readTime`.
struct ReadPatience {
    private(set) var time = Limits.readTime
    /// When the first of the reads began that the server left unanswered; nil where it answered the last.
    private var silentSince: Instant?
    private var leftAt: Instant?
    private var isTold = false

    /// The server has answered all that it was asked before this read.
    mutating func caughtUp() {
        if silentSince != nil { time = min(time * 2, Limits.longestReadTime) }
    }

    /// A read gave a picture.
    ///
    /// - Parameter taken: what that took; nil where no pixels were asked for.
    mutating func succeeded(in taken: Duration?) {
        silentSince = nil
        isTold = false
        if let taken { time = min(max(taken * 2, Limits.readTime), Limits.longestReadTime) }
    }

    /// A read was left unanswered.
    ///
    /// - Returns: whether that is to be told now.
    mutating func wasLeft(since begun: Instant, at now: Instant) -> Bool {
        defer { leftAt = now }
        // Long after the last one it is another silence: nobody read meanwhile, and the server may have been there.
        if let leftAt, begun - leftAt >= Limits.silence { silentSince = nil }
        let since = silentSince ?? begun
        silentSince = since
        guard !isTold, now - since >= Limits.silence else { return false }
        isTold = true
        return true
    }
}
