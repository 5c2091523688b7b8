import Datagrams

/// FIR (RFC 5104 § 4.3.1): a command to send a keyframe at once.
package struct FullIntraRequest: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var ssrc: UInt32
        /// Counts commands; a repeated one keeps its number (§ 4.3.1.2).
        package var sequenceNumber: UInt8

        package init(ssrc: UInt32, sequenceNumber: UInt8) {
            self.ssrc = ssrc
            self.sequenceNumber = sequenceNumber
        }
    }

    package var senderSSRC: UInt32
    package var entries: [Entry]

    package init(senderSSRC: UInt32, entries: [Entry]) {
        self.senderSSRC = senderSSRC
        self.entries = entries
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) throws(RTCPError) {
        var cursor = Cursor(header.body)
        guard let sources = FeedbackSources(span, &cursor) else { return nil }
        senderSSRC = sources.sender
        entries = []
        guard cursor.remaining % 8 == 0 else { return nil }
        guard cursor.remaining / 8 <= Limits.intraRequests else { throw .tooMany }
        while let ssrc = cursor.u32(span), let number = cursor.u8(span), cursor.take(3) != nil {
            entries.append(Entry(ssrc: ssrc, sequenceNumber: number))
        }
    }

    package func append(to bytes: inout [UInt8]) {
        RTCPHeader.append(to: &bytes, type: .payloadFeedback, count: FeedbackFormat.fullIntraRequest) { bytes in
            bytes.append(u32: senderSSRC)
            // "the SSRC of media source is not used and SHALL be set to 0" (§ 4.3.1.2)
            bytes.append(u32: 0)
            for entry in entries.prefix(Limits.intraRequests) {
                bytes.append(u32: entry.ssrc)
                bytes.append(u32: UInt32(entry.sequenceNumber) << 24)
            }
        }
    }
}
