/// Why H.264 syntax cannot be read.
package enum H264SyntaxError: Error, Hashable, Sendable {
    case truncated
    /// A value the standard forbids, or one beyond `Limits`.
    case outOfRange
    /// The NAL unit is of another type than the one asked for.
    case wrongType
    /// A slice that names a parameter set which is not there, or one that names such.
    case unknownParameterSet
}

/// Reads bits of an RBSP, most significant first (ITU-T H.264 § 7.2, § 9.1).
struct BitReader {
    private let bytes: [UInt8]
    private(set) var position = 0
    /// Where `rbsp_trailing_bits` begin: the last 1 bit.
    let trailingBit: Int

    init(_ rbsp: [UInt8]) {
        bytes = rbsp
        let last = rbsp.lastIndex { $0 != 0 }
        trailingBit = last.map { $0 * 8 + 7 - rbsp[$0].trailingZeroBitCount } ?? 0
    }

    /// `more_rbsp_data()`.
    var hasMoreData: Bool { position < trailingBit }

    mutating func bit() throws(H264SyntaxError) -> UInt32 {
        guard position < bytes.count * 8 else { throw .truncated }
        defer { position += 1 }
        return UInt32(bytes[position >> 3] >> (7 - UInt8(position & 7)) & 1)
    }

    mutating func skip(_ count: Int) throws(H264SyntaxError) {
        guard count <= bytes.count * 8 - position else { throw .truncated }
        position += count
    }

    mutating func flag() throws(H264SyntaxError) -> Bool { try bit() == 1 }

    /// u(n), n ≤ 32.
    mutating func bits(_ count: Int) throws(H264SyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count { value = value << 1 | (try bit()) }
        return value
    }

    /// ue(v).
    mutating func unsigned() throws(H264SyntaxError) -> UInt32 {
        var zeros = 0
        while try bit() == 0 {
            zeros += 1
            guard zeros < 32 else { throw .outOfRange }
        }
        return try bits(zeros) &+ (1 << UInt32(zeros) &- 1)
    }

    /// ue(v) that may not exceed `maximum`.
    mutating func unsigned(upTo maximum: UInt32) throws(H264SyntaxError) -> Int {
        let value = try unsigned()
        guard value <= maximum else { throw .outOfRange }
        return Int(value)
    }

    /// se(v).
    mutating func signed() throws(H264SyntaxError) -> Int32 {
        let code = try unsigned()
        let magnitude = Int32(bitPattern: code >> 1 &+ code & 1)
        return code & 1 == 1 ? magnitude : -magnitude
    }

    /// se(v) within `range`.
    mutating func signed(in range: ClosedRange<Int32>) throws(H264SyntaxError) -> Int32 {
        let value = try signed()
        guard range.contains(value) else { throw .outOfRange }
        return value
    }
}
