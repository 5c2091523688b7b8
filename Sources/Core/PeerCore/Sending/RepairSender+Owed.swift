import Congestion
import DequeModule
import RTP
import Timebase

/// What may be missing, and is to be sent again later.
extension RepairSender {
    /// The number of a packet that may be missing, and since when it is owed.
    struct Owed {
        enum Cause {
            /// It was asked for, and there was no room for it, or it went into a queue that may have had none.
            case noRoom
            /// It was sent again, and that may be lost as well.
            case answered
            /// It is one of many of which some are lost, and nobody asked for those.
            case guess
        }

        var number: UInt16
        var since: Instant
        var cause: Cause
    }

    /// What the viewer asks for and there is no room for is noted. Those that take repair packets ask again by themselves.
    var owesRepairs: Bool { parameters.flexFEC == nil }

    /// Some viewers ask once (aiortc, until it misses something else) and show nothing behind a hole for 512 packets, and
    /// what only reports come of may be lost again unnoticed, with the rest of a burst or in a queue that has no room: it is
    /// sent once more behind that. Those that take repair packets ask again.
    mutating func owe(_ missing: ArraySlice<UInt16>, _ cause: Owed.Cause, at now: Instant) {
        guard owesRepairs, !missing.isEmpty else { return }
        let known = Dictionary(owed.map { ($0.number, $0.since) }, uniquingKeysWith: min)
        let new = Set(missing.suffix(Limits.packetsOwed))
        owed.removeAll { new.contains($0.number) }
        owed.append(contentsOf: new.sorted { $0 &- missing[missing.startIndex] < $1 &- missing[missing.startIndex] }
            .map { Owed(number: $0, since: known[$0] ?? now, cause: cause) })
        owed.removeFirst(max(0, owed.count - Limits.packetsOwed))
        // A request for some of those may be on its way.
        owedDue = cause == .guess ? now + Limits.owedPause : now
    }

    /// Some of the budget has come back: one packet, and none into the queue that it was lost in.
    mutating func payOwed(_ path: PathControl, behindPictures: Bool = false, at now: Instant) {
        guard owedDue <= now || behindPictures && owedDue == .distantFuture, let first = owed.first else { return }
        owedDue = now + Limits.owedPause
        if path.mayBeFull(at: now) { fullAt = now }
        if path.queueBeforeRepairs(at: now) > .zero, now - first.since < Limits.longestOwed { return }
        let pause = max(Limits.leastPauseOfOwed, min(roundTripTime ?? Limits.roundTripOfOwed, Limits.longestOwed))
        for _ in 0..<owed.count {
            let next = owed.removeFirst()
            if isRepeatedLate(next) {
                if next.cause == .noRoom, weighLate(next, at: now) { owed.append(next) }
                continue
            }
            let answer = history.resend(next.number, at: now, pause: pause, isLost: { path.isLost($0) }) {
                budget.spend($0, isGuess: next.cause == .guess)
            }
            switch answer {
            case .unknown: continue
            case .tooSoon: owed.append(next)
            // More of it comes with pictures only.
            case .refused:
                owedDue = behindPictures ? now : .distantFuture
                return owed.prepend(next)
            case .resend(let packet, _, _):
                owedDue = behindPictures ? now : now + Limits.owedInterval
                return waiting.append(Repair(packet: packet, number: next.number))
            }
        }
    }

    /// Where it went into a queue that turned out to have no room, and a report tells that packets got lost, nobody knows
    /// what has come. Who only asks could have keyframes made by asking.
    ///
    /// - Returns: whether a report is waited for.
    private mutating func weighLate(_ owed: Owed, at now: Instant) -> Bool {
        guard let fullAt, fullAt >= owed.since else { return false }
        if let toldLossAt, toldLossAt >= owed.since { isHopeless = true }
        return !isHopeless && now - owed.since < Limits.longestOwed
    }

    /// What may have come already would be a second one, long after it: some viewers (aiortc) take that for a new stream,
    /// and show nothing for 512 packets.
    private func isRepeatedLate(_ owed: Owed) -> Bool {
        let behind = UInt16(truncatingIfNeeded: nextNumber) &- owed.number
        return behind > Limits.packetsOfRepetition && (owed.cause == .guess || history.wasSentAgain(owed.number))
    }

    // MARK: Losses that a viewer reports and has not asked for

    /// What a viewer's reports told of our stream in all.
    struct ReportedLosses {
        var highest: UInt32
        var lost: Int32
    }

    /// A report tells of more losses than were asked for: the request got lost, and who asks once shows nothing until it
    /// misses something else. Which packets it named nobody knows; where they are few, all are sent again.
    ///
    /// By the sums (RFC 3550 § 6.4.1), which count where a report got lost too.
    mutating func oweUnasked(_ report: ReportBlock, _ path: PathControl, isLeaping: Bool, at now: Instant) {
        guard report.ssrc == parameters.ssrc else { return }
        let before = reportedLosses
        let highest = report.extendedHighestSequenceNumber
        reportedLosses = ReportedLosses(highest: highest, lost: report.cumulativeLost)
        guard let before, !isLeaping, mayGuess(path, at: now) else { return }
        let lost = Int(report.cumulativeLost) - Int(before.lost)
        let packets = ReportBlock.packets(after: before.highest, upTo: highest)
        guard lost > 0, packets > 0, packets <= Int(Limits.packetsOfRepetition) else { return }
        let last = UInt16(truncatingIfNeeded: highest)
        let unasked = (0..<UInt16(packets)).reversed().map { last &- $0 }.filter { !history.wasAskedFor($0) }
        if lost > packets - unasked.count { owe(unasked[...], .guess, at: now) }
    }

    /// Not into a queue, nor among what was asked for and waits: that comes first.
    private func mayGuess(_ path: PathControl, at now: Instant) -> Bool {
        path.goesByReports && parameters.flexFEC == nil && parameters.retransmission != nil
            && path.queueBeforeRepairs(at: now) == .zero && !path.mayBeFull(at: now)
            && owed.allSatisfy { $0.cause == .guess }
    }
}

extension ReportBlock {
    /// How many numbers a report is further than the one before; none where it is an older one.
    static func packets(after before: UInt32, upTo highest: UInt32) -> Int {
        if highest >= before { return Int(highest - before) }
        // aiortc tells no cycles: it begins at zero again.
        let short = UInt16(truncatingIfNeeded: highest) &- UInt16(truncatingIfNeeded: before)
        return short < 1 << 15 ? Int(short) : 0
    }
}
