import Datagrams

/// The payload of a RED packet (RFC 2198 § 3): a packet of sound, and copies of those before it.
package struct RedundantPayload: Hashable, Sendable {
    /// A copy of an earlier payload.
    package struct Block: Hashable, Sendable {
        /// 7 bits.
        package var payloadType: UInt8
        /// How much earlier its sound begins than the primary's, in RTP units; 14 bits.
        package var timestampOffset: UInt16
        /// Where it stands; at most 1023 bytes.
        package var bytes: Range<Int>
    }

    /// In the order of the packet: the oldest first.
    package let redundant: [Block]
    package let payloadType: UInt8
    /// Where the primary stands.
    package let primary: Range<Int>

    /// Nil where the bytes end too early, or more blocks are announced than `Limits.redundantBlocks`.
    package init?(_ span: RawSpan, payload: Range<Int>) {
        guard payload.lowerBound >= 0, payload.upperBound <= span.byteCount else { return nil }
        var cursor = Cursor(payload)
        var headers: [(payloadType: UInt8, offset: UInt16, length: Int)] = []
        guard var byte = cursor.u8(span) else { return nil }
        while byte & 0x80 != 0 {
            guard headers.count + 1 < Limits.redundantBlocks, let fields = cursor.u24(span), let next = cursor.u8(span)
            else { return nil }
            headers.append((byte & 0x7f, UInt16(truncatingIfNeeded: fields >> 10), Int(fields & 0x3ff)))
            byte = next
        }
        var blocks: [Block] = []
        for header in headers {
            guard let bytes = cursor.take(header.length) else { return nil }
            blocks.append(
                Block(payloadType: header.payloadType, timestampOffset: header.offset, bytes: bytes))
        }
        redundant = blocks
        payloadType = byte & 0x7f
        primary = cursor.offset..<cursor.end
    }

    /// Appends the payload. Copies that the fields cannot describe are left out (14 bits of offset, 10 of length).
    ///
    /// - Parameter redundant: the oldest first, each with how much earlier than the primary it begins.
    package static func append(
        primary: [UInt8], payloadType: UInt8, redundant: [(timestampOffset: Int64, bytes: [UInt8])],
        to packet: inout [UInt8]
    ) {
        let blocks = redundant.filter { block in
            (1...Limits.redundantOffset).contains(block.timestampOffset) && block.bytes.count <= Limits.redundantBytes
        }
        for block in blocks {
            packet.append(u8: 0x80 | payloadType & 0x7f)
            packet.append(u24: UInt32(block.timestampOffset) << 10 | UInt32(block.bytes.count))
        }
        packet.append(u8: payloadType & 0x7f)
        for block in blocks { packet.append(contentsOf: block.bytes) }
        packet.append(contentsOf: primary)
    }
}
