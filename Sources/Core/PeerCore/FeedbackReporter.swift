import Datagrams
import RTP
import Timebase

/// A receiver's transport-wide feedback: which packets came, and when
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01).
struct FeedbackReporter {
    private var recorder = TransportFeedbackRecorder(repeatsLast: true)
    private var mediaSSRC: UInt32?
    private var unreported = 0
    /// How often the last report is told again, as long as nothing comes.
    private var repeats = 0
    /// When what came is to be told.
    private(set) var due: Instant?
    private var last: Instant?
    private var first: Instant?
    private var numbers = Unwrapper<UInt16>()
    /// Of the packets on their way to us, what share is lost, smoothed.
    private var loss = 0.0

    /// One unprotected packet, of whatever stream.
    mutating func receive(_ bytes: [UInt8], _ extensions: ExtensionMap, at now: Instant) {
        guard extensions.id(of: .transportSequenceNumber) != nil, let (number, ssrc) = Self.number(bytes, extensions)
        else { return }
        mediaSSRC = mediaSSRC ?? ssrc
        first = first ?? now
        noticeLoss(number)
        recorder.receive(transportSequenceNumber: number, at: now)
        unreported += 1
        if due == nil || unreported == 1 { due = max(now + Limits.feedbackPause, (last ?? .zero) + interval(at: now)) }
        if unreported >= Limits.packetsPerFeedback { due = now }
    }

    private mutating func noticeLoss(_ number: UInt16) {
        let before = numbers.highest
        let gap = numbers.unwrap(number) - (before ?? Int64(number)) - 1
        guard gap >= 0 else { return }
        loss += (Double(gap) / Double(gap + 1) - loss) * 0.01
    }

    /// At first a sender knows nothing, and a page waits for it.
    private func interval(at now: Instant) -> Duration {
        guard let first, now - first > Limits.eagerTime else { return Limits.eagerFeedbackInterval }
        return loss > Limits.lossOfFeedback ? Limits.lossyFeedbackInterval : Limits.feedbackInterval
    }

    private static func number(_ bytes: [UInt8], _ extensions: ExtensionMap) -> (UInt16, UInt32)? {
        bytes.read { span -> (UInt16, UInt32)? in
            guard let packet = try? RTPPacket(span), let block = packet.extensionBlock,
                let values = try? HeaderExtensions(span, block, map: extensions),
                let number = values.transportSequenceNumber
            else { return nil }
            return (number, packet.header.ssrc)
        }
    }

    /// RTCP packets to send now.
    mutating func makeFeedback(senderSSRC: UInt32, at now: Instant) -> [[UInt8]] {
        guard let due, due <= now, let mediaSSRC else { return [] }
        let isRepeat = unreported == 0
        repeats = isRepeat ? repeats - 1 : loss > Limits.lossOfFeedback ? Limits.feedbackRepeats : 0
        // The sender may be waiting for what was lost of it.
        self.due = repeats > 0 ? now + Limits.feedbackRepeatInterval : nil
        last = now
        unreported = 0
        let packets = recorder.makeFeedback(senderSSRC: senderSSRC, mediaSSRC: mediaSSRC, again: isRepeat)
        return packets.map { feedback in
            var bytes: [UInt8] = []
            feedback.append(to: &bytes)
            return bytes
        }
    }
}
