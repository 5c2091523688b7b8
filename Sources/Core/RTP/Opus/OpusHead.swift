/// How a container says what its stereo Opus is like (RFC 7845 § 5.1).
package enum OpusHead {
    /// The time by which libopus' decoded sound trails what was encoded, in samples at 48 kHz: 6.5 ms.
    package static let preSkip: UInt16 = 312
    package static let sampleRate: UInt32 = 48_000
    package static let channels: UInt8 = 2

    /// Version 1, no gain, channel mapping family 0; numbers are little-endian.
    ///
    /// - Parameter preSkip: samples at 48 kHz that a decoder drops at the beginning.
    package static func bytes(preSkip: UInt16 = preSkip) -> [UInt8] {
        Array("OpusHead".utf8) + [1, channels] + littleEndian(preSkip) + littleEndian(sampleRate)
            + littleEndian(UInt16(0)) + [0]
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
