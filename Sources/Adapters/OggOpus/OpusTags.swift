/// The second packet of an Ogg Opus stream (RFC 7845 § 5.2): who wrote it, and no comments.
enum OpusTags {
    static let bytes: [UInt8] = {
        let vendor = Array("screenshare".utf8)
        return Array("OpusTags".utf8) + littleEndian(UInt32(vendor.count)) + vendor + littleEndian(UInt32(0))
    }()

    private static func littleEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
}
