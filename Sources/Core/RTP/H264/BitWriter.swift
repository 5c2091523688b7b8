/// Writes bits of an RBSP, most significant first (ITU-T H.264 § 7.2, § 9.1).
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    mutating func bit(_ value: UInt32) {
        if bitCount & 7 == 0 { bytes.append(0) }
        if value & 1 == 1 { bytes[bytes.count - 1] |= 0x80 >> UInt8(bitCount & 7) }
        bitCount += 1
    }

    mutating func flag(_ value: Bool) { bit(value ? 1 : 0) }

    /// u(n), n ≤ 32.
    mutating func bits(_ value: UInt32, _ count: Int) {
        for shift in stride(from: count - 1, through: 0, by: -1) { bit(value >> UInt32(shift)) }
    }

    /// ue(v), for values below 2³² − 1.
    mutating func unsigned(_ value: UInt32) {
        let code = UInt64(value) + 1
        let length = UInt64.bitWidth - code.leadingZeroBitCount
        for _ in 1..<length { bit(0) }
        for shift in stride(from: length - 1, through: 0, by: -1) { bit(UInt32(truncatingIfNeeded: code >> shift)) }
    }

    mutating func unsigned(_ value: Int) { unsigned(UInt32(clamping: value)) }

    /// se(v).
    mutating func signed(_ value: Int32) {
        let doubled = 2 * Int64(value)
        unsigned(UInt32(clamping: value > 0 ? doubled - 1 : -doubled))
    }

    /// The next `count` bits of a reader.
    mutating func copy(_ count: Int, from reader: inout BitReader) throws(H264SyntaxError) {
        for _ in 0..<count { bit(try reader.bit()) }
    }

    /// `rbsp_trailing_bits()`: a 1, then zeros to the end of the byte.
    mutating func trailingBits() { bit(1) }
}
