import RTP
import Timebase

/// Losses that a viewer reports and has not asked for.
extension MediaSender {
    /// What a viewer's reports told of our stream in all.
    struct ReportedLosses {
        var highest: UInt32
        var lost: Int32
    }

    /// A report tells of more losses than were asked for: the request got lost, and who asks once shows nothing until it
    /// misses something else. Which packets it named nobody knows; where they are few, all are sent again.
    ///
    /// By the sums (RFC 3550 § 6.4.1), which count where a report got lost too.
    mutating func oweUnasked(_ report: ReportBlock, _ path: PathControl, at now: Instant) {
        guard report.ssrc == parameters.ssrc else { return }
        let before = reportedLosses
        let highest = report.extendedHighestSequenceNumber
        reportedLosses = ReportedLosses(highest: highest, lost: report.cumulativeLost)
        guard let before, mayGuess(path, at: now) else { return }
        let lost = Int(report.cumulativeLost) - Int(before.lost)
        let packets = Self.packets(after: before.highest, upTo: highest)
        guard lost > 0, packets > 0, packets <= Int(Limits.packetsOfRepetition) else { return }
        let last = UInt16(truncatingIfNeeded: highest)
        let unasked = (0..<UInt16(packets)).reversed().map { last &- $0 }.filter { !history.wasAskedFor($0) }
        if lost > packets - unasked.count { owe(unasked[...], .guess, at: now) }
    }

    /// How many numbers a report is further than the one before; none where it is an older one.
    static func packets(after before: UInt32, upTo highest: UInt32) -> Int {
        if highest >= before { return Int(highest - before) }
        // aiortc tells no cycles: it begins at zero again.
        let short = UInt16(truncatingIfNeeded: highest) &- UInt16(truncatingIfNeeded: before)
        return short < 1 << 15 ? Int(short) : 0
    }

    /// Not into a queue, nor among what was asked for and waits: that comes first.
    private func mayGuess(_ path: PathControl, at now: Instant) -> Bool {
        path.goesByReports && parameters.flexFEC == nil && parameters.retransmission != nil && !isLeaping
            && path.queueBeforeRepairs(at: now) == .zero && !path.mayBeFull(at: now)
            && owed.allSatisfy { $0.cause == .guess }
    }
}
