import RTP
import Timebase

/// Tells a peer that gives no feedback on packets any more from a path on which nothing passes: its reports tell of more
/// packets again and again.
struct MissingFeedback {
    /// Pictures, and what is sent again: where nothing is told of, that may be all that leaves.
    private let streams: Set<UInt32>
    /// By stream, the highest number that a report has told of.
    private var highest: [UInt32: UInt32] = [:]
    /// How many reports have told of more since feedback came last, and when the last did.
    private var told = (count: 0, at: Instant.zero)

    init(_ parameters: SendParameters?) {
        streams = Set([parameters?.ssrc, parameters?.retransmission?.ssrc].compactMap(\.self))
    }

    mutating func feedbackCame() { told.count = 0 }

    /// - Parameter isSilent: feedback is missing.
    /// - Returns: whether it is waited for no longer.
    mutating func follow(_ report: ReportBlock, isSilent: Bool, at now: Instant) -> Bool {
        guard streams.contains(report.ssrc) else { return false }
        let (before, reached) = (highest[report.ssrc], report.extendedHighestSequenceNumber)
        let isMore = before.map { ReportBlock.packets(after: $0, upTo: reached) > 0 } ?? false
        if isMore || before == nil { highest[report.ssrc] = reached }
        guard isMore, isSilent, told.count == 0 || now - told.at >= Limits.pauseOfToldReports else { return false }
        told = (told.count + 1, now)
        return told.count >= Limits.reportsWithoutFeedback
    }
}
