import Datagrams

/// ECN feedback (RFC 6679 § 5.1): how many packets of one stream came with which codepoint, since the first.
package struct ECNFeedback: Hashable, Sendable {
    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32
    package var extendedHighestSequenceNumber: UInt32
    /// Packets with ECT(0).
    package var capable0: UInt32
    /// Packets with ECT(1).
    package var capable1: UInt32
    /// Packets with CE, duplicates among them; the low 16 bits, as of all that follow.
    package var congestionExperienced: UInt16
    package var notCapable: UInt16
    package var lost: UInt16
    package var duplicates: UInt16

    package init(
        senderSSRC: UInt32, mediaSSRC: UInt32, extendedHighestSequenceNumber: UInt32, capable0: UInt32 = 0,
        capable1: UInt32 = 0, congestionExperienced: UInt16 = 0, notCapable: UInt16 = 0, lost: UInt16 = 0,
        duplicates: UInt16 = 0
    ) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
        self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
        self.capable0 = capable0
        self.capable1 = capable1
        self.congestionExperienced = congestionExperienced
        self.notCapable = notCapable
        self.lost = lost
        self.duplicates = duplicates
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        guard let sources = FeedbackSources(span, &cursor), let highest = cursor.u32(span),
            let capable0 = cursor.u32(span), let capable1 = cursor.u32(span), let marked = cursor.u16(span),
            let notCapable = cursor.u16(span), let lost = cursor.u16(span), let duplicates = cursor.u16(span)
        else { return nil }
        self.init(
            senderSSRC: sources.sender, mediaSSRC: sources.media, extendedHighestSequenceNumber: highest,
            capable0: capable0, capable1: capable1, congestionExperienced: marked, notCapable: notCapable, lost: lost,
            duplicates: duplicates)
    }

    package func append(to bytes: inout [UInt8]) {
        RTCPHeader.append(to: &bytes, type: .transportFeedback, count: FeedbackFormat.ecn) { bytes in
            for word in [senderSSRC, mediaSSRC, extendedHighestSequenceNumber, capable0, capable1] {
                bytes.append(u32: word)
            }
            for count in [congestionExperienced, notCapable, lost, duplicates] { bytes.append(u16: count) }
        }
    }
}
