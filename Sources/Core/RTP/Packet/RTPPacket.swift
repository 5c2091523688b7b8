import Datagrams

/// The header extension of a packet, not yet taken apart (RFC 3550 § 5.3.1).
package struct HeaderExtensionBlock: Hashable, Sendable {
    /// "Defined by profile": which form the elements have (RFC 8285 § 4).
    package var profile: UInt16
    /// Where its data lie in the packet.
    package var data: Range<Int>

    package init(profile: UInt16, data: Range<Int>) {
        self.profile = profile
        self.data = data
    }
}

/// A parsed RTP packet (RFC 3550 § 5.1): the header by value, the rest as ranges of the datagram it was read from.
package struct RTPPacket: Hashable, Sendable {
    package let header: RTPHeader
    package let extensionBlock: HeaderExtensionBlock?
    /// May be empty: packets of padding alone are legal and used for probing.
    package let payload: Range<Int>
    package let paddingLength: Int

    package init(_ span: RawSpan) throws(RTPError) {
        var cursor = Cursor(span)
        guard let first = cursor.u8(span), let second = cursor.u8(span), let sequenceNumber = cursor.u16(span),
            let timestamp = cursor.u32(span), let ssrc = cursor.u32(span)
        else { throw .truncated }
        guard first >> 6 == 2 else { throw .version }
        var csrcs: [UInt32] = []
        for _ in 0..<(first & 0x0f) {
            guard let csrc = cursor.u32(span) else { throw .truncated }
            csrcs.append(csrc)
        }
        header = RTPHeader(
            marker: second & 0x80 != 0, payloadType: second & 0x7f, sequenceNumber: sequenceNumber,
            timestamp: timestamp, ssrc: ssrc, csrcs: csrcs)
        extensionBlock = first & RTPHeader.extensionBit == 0 ? nil : try Self.block(span, &cursor)
        paddingLength = first & RTPHeader.paddingBit == 0 ? 0 : try Self.padding(span, cursor)
        payload = cursor.offset..<(cursor.end - paddingLength)
    }

    private static func block(_ span: RawSpan, _ cursor: inout Cursor) throws(RTPError) -> HeaderExtensionBlock {
        guard let profile = cursor.u16(span), let words = cursor.u16(span), let data = cursor.take(Int(words) * 4)
        else { throw .truncated }
        return HeaderExtensionBlock(profile: profile, data: data)
    }

    /// "The last octet of the padding contains a count of how many padding octets should be ignored, including itself."
    private static func padding(_ span: RawSpan, _ cursor: Cursor) throws(RTPError) -> Int {
        guard cursor.remaining > 0, let last = span.u8(at: cursor.end - 1), last > 0, Int(last) <= cursor.remaining
        else { throw .padding }
        return Int(last)
    }
}
