import Timebase

/// Notices early that nothing comes from the peer any more, and asks ICE to look after its pair.
///
/// ICE itself waits for seconds, because it knows only of its own checks. A share is heard from all the time: a picture or
/// a sign of life each second, a report of it. An address that has changed on the way is known to the other side by the
/// first check that comes from it.
struct PathWatch {
    private var heardAt: Instant
    /// Since when nothing has shown that the peer is there.
    private var quietSince: Instant
    /// The longest of late between two signs of life; it is forgotten in four times its length.
    private var usualGap = Limits.quietTime
    private var asked = 0

    init(at now: Instant) { (heardAt, quietSince) = (now, now) }

    /// When the pair is to be checked; nil where that was done often enough.
    var due: Instant? {
        guard asked < Limits.quietChecks else { return nil }
        let quietTime = min(Limits.quietTime, max(Limits.leastQuietTime, usualGap * 3))
        return quietSince + quietTime + Limits.quietInterval * (asked + max(0, asked - Limits.hastyChecks))
    }

    /// Media or a report came that only the peer can have protected. An answered check does not count: the peer may still
    /// send to the old address.
    mutating func heard(at now: Instant) {
        let gap = now - heardAt
        usualGap = max(gap, usualGap - gap / 4)
        recovered(at: now)
    }

    mutating func checked() { asked += 1 }

    /// A check has gone unanswered for a while: peers that report seldom are asked all the time.
    var isChecking: Bool { asked > 1 }

    /// A check was answered, which tells a sharer that its media arrives. How far apart reports are is another matter.
    mutating func answered(at now: Instant) { (quietSince, asked) = (now, 0) }

    /// For how long nothing has shown that the peer is there.
    func quietTime(at now: Instant) -> Duration { now - quietSince }

    func isQuiet(at now: Instant) -> Bool { now - quietSince > Limits.pauseOfReports }

    /// The peer answers ICE after long silence: media is to follow, or the pair is looked after anew.
    mutating func recovered(at now: Instant) { (heardAt, quietSince, asked) = (now, now, 0) }
}
