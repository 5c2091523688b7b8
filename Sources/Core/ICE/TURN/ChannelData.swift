import Datagrams

/// A datagram in a channel (RFC 8656 § 12.4): number, length, the data.
struct ChannelData: Hashable {
    static let headerBytes = 4

    let number: UInt16
    let payload: Range<Int>

    /// Nil for anything else, and where the data is longer than what came (RFC 8656 § 12.6).
    init?(_ bytes: RawSpan) {
        var cursor = Cursor(bytes)
        guard let number = cursor.u16(bytes), Limits.channelNumbers.contains(number),
            let length = cursor.u16(bytes), let payload = cursor.take(Int(length))
        else { return nil }
        self.number = number
        self.payload = payload
    }

    /// - Precondition: the payload is no longer than `Limits.relayedBytes`.
    static func write(_ payload: [UInt8], number: UInt16, isPadded: Bool, to buffer: inout [UInt8]) {
        buffer.append(u16: number)
        buffer.append(u16: UInt16(clamping: payload.count))
        buffer += payload
        // RFC 8656 § 12.5: over TCP, up to a multiple of four.
        if isPadded { buffer.append(zeros: (4 - payload.count % 4) % 4) }
    }
}

extension [UInt8] {
    mutating func append(zeros count: Int) {
        for _ in 0..<count { append(0) }
    }
}
