import Datagrams

/// REMB (draft-alvestrand-rmcat-remb-03 § 2.2): the rate a receiver believes the path can carry.
package struct BitrateEstimate: Hashable, Sendable {
    package var senderSSRC: UInt32
    /// Written with 18 bits of precision, rounded down.
    package var bitsPerSecond: UInt64
    package var ssrcs: [UInt32]

    package init(senderSSRC: UInt32, bitsPerSecond: UInt64, ssrcs: [UInt32]) {
        self.senderSSRC = senderSSRC
        self.bitsPerSecond = bitsPerSecond
        self.ssrcs = ssrcs
    }

    /// "REMB" in ASCII.
    static let identifier: UInt32 = 0x5245_4d42

    /// True where an application-layer feedback message is a REMB.
    static func matches(_ span: RawSpan, _ header: RTCPHeader) -> Bool {
        header.body.count >= 12 && span.u32(at: header.body.lowerBound + 8) == identifier
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        guard let sources = FeedbackSources(span, &cursor), cursor.u32(span) == Self.identifier,
            let count = cursor.u8(span), let rate = cursor.u24(span), cursor.remaining == Int(count) * 4
        else { return nil }
        senderSSRC = sources.sender
        let exponent = rate >> 18
        let mantissa = UInt64(rate & 0x3_ffff)
        // 18 bits shifted by up to 63: what does not fit is as good as unlimited.
        bitsPerSecond = mantissa == 0 || exponent <= UInt32(mantissa.leadingZeroBitCount)
            ? mantissa << UInt64(exponent) : .max
        ssrcs = []
        while let ssrc = cursor.u32(span) { ssrcs.append(ssrc) }
    }

    package func append(to bytes: inout [UInt8]) {
        let ssrcs = ssrcs.prefix(Limits.bitrateSSRCs)
        let exponent = max(0, UInt64.bitWidth - bitsPerSecond.leadingZeroBitCount - 18)
        RTCPHeader.append(to: &bytes, type: .payloadFeedback, count: FeedbackFormat.applicationLayer) { bytes in
            bytes.append(u32: senderSSRC)
            bytes.append(u32: 0)
            bytes.append(u32: Self.identifier)
            bytes.append(u8: UInt8(ssrcs.count))
            bytes.append(u24: UInt32(exponent) << 18 | UInt32(bitsPerSecond >> UInt64(exponent)))
            for ssrc in ssrcs { bytes.append(u32: ssrc) }
        }
    }
}
