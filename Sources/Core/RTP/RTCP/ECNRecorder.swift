import Datagrams
import Timebase

/// A receiver's counts of the ECN codepoints that came, stream by stream, from which ECN feedback is made (RFC 6679
/// § 7.3.2): as soon as there is CE, or the first ECT, and else from time to time. What was lost is told by other feedback
/// at once.
package struct ECNRecorder: Sendable {
    private struct Stream: Sendable {
        let ssrc: UInt32
        var unwrapper = Unwrapper<UInt16>()
        var first: Int64?
        var received: Int64 = 0
        /// Packets by codepoint.
        var counts: [UInt32] = [0, 0, 0, 0]
        /// Feedbacks that are to tell of it soon: one may get lost, above all where there is congestion.
        var urgent = 0
        var hasNews = false

        mutating func receive(_ sequenceNumber: UInt16, _ ecn: ECN) {
            let number = unwrapper.unwrap(sequenceNumber)
            first = min(first ?? number, number)
            received += 1
            let isFirst = ecn != .notCapable && count(ecn) == 0
            if ecn == .congestionExperienced || isFirst { urgent = Limits.urgentECNFeedbacks }
            hasNews = true
            counts[Int(ecn.rawValue)] &+= 1
        }

        private func count(_ ecn: ECN) -> UInt32 { counts[Int(ecn.rawValue)] }

        mutating func makeFeedback(senderSSRC: UInt32) -> ECNFeedback {
            (urgent, hasNews) = (max(0, urgent - 1), false)
            let highest = unwrapper.highest ?? 0
            // SRTP has taken out the duplicates (RFC 3711 § 3.3.2).
            let lost = max(0, highest - (first ?? highest) + 1 - received)
            return ECNFeedback(
                senderSSRC: senderSSRC, mediaSSRC: ssrc,
                extendedHighestSequenceNumber: UInt32(truncatingIfNeeded: highest),
                capable0: count(.capable0), capable1: count(.capable1),
                congestionExperienced: UInt16(truncatingIfNeeded: count(.congestionExperienced)),
                notCapable: UInt16(truncatingIfNeeded: count(.notCapable)),
                lost: UInt16(truncatingIfNeeded: lost))
        }
    }

    private var streams: [Stream] = []
    private var last: Instant?

    package init() {}

    package mutating func receive(ssrc: UInt32, sequenceNumber: UInt16, ecn: ECN) {
        if let index = streams.firstIndex(where: { $0.ssrc == ssrc }) {
            streams[index].receive(sequenceNumber, ecn)
            return
        }
        if streams.count >= Limits.recordedStreams { streams.removeFirst() }
        var stream = Stream(ssrc: ssrc)
        stream.receive(sequenceNumber, ecn)
        streams.append(stream)
    }

    /// What is to be told now, a packet for each stream.
    package mutating func makeFeedback(senderSSRC: UInt32, at now: Instant) -> [ECNFeedback] {
        let isDue = last.map { now - $0 >= Limits.ecnFeedbackInterval } ?? true
        var packets: [ECNFeedback] = []
        for index in streams.indices where streams[index].urgent > 0 || isDue && streams[index].hasNews {
            packets.append(streams[index].makeFeedback(senderSSRC: senderSSRC))
        }
        if isDue, !packets.isEmpty { last = now }
        return packets
    }
}
