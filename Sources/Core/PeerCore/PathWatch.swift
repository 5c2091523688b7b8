import Timebase

/// Notices early that nothing comes from the peer any more, and asks ICE to look after its pair.
///
/// ICE itself waits for seconds, because it knows only of its own checks. A share is heard from all the time: a picture or
/// a sign of life each second, a report of it. An address that has changed on the way is known to the other side by the
/// first check that comes from it.
struct PathWatch {
    private var heardAt: Instant
    private var asked = 0

    init(at now: Instant) { heardAt = now }

    /// When the pair is to be checked; nil where that was done often enough.
    var due: Instant? { asked < Limits.quietChecks ? heardAt + Limits.quietTime + Limits.quietInterval * asked : nil }

    /// Media or a report came that only the peer can have protected. An answered check does not count: the peer may still
    /// send to the old address.
    mutating func heard(at now: Instant) { self = PathWatch(at: now) }

    mutating func checked() { asked += 1 }
}
