import Congestion
import RTP

/// What a peer's ECN feedback told of each of our streams last, so that what is new can be told from it (RFC 6679 § 5.1).
struct ECNFeedbackHistory {
    private var last: [UInt32: ECNFeedback] = [:]

    /// Nil where it is older than what is known, or of more streams than we have.
    mutating func news(of feedback: ECNFeedback) -> ECNCounts? {
        let known = last[feedback.mediaSSRC]
        guard known != nil || last.count < Limits.ecnStreams else { return nil }
        let before = known ?? ECNFeedback(
            senderSSRC: feedback.senderSSRC, mediaSSRC: feedback.mediaSSRC,
            extendedHighestSequenceNumber: feedback.extendedHighestSequenceNumber)
        let advance = Int32(bitPattern: feedback.extendedHighestSequenceNumber &- before.extendedHighestSequenceNumber)
        if known != nil, advance <= 0 { return nil }
        last[feedback.mediaSSRC] = feedback
        let capable = feedback.capable0 &- before.capable0 &+ (feedback.capable1 &- before.capable1)
        let congestionExperienced = feedback.congestionExperienced &- before.congestionExperienced
        let notCapable = feedback.notCapable &- before.notCapable
        // A lie, or a stream of the same number that began anew: it is counted from here.
        guard capable <= Limits.packetsOfECNFeedback else { return nil }
        let most = Int(advance) + Limits.lateForECNFeedback
        if known != nil, Int(capable) + Int(congestionExperienced) + Int(notCapable) > most { return nil }
        return ECNCounts(
            capable: Int(capable), congestionExperienced: Int(congestionExperienced), notCapable: Int(notCapable))
    }
}
