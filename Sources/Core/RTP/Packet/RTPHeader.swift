import Datagrams

/// The fixed RTP header and its CSRC list (RFC 3550 § 5.1).
package struct RTPHeader: Hashable, Sendable {
    /// Bytes without CSRCs and extension.
    static let fixedSize = 12

    package var marker: Bool
    /// 7 bits.
    package var payloadType: UInt8
    package var sequenceNumber: UInt16
    package var timestamp: UInt32
    package var ssrc: UInt32
    /// At most 15 are written.
    package var csrcs: [UInt32]

    package init(
        marker: Bool, payloadType: UInt8, sequenceNumber: UInt16, timestamp: UInt32, ssrc: UInt32,
        csrcs: [UInt32] = []
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.csrcs = csrcs
    }

    /// Appends the header, and the extension block where one of `extensions` has an id; the payload follows.
    package func append(to packet: inout [UInt8], extensions: HeaderExtensions, map: ExtensionMap) {
        let start = packet.count
        let listed = csrcs.prefix(15)
        packet.append(u8: 2 << 6 | UInt8(listed.count))
        packet.append(u8: (marker ? 0x80 : 0) | payloadType & 0x7f)
        packet.append(u16: sequenceNumber)
        packet.append(u32: timestamp)
        packet.append(u32: ssrc)
        for csrc in listed { packet.append(u32: csrc) }
        let block = packet.count
        extensions.append(to: &packet, map: map)
        if packet.count > block { packet[start] |= Self.extensionBit }
    }

    static let paddingBit: UInt8 = 0x20
    static let extensionBit: UInt8 = 0x10
}
