import Datagrams

/// The FEC header of a repair packet with a flexible mask (RFC 8627 § 4.2.2.1): which source packets of one stream stand in
/// it.
package struct FlexFECHeader: Hashable, Sendable {
    /// P, X, CC, M, payload type, length and timestamp: the XOR of the source packets' own.
    static let recoveryBytes = 8

    package var baseSequenceNumber: UInt16
    /// Offsets from the base, ascending, below 110.
    package var offsets: [Int]

    init(baseSequenceNumber: UInt16, offsets: [Int]) {
        self.baseSequenceNumber = baseSequenceNumber
        self.offsets = offsets.filter { (0..<Self.longestMask).contains($0) }
    }

    static let longestMask = 110
    private static let maskLengths = [15, 46, 110]

    /// Reads the header behind the recovery fields; nil for other variants and what is cut.
    ///
    /// - Returns: the header, and where the repair payload begins.
    package static func read(_ span: RawSpan, payload: Range<Int>) -> (FlexFECHeader, Int)? {
        guard payload.lowerBound >= 0, payload.upperBound <= span.byteCount else { return nil }
        var cursor = Cursor(payload)
        // R = 0, F = 0.
        guard let first = cursor.u8(span), first >> 6 == 0, cursor.take(recoveryBytes - 1) != nil,
            let base = cursor.u16(span), let short = cursor.u16(span)
        else { return nil }
        var offsets = bits(UInt64(short & 0x7fff), 15, from: 0)
        if short & 0x8000 != 0 {
            guard let middle = cursor.u32(span) else { return nil }
            offsets += bits(UInt64(middle & 0x7fff_ffff), 31, from: 15)
            if middle & 0x8000_0000 != 0 {
                guard let high = cursor.u32(span), let low = cursor.u32(span) else { return nil }
                offsets += bits(UInt64(high) << 32 | UInt64(low), 64, from: 46)
            }
        }
        guard !offsets.isEmpty else { return nil }
        return (FlexFECHeader(baseSequenceNumber: base, offsets: offsets), cursor.offset)
    }

    private static func bits(_ mask: UInt64, _ width: Int, from start: Int) -> [Int] {
        (0..<width).compactMap { mask >> UInt64(width - 1 - $0) & 1 == 1 ? start + $0 : nil }
    }

    /// Appends base and mask; the recovery fields stand before, the repair payload behind.
    func append(to bytes: inout [UInt8]) {
        let length = Self.maskLengths.first { $0 > offsets.last ?? 0 } ?? Self.longestMask
        func mask(_ width: Int, from start: Int) -> UInt64 {
            offsets.reduce(0) { mask, offset in
                (start..<(start + width)).contains(offset) ? mask | 1 << UInt64(start + width - 1 - offset) : mask
            }
        }
        bytes.append(u16: baseSequenceNumber)
        bytes.append(u16: UInt16(mask(15, from: 0)) | (length > 15 ? 0x8000 : 0))
        if length > 15 { bytes.append(u32: UInt32(mask(31, from: 15)) | (length > 46 ? 0x8000_0000 : 0)) }
        if length > 46 {
            let last = mask(64, from: 46)
            bytes.append(u32: UInt32(last >> 32))
            bytes.append(u32: UInt32(truncatingIfNeeded: last))
        }
    }
}
