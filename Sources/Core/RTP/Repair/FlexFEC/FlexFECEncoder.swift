import Datagrams
import DequeModule

/// Makes repair packets for groups of a stream's source packets (RFC 8627), in a window that slides: each covers the groups
/// before as well, every time by another pattern. What one group's repair packets could not recover comes back with the
/// next groups' ones, a picture or a few later and sooner than after a long round trip: a burst of losses as well as what
/// single ones add up to.
package struct FlexFECEncoder: Sendable {
    /// Source packets whose repair packets have been made.
    private struct Group: Sendable {
        var count: Int
        /// Repair packets that had been made before it ended.
        var madeBefore: Int
    }

    private var strings: Deque<FlexFECBitString> = []
    private var groups: Deque<Group> = []
    /// The sequence number of the window's first packet.
    private var first: UInt16 = 0
    /// Repair packets so far.
    private var made = 0

    package init() {}

    /// Source packets of the present group.
    package var count: Int { strings.count - groups.reduce(0) { $0 + $1.count } }

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
        slide()
        let count = self.count
        let repairPackets = min(repairPackets, count, FlexFECPattern.mostRepairPackets)
        defer {
            groups.append(Group(count: count, madeBefore: made))
            made += max(0, repairPackets)
        }
        guard repairPackets > 0 else { return [] }
        let own = FlexFECPattern.memberships(of: count, in: repairPackets)
        return (0..<repairPackets).compactMap { index in
            let members = olderMembers(of: made + index) + own.indices.filter { own[$0] >> UInt16(index) & 1 == 1 }
                .map { $0 + strings.count - count }
            return payload(of: members)
        }
    }

    /// What a mask has no room for, or too many repair packets have covered, leaves the window.
    private mutating func slide() {
        while let oldest = groups.first,
            strings.count > FlexFECHeader.longestMask || made - oldest.madeBefore >= FlexFECPattern.longestAge
        {
            strings.removeFirst(oldest.count)
            groups.removeFirst()
            first &+= UInt16(truncatingIfNeeded: oldest.count)
        }
    }

    /// Which packets of the groups before stand in a repair packet, as places in the window.
    private func olderMembers(of repairPacket: Int) -> [Int] {
        var members: [Int] = []
        var place = 0
        for group in groups {
            let age = repairPacket - group.madeBefore
            for index in place..<(place + group.count)
            where FlexFECPattern.includes(first &+ UInt16(truncatingIfNeeded: index), age: age) {
                members.append(index)
            }
            place += group.count
        }
        return members
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
