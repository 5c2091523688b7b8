import Datagrams

/// The bit string of RFC 8627 § 6.2, of a source packet or of several by XOR, as in a repair packet: the first two bytes of
/// the header, the length behind the fixed header, the timestamp, then all behind the fixed header.
struct FlexFECBitString: Hashable, Sendable {
    private(set) var bytes: [UInt8]

    /// Of nothing.
    init() { bytes = [] }

    /// Of an unprotected source packet; nil where that is shorter than its header.
    init?(packet: [UInt8]) {
        guard packet.count >= RTPHeader.fixedSize else { return nil }
        let length = UInt16(clamping: packet.count - RTPHeader.fixedSize)
        bytes = []
        bytes.reserveCapacity(packet.count)
        bytes.append(contentsOf: packet[0..<2])
        bytes.append(u16: length)
        bytes.append(contentsOf: packet[4..<8])
        bytes.append(contentsOf: packet[RTPHeader.fixedSize...])
    }

    /// Of a repair packet: its recovery fields and its repair payload.
    init(recovery: ArraySlice<UInt8>, payload: ArraySlice<UInt8>) { bytes = Array(recovery) + payload }

    /// What is shorter counts as filled with zeros.
    mutating func add(_ other: FlexFECBitString) {
        if bytes.count < other.bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: other.bytes.count - bytes.count))
        }
        let theirs = other.bytes
        bytes.withUnsafeMutableBufferPointer { mine in
            theirs.withUnsafeBufferPointer { theirs in
                for index in theirs.indices { mine[index] ^= theirs[index] }
            }
        }
    }

    /// The source packet that this is the string of; nil where the lengths don't agree, as in a forged or damaged one.
    func packet(sequenceNumber: UInt16, ssrc: UInt32) -> [UInt8]? {
        guard bytes.count >= FlexFECHeader.recoveryBytes else { return nil }
        let length = Int(bytes[2]) << 8 | Int(bytes[3])
        guard length <= bytes.count - FlexFECHeader.recoveryBytes else { return nil }
        var packet: [UInt8] = []
        packet.reserveCapacity(RTPHeader.fixedSize + length)
        packet.append(bytes[0] & 0x3f | 0x80)
        packet.append(bytes[1])
        packet.append(u16: sequenceNumber)
        packet.append(contentsOf: bytes[4..<8])
        packet.append(u32: ssrc)
        packet.append(contentsOf: bytes[8..<(8 + length)])
        return packet
    }
}
