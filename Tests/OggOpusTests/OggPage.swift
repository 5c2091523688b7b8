/// One page of an Ogg file, read by RFC 3533 § 6.
struct OggPage: Equatable {
    let isFirst: Bool
    let isLast: Bool
    let granule: Int64
    let serial: UInt32
    let number: UInt32
    /// Packets that end in it.
    let packets: [[UInt8]]

    /// The whole file; nil where something is not a page.
    static func pages(_ file: [UInt8]) -> [OggPage]? {
        var pages: [OggPage] = []
        var offset = 0
        while offset < file.count {
            guard file.count >= offset + 27, Array(file[offset..<offset + 4]) == Array("OggS".utf8) else { return nil }
            let segments = Int(file[offset + 26])
            guard file.count >= offset + 27 + segments else { return nil }
            let lacing = file[offset + 27..<offset + 27 + segments]
            var (packets, packet, start): ([[UInt8]], [UInt8], Int) = ([], [], offset + 27 + segments)
            guard file.count >= start + lacing.reduce(0, { $0 + Int($1) }) else { return nil }
            for length in lacing {
                packet += file[start..<start + Int(length)]
                start += Int(length)
                if length < 255 {
                    packets.append(packet)
                    packet = []
                }
            }
            func number(_ at: Int, _ bytes: Int) -> UInt64 {
                (0..<bytes).reduce(0) { $0 | UInt64(file[offset + at + $1]) << UInt64(8 * $1) }
            }
            pages.append(
                OggPage(
                    isFirst: file[offset + 5] & 2 != 0, isLast: file[offset + 5] & 4 != 0,
                    granule: Int64(bitPattern: number(6, 8)), serial: UInt32(number(14, 4)),
                    number: UInt32(number(18, 4)), packets: packets))
            offset = start
        }
        return pages
    }
}
