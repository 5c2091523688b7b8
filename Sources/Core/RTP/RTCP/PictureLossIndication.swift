import Datagrams

/// PLI (RFC 4585 § 6.3.1): the receiver lost picture data and asks for a keyframe.
package struct PictureLossIndication: Hashable, Sendable {
    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32

    package init(senderSSRC: UInt32, mediaSSRC: UInt32) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        guard let sources = FeedbackSources(span, &cursor) else { return nil }
        self.init(senderSSRC: sources.sender, mediaSSRC: sources.media)
    }

    package func append(to bytes: inout [UInt8]) {
        RTCPHeader.append(
            to: &bytes, type: .payloadFeedback, count: FeedbackFormat.pictureLossIndication
        ) { bytes in
            bytes.append(u32: senderSSRC)
            bytes.append(u32: mediaSSRC)
        }
    }
}
