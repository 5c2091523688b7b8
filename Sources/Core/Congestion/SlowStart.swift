import Timebase

/// How much may leave at first towards a peer that does not tell what came: twice as much with each round trip, as TCP
/// does it (RFC 5681 § 3.1), as long as these do not become longer.
///
/// The first picture is a keyframe of a tenth of a megabyte, and browsers, which do tell, begin with less than that. A
/// narrow path's queue would overflow with it before the first report.
struct SlowStart: Sendable {
    /// A round trip before anything was sent.
    private let base: Duration
    private var begun: Instant?
    /// What may leave with each round trip, and until the next answer.
    private var window = Limits.firstWindow
    private var allowed = Limits.firstWindow
    private var sent = 0
    /// When the round trip began that is being measured, and what had left by then.
    private var asked: (at: Instant, behind: Int)?

    init(roundTrip: Duration) {
        base = roundTrip
    }

    /// - Returns: whether a round trip is to be measured.
    mutating func sent(bytes: Int, at now: Instant) -> Bool {
        begun = begun ?? now
        sent += bytes
        return asked.map { now - $0.at >= patience } ?? true
    }

    /// A round trip is measured from here, behind what has left.
    mutating func asks(at now: Instant) {
        if begun != nil { asked = (now, sent) }
    }

    /// An answer may be lost, too.
    private var patience: Duration { base + Limits.patienceOfStart }

    /// Nothing was heard against more.
    func isOver(at now: Instant) -> Bool { begun.map { now - $0 >= Limits.timeOfStart } ?? false }

    /// When more may leave.
    func mayLeave(at now: Instant) -> Instant {
        guard let begun, let asked, sent >= allowed else { return now }
        return max(now, min(asked.at + patience, begun + Limits.timeOfStart))
    }

    /// A round trip was measured.
    ///
    /// - Returns: where a queue stands, the bits per second that pass.
    mutating func measured(roundTrip: Duration, at now: Instant) -> Double? {
        // What was asked before the pictures left knows nothing of them.
        guard let begun, let asked, now - roundTrip >= asked.at - Limits.jitterOfStart else { return nil }
        self.asked = nil
        guard roundTrip - base <= Limits.queueOfStart else {
            return Double(asked.behind) * 8 / max(now - begun - base, Limits.queueOfStart).inSeconds
        }
        window *= 2
        allowed = sent + window
        return nil
    }
}
