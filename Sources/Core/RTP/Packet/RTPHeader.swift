import Datagrams

/// The fixed RTP header and its CSRC list (RFC 3550 § 5.1).
package struct RTPHeader: Hashable, Sendable {
    /// Bytes without CSRCs and extension.
    package static let fixedSize = 12

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

    /// Appends the header without an extension block; the payload follows.
    package func append(to packet: inout [UInt8]) {
        append(to: &packet, hasExtension: false)
    }

    /// Appends the header and the extension block; the payload follows.
    ///
    /// The result says where the value of abs-send-time stands in `packet`, so that it can be renewed when the packet
    /// really leaves (`AbsoluteSendTime.write`); nil where it isn't carried.
    @discardableResult
    package func append(
        to packet: inout [UInt8], extensions: HeaderExtensions, map: ExtensionMap
    ) -> Int? {
        let start = packet.count
        append(to: &packet, hasExtension: true)
        let block = packet.count
        let sendTime = extensions.append(to: &packet, map: map)
        if packet.count == block { packet[start] &= ~Self.extensionBit }
        return sendTime
    }

    /// Appends `count` bytes of padding to a packet that fills the array, and sets its P bit (RFC 3550 § 5.1).
    package static func appendPadding(_ count: UInt8, to packet: inout [UInt8]) {
        guard count > 0, packet.count >= fixedSize else { return }
        packet[0] |= paddingBit
        packet.append(contentsOf: repeatElement(0, count: Int(count) - 1))
        packet.append(count)
    }

    static let paddingBit: UInt8 = 0x20
    static let extensionBit: UInt8 = 0x10

    private func append(to packet: inout [UInt8], hasExtension: Bool) {
        let listed = csrcs.prefix(15)
        packet.append(u8: 2 << 6 | (hasExtension ? Self.extensionBit : 0) | UInt8(listed.count))
        packet.append(u8: (marker ? 0x80 : 0) | payloadType & 0x7f)
        packet.append(u16: sequenceNumber)
        packet.append(u32: timestamp)
        packet.append(u32: ssrc)
        for csrc in listed { packet.append(u32: csrc) }
    }
}
