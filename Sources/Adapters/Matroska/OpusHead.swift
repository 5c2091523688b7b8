/// How a Matroska track says what its Opus is like.
enum OpusHead {
    /// The time by which libopus' decoded sound trails what was encoded, in samples at 48 kHz: 6.5 ms.
    static let preSkip = 312
    /// A decoder that begins in mid-stream has settled after 80 ms (RFC 7845 § 4.6).
    static let seekPreroll = 3840
    static let sampleRate = 48_000
    static let channels = 2

    /// The track's CodecPrivate: RFC 7845 § 5.1, version 1, no gain, channel mapping family 0.
    static let bytes: [UInt8] =
        Array("OpusHead".utf8) + [1, UInt8(channels)] + littleEndian(UInt16(preSkip))
        + littleEndian(UInt32(sampleRate)) + littleEndian(UInt16(0)) + [0]

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
