/// The CRC of ITU V.42, as the fingerprint uses it (RFC 8489 § 14.7, sample code in RFC 1952 § 8).
enum CRC32 {
    /// x³² + x²⁶ + x²³ + x²² + x¹⁶ + x¹² + x¹¹ + x¹⁰ + x⁸ + x⁷ + x⁵ + x⁴ + x² + x + 1, bits reversed.
    private static let polynomial: UInt32 = 0xEDB8_8320

    private static let table: [UInt32] = (0..<256).map { (byte: UInt32) in
        (0..<8).reduce(byte) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
    }

    /// The checksum of the first `end` bytes, or of all where there are fewer.
    static func checksum(of bytes: RawSpan, upTo end: Int) -> UInt32 {
        bytes.withUnsafeBytes { all in
            var crc = UInt32.max
            for byte in all.prefix(max(0, end)) {
                crc = crc >> 8 ^ table[Int(truncatingIfNeeded: (crc ^ UInt32(byte)) & 0xFF)]
            }
            return ~crc
        }
    }
}
