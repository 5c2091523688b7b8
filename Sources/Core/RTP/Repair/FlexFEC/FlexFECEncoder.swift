import Datagrams

/// Makes repair packets for groups of a stream's source packets (RFC 8627), in a window that slides: each covers the group
/// before as well, so that what one group's repair packets could not recover may still come back with the next one's,
/// sooner than after a round trip.
package struct FlexFECEncoder: Sendable {
    private var strings: [FlexFECBitString] = []
    private var first: UInt16 = 0
    /// How many of them belong to the group before.
    private var older = 0

    package init() {}

    /// Source packets of the present group.
    package var count: Int { strings.count - older }

    /// Takes an unprotected source packet that leaves; sequence numbers ascend by one.
    package mutating func add(_ packet: [UInt8], sequenceNumber: UInt16) {
        if strings.isEmpty { first = sequenceNumber }
        strings.append(FlexFECBitString(packet: packet) ?? FlexFECBitString())
    }

    /// The group ends.
    ///
    /// - Parameter repairPackets: how many repair packets it gets.
    /// - Returns: their payloads.
    package mutating func finish(repairPackets: Int) -> [[UInt8]] {
        defer { slide() }
        let repairPackets = min(repairPackets, count, FlexFECPattern.mostRepairPackets)
        guard repairPackets > 0 else { return [] }
        let memberships = FlexFECPattern.memberships(of: strings.count, in: repairPackets)
        return (0..<repairPackets).compactMap { index in
            payload(of: memberships.indices.filter { memberships[$0] >> UInt16(index) & 1 == 1 })
        }
    }

    private mutating func slide() {
        strings.removeFirst(older)
        first &+= UInt16(truncatingIfNeeded: older)
        older = strings.count
    }

    private func payload(of members: [Int]) -> [UInt8]? {
        guard let lowest = members.first else { return nil }
        var sum = FlexFECBitString()
        for member in members { sum.add(strings[member]) }
        guard sum.bytes.count >= FlexFECHeader.recoveryBytes else { return nil }
        var payload: [UInt8] = []
        payload.reserveCapacity(sum.bytes.count + 16)
        payload.append(sum.bytes[0] & 0x3f)
        payload.append(contentsOf: sum.bytes[1..<FlexFECHeader.recoveryBytes])
        FlexFECHeader(
            baseSequenceNumber: first &+ UInt16(lowest), offsets: members.map { $0 - lowest }
        ).append(to: &payload)
        payload.append(contentsOf: sum.bytes[FlexFECHeader.recoveryBytes...])
        return payload
    }
}
