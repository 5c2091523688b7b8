import Congestion
import Datagrams
import RTP
import Timebase

/// A receiver's feedback on what came, and when: by transport-wide numbers
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01), or stream by stream (RFC 8888).
struct FeedbackReporter {
    private var transportWide: TransportFeedbackRecorder
    private var perStream: CongestionFeedbackRecorder
    /// All is told twice at least where packets get lost, should a report get lost.
    private let tellsTwice: Bool
    private var ecnRecorder = ECNRecorder()
    private var mediaSSRC: UInt32?
    private var unreported = 0
    private var unreportedBytes = 0
    /// How often the last report was told again.
    private var repeats = 0
    /// When what came is to be told.
    private(set) var due: Instant?
    private var last: Instant?
    private var first: Instant?
    /// Of the packets on their way to us, what share is lost, smoothed.
    private var loss = 0.0
    private var missedAt: Instant?
    /// When that was too much for the last time.
    private var lossyAt: Instant?
    private var room = RoomWatch()
    private var lastArrival: Instant?
    /// What came since there was a pause: so much may be under way without a report.
    private var bytesTogether = 0

    init(tellsTwice: Bool) {
        self.tellsTwice = tellsTwice
        transportWide = TransportFeedbackRecorder(repeatsLast: tellsTwice)
        perStream = CongestionFeedbackRecorder(repeatsLast: tellsTwice)
    }

    /// One unprotected packet, of whatever stream.
    ///
    /// - Parameter ecn: what its IP header said.
    mutating func receive(_ bytes: [UInt8], _ ecn: ECN, _ parameters: ReceiveParameters, at now: Instant) {
        let gap: Int64?
        switch parameters.feedback {
        case .none: return
        case .transportWide:
            guard let (number, header) = Self.number(bytes, parameters.extensions) else { return }
            mediaSSRC = mediaSSRC ?? header.ssrc
            if parameters.givesECNFeedback {
                ecnRecorder.receive(ssrc: header.ssrc, sequenceNumber: header.sequenceNumber, ecn: ecn)
            }
            room.receive(header, bytes: bytes.count, at: now)
            gap = transportWide.receive(transportSequenceNumber: number, at: now)
        case .perStream:
            guard let header = bytes.read({ try? RTPPacket($0) })?.header else { return }
            room.receive(header, bytes: bytes.count, at: now)
            gap = perStream.receive(ssrc: header.ssrc, sequenceNumber: header.sequenceNumber, ecn: ecn, at: now)
        }
        note(gap, at: now)
        schedule(bytes: bytes.count, at: now)
    }

    /// - Parameter gap: how many are missing before the one that came; nil where it came late, and had been missing.
    private mutating func note(_ gap: Int64?, at now: Instant) {
        guard let gap else { return loss = max(0, loss - Limits.weightOfPacket) }
        // Where few packets come an outage would be remembered for minutes.
        if let missedAt, now - missedAt > Limits.lossMemory { loss = 0 }
        if gap > 0 { missedAt = now }
        // And it is no habit.
        for _ in 0..<min(gap, Int64(Limits.longestRun)) { loss += (1 - loss) * Limits.weightOfPacket }
        loss -= loss * Limits.weightOfPacket
    }

    private mutating func schedule(bytes: Int, at now: Instant) {
        first = first ?? now
        if let lastArrival, now - lastArrival > Limits.pauseOfPictures { bytesTogether = 0 }
        lastArrival = now
        bytesTogether += bytes
        unreported += 1
        unreportedBytes += bytes
        let next = max(now + Limits.feedbackPause, (last ?? .zero) + interval(at: now))
        due = unreported == 1 ? next : min(due ?? next, next)
        if unreported >= Limits.packetsPerFeedback { due = now }
    }

    /// At first a sender knows nothing, and a page waits for it.
    private func interval(at now: Instant) -> Duration {
        guard let first, now - first > Limits.eagerTime else { return Limits.eagerFeedbackInterval }
        if isLossy(at: now) { return Limits.lossyFeedbackInterval }
        let hasTime = unreportedBytes < Limits.bytesPerFeedback || room.hasRoom(at: now)
        return hasTime ? Limits.quietFeedbackInterval : Limits.feedbackInterval
    }

    /// Where bursts get lost, one of them may well be of reports, of which there are few: it ends sooner where they are
    /// many.
    private func isLossy(at now: Instant) -> Bool { lossyAt.map { now - $0 < Limits.lossMemory } ?? false }

    private static func number(_ bytes: [UInt8], _ extensions: ExtensionMap) -> (UInt16, RTPHeader)? {
        bytes.read { span -> (UInt16, RTPHeader)? in
            guard let packet = try? RTPPacket(span), let block = packet.extensionBlock,
                let values = try? HeaderExtensions(span, block, map: extensions),
                let number = values.transportSequenceNumber
            else { return nil }
            return (number, packet.header)
        }
    }

    /// The sender may be waiting for what was lost of the reports; nil where it is not, or has been told often enough.
    private func pauseBeforeRepeat(at now: Instant) -> Duration? {
        guard tellsTwice, isLossy(at: now) else { return nil }
        // As much as may be under way has come, and nothing follows.
        let mayBeBlocked = bytesTogether >= Congestion.Limits.leastWindow
        if mayBeBlocked, repeats >= Limits.repeatsBetweenPictures {
            return repeats < Limits.repeatsOfStall ? Limits.stalledRepeatInterval : nil
        }
        return repeats < Limits.feedbackRepeats ? Limits.feedbackRepeatInterval : nil
    }

    /// RTCP packets to send now.
    ///
    /// - Parameter ntp: `now` on the clock of sender reports.
    mutating func makeFeedback(senderSSRC: UInt32, ntp: NTPTimestamp, at now: Instant) -> [[UInt8]] {
        guard let due, due <= now else { return [] }
        let isRepeat = unreported == 0
        // Not sooner: what others overtook has come by now.
        if !isRepeat, loss > Limits.lossOfFeedback { lossyAt = now }
        repeats = isRepeat ? repeats + 1 : 0
        self.due = pauseBeforeRepeat(at: now).map { now + $0 }
        last = now
        unreported = 0
        unreportedBytes = 0
        let numbered = transportWide.makeFeedback(
            senderSSRC: senderSSRC, mediaSSRC: mediaSSRC ?? 0, again: isRepeat)
        let streams = perStream.makeFeedback(senderSSRC: senderSSRC, ntp: ntp, again: isRepeat, at: now)
        let arrivals = numbered.map { $0.append } + streams.map { $0.append }
        guard !arrivals.isEmpty else { return [] }
        // Before what tells of arrivals, with which it is weighed.
        var bytes: [UInt8] = []
        for report in ecnRecorder.makeFeedback(senderSSRC: senderSSRC, at: now) { report.append(to: &bytes) }
        var datagrams: [[UInt8]] = []
        for append in arrivals {
            append(&bytes)
            datagrams.append(bytes)
            bytes.removeAll()
        }
        return datagrams
    }
}
