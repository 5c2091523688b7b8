import Datagrams

/// The connection carries something else than TURN; nothing after it can be told apart.
package enum TURNStreamError: Error, Hashable, Sendable {
    /// Neither STUN nor a channel number.
    case garbage
}

/// Cuts the bytes of a connection into STUN messages and ChannelData (RFC 8489 § 6.2.2, RFC 8656 § 12.5).
///
/// Messages that are longer than any of ours are skipped, not refused: what a peer sends to the relayed address must not
/// break the connection that all peers share. Never more is kept than one message and what was appended last.
package struct TURNStreamDecoder: Sendable {
    private var buffer: [UInt8] = []
    /// Where the next message begins.
    private var start = 0
    /// What is left of a message that is too long.
    private var skipped = 0

    package init() {}

    package mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        let dropped = min(skipped, bytes.count)
        skipped -= dropped
        buffer += bytes.dropFirst(dropped)
    }

    /// The next whole message, without padding; nil until more has come.
    package mutating func next() throws(TURNStreamError) -> [UInt8]? {
        while let frame = try frame() {
            guard isTaken(frame) else {
                let available = min(frame.total, buffer.count - start)
                start += available
                skipped = frame.total - available
                if skipped > 0 { return nil }
                continue
            }
            guard buffer.count - start >= frame.total else { return nil }
            defer { start += frame.total }
            return Array(buffer[start..<(start + frame.length)])
        }
        return nil
    }

    private struct Frame {
        let isKnown: Bool
        let length: Int
        /// With padding.
        var total: Int { (length + 3) / 4 * 4 }
    }

    private func isTaken(_ frame: Frame) -> Bool { frame.isKnown && frame.length <= Limits.messageBytes }

    /// What the next four bytes announce; the cookie is looked at as soon as it is there.
    private func frame() throws(TURNStreamError) -> Frame? {
        let result: (frame: Frame?, isGarbage: Bool) = buffer.read { span in
            guard let first = span.u16(at: start), let length = span.u16(at: start + 2) else { return (nil, false) }
            switch first >> 14 {
            case 0:
                if length % 4 != 0 { return (nil, true) }
                guard let cookie = span.u32(at: start + 4) else { return (nil, false) }
                if cookie != STUNHeader.magicCookie { return (nil, true) }
                return (Frame(isKnown: true, length: STUNHeader.byteCount + Int(length)), false)
            case 1:
                // RFC 8656 § 12: numbers from 0x5000 on are reserved, and "silently discarded".
                let isKnown = Limits.channelNumbers.contains(first)
                return (Frame(isKnown: isKnown, length: ChannelData.headerBytes + Int(length)), false)
            default: return (nil, true)  // 0b10, 0b11: neither of the two
            }
        }
        if result.isGarbage { throw .garbage }
        return result.frame
    }
}
