import Datagrams

/// The payload of an RTX packet (RFC 4588 § 4): the original sequence number, then the original payload.
package struct RetransmissionPayload: Hashable, Sendable {
    package var originalSequenceNumber: UInt16
    package var payload: Range<Int>

    /// Nil where there is no room for the number. The original payload may be empty, as in a probe.
    package init?(_ span: RawSpan, payload: Range<Int>) {
        guard payload.upperBound <= span.byteCount, payload.lowerBound >= 0, payload.count >= 2 else { return nil }
        var cursor = Cursor(payload)
        guard let number = cursor.u16(span) else { return nil }
        originalSequenceNumber = number
        self.payload = cursor.offset..<cursor.end
    }

    /// Appends such a payload behind a header with the RTX stream's SSRC, payload type and sequence number, and the
    /// original's timestamp and marker bit.
    package static func append(
        originalSequenceNumber: UInt16, payload: ArraySlice<UInt8>, to packet: inout [UInt8]
    ) {
        packet.append(u16: originalSequenceNumber)
        packet.append(contentsOf: payload)
    }
}
