import Congestion
import RTP

/// What a peer's ECN feedback told of each of our streams last, so that what is new can be told from it (RFC 6679 § 5.1).
struct MarkReports {
    private var last: [UInt32: ECNFeedback] = [:]

    /// Nil where it is older than what is known, or of more streams than we have.
    mutating func news(of feedback: ECNFeedback) -> MarkCounts? {
        let before =
            last[feedback.mediaSSRC]
            ?? ECNFeedback(
                senderSSRC: feedback.senderSSRC, mediaSSRC: feedback.mediaSSRC,
                extendedHighestSequenceNumber: feedback.extendedHighestSequenceNumber)
        let advance = Int32(bitPattern: feedback.extendedHighestSequenceNumber &- before.extendedHighestSequenceNumber)
        guard advance >= 0, last.count < Limits.markedStreams || last[feedback.mediaSSRC] != nil else { return nil }
        last[feedback.mediaSSRC] = feedback
        let capable = feedback.capable0 &- before.capable0 &+ (feedback.capable1 &- before.capable1)
        // A lie, or a stream of the same number that began anew: it is counted from here.
        guard capable <= Limits.packetsOfMarkReport else { return nil }
        return MarkCounts(
            capable: Int(capable), congested: Int(feedback.congestionExperienced &- before.congestionExperienced),
            notCapable: Int(feedback.notCapable &- before.notCapable))
    }
}
