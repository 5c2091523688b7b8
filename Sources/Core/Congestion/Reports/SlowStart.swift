import Timebase

/// How much may leave at first towards a peer that does not tell what came: twice as much with each round trip, as TCP
/// does it (RFC 5681 § 3.1), as long as these do not become longer.
///
/// The first picture is a large keyframe: with it a narrow path's queue would overflow before the first report.
struct SlowStart: Sendable {
    /// A moment, and what had left by then.
    private struct Mark: Sendable {
        var at: Instant
        var behind: Int
    }

    /// A round trip before anything was sent.
    private let base: Duration
    private var begun: Instant?
    /// What may leave with each round trip, and until the next answer.
    private var window = Limits.firstWindow
    private var allowed = Limits.firstWindow
    private var sent = 0
    /// Round trips that are being measured, and the last that found no queue.
    private var asked: [Mark] = []
    private var clear: Mark?
    /// An answer that is not here by then may be lost.
    private var patienceEnds = Instant.zero

    init(roundTrip: Duration) {
        base = roundTrip
    }

    /// A packet of pictures has left.
    ///
    /// - Returns: whether a round trip is to be measured.
    mutating func sent(bytes: Int, at now: Instant) -> Bool {
        if begun == nil {
            (begun, clear) = (now, Mark(at: now, behind: 0))
            patienceEnds = now + patience
        }
        if sent >= allowed, now >= patienceEnds {
            allowed = sent + Limits.firstWindow
            patienceEnds = now + patience
        }
        sent += bytes
        return asked.last.map { now - $0.at >= patience } ?? true
    }

    /// A round trip is measured from here, behind what has left.
    mutating func asks(at now: Instant) {
        guard begun != nil else { return }
        asked.append(Mark(at: now, behind: sent))
        if asked.count > Limits.asksOfStart { asked.removeFirst() }
        patienceEnds = now + patience
    }

    private var patience: Duration { base + Limits.patienceOfStart }

    /// Nothing was heard against more.
    func isOver(at now: Instant) -> Bool { begun.map { now - $0 >= Limits.timeOfStart } ?? false }

    /// When more may leave.
    func mayLeave(at now: Instant) -> Instant {
        guard let begun, sent >= allowed else { return now }
        return max(now, min(patienceEnds, begun + Limits.timeOfStart))
    }

    /// A round trip was measured.
    ///
    /// - Returns: where a queue of what left stands, the bits per second that pass.
    mutating func measured(roundTrip: Duration, at now: Instant) -> Double? {
        // What was asked before the pictures left knows nothing of them.
        let latest = now - roundTrip + Limits.jitterOfStart
        guard let clear, let index = asked.lastIndex(where: { $0.at <= latest }) else { return nil }
        let mark = asked[index]
        asked.removeFirst(index + 1)
        let bytes = mark.behind - clear.behind
        if roundTrip - base <= Limits.queueOfStart {
            self.clear = mark
            window = min(window * 2, Limits.largestWindow)
            allowed = sent + window
        } else if bytes >= Limits.firstWindow {
            return Double(bytes) * 8 / max(now - clear.at - base, Limits.queueOfStart).inSeconds
        }
        // Behind so few bytes the answer itself may have been late: the next tells.
        return nil
    }

    /// Another answer is needed for more to leave.
    var isBlocked: Bool { sent >= allowed && asked.isEmpty }
}
