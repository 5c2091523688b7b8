import Datagrams

/// The first four bytes of every RTCP packet (RFC 3550 § 6.4.1), with its body cut to what it holds without padding.
struct RTCPHeader {
    static let size = 4

    /// Reception report count, source count, subtype or feedback message type: 5 bits.
    var count: UInt8
    var type: UInt8
    var body: Range<Int>

    /// Steps the cursor over the whole packet.
    init(_ span: RawSpan, _ cursor: inout Cursor) throws(RTCPError) {
        guard let first = cursor.u8(span), let type = cursor.u8(span), let words = cursor.u16(span) else {
            throw .truncated
        }
        guard first >> 6 == 2 else { throw .version }
        guard let body = cursor.take(Int(words) * 4) else { throw .truncated }
        count = first & 0x1f
        self.type = type
        let hasPadding = first & 0x20 != 0
        self.body = hasPadding ? try Self.unpadded(span, body) : body
    }

    /// The count should be a multiple of four, but libwebrtc fills up transport-wide feedback with fewer bytes.
    private static func unpadded(_ span: RawSpan, _ body: Range<Int>) throws(RTCPError) -> Range<Int> {
        guard !body.isEmpty, let last = span.u8(at: body.upperBound - 1), last > 0, Int(last) <= body.count
        else { throw .padding }
        return body.lowerBound..<(body.upperBound - Int(last))
    }

    /// Appends a packet: header, what `body` appends, and the length in words minus one.
    /// `body` must append whole words.
    static func append(
        to bytes: inout [UInt8], type: RTCPType, count: UInt8, body: (inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        bytes.append(u8: 2 << 6 | count & 0x1f)
        bytes.append(u8: type.rawValue)
        bytes.append(u16: 0)
        body(&bytes)
        bytes.set(u16: UInt16(truncatingIfNeeded: (bytes.count - start) / 4 - 1), at: start + 2)
    }
}
