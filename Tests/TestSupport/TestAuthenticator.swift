import ICE

/// Keyed digests for simulations: they tell right from wrong keys and messages, but hide nothing. The real ones have
/// their vectors in the suite of SecureTransport.
package final class TestAuthenticator: MessageAuthenticator {
    package init() {}

    package func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] { Self.digest([key, message], bytes: 20) }
    package func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { Self.digest([key, message], bytes: 32) }
    package func md5(_ message: [UInt8]) -> [UInt8] { Self.digest([message], bytes: 16) }

    /// FNV-1a over the parts, stretched by a seeded generator.
    private static func digest(_ parts: [[UInt8]], bytes: Int) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for part in parts {
            for byte in part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ UInt64(part.count)) &* 0x100_0000_01B3
        }
        var generator = SeededGenerator(seed: hash)
        return (0..<bytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
