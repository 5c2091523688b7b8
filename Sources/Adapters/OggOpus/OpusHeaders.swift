/// The two packets that an Ogg Opus stream begins with.
enum OpusHeaders {
    /// RFC 7845 § 5.1: version 1, stereo, no gain, channel mapping family 0.
    /// - Parameter preSkip: samples at 48 kHz that a decoder drops at the beginning.
    static func identification(preSkip: UInt16) -> [UInt8] {
        Array("OpusHead".utf8) + [1, 2] + littleEndian(preSkip) + littleEndian(UInt32(48_000))
            + littleEndian(UInt16(0)) + [0]
    }

    /// RFC 7845 § 5.2: who wrote it, and no comments.
    static let comments: [UInt8] = {
        let vendor = Array("screenshare".utf8)
        return Array("OpusTags".utf8) + littleEndian(UInt32(vendor.count)) + vendor + littleEndian(UInt32(0))
    }()

    private static func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
