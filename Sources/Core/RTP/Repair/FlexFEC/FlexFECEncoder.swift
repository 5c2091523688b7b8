import Datagrams
import DequeModule

/// Makes repair packets for groups of a stream's source packets (RFC 8627), in a window that slides: each covers groups
/// before as well. Where round trips are long that is many groups, every time by another pattern: what one group's repair
/// packets could not recover comes back with the next groups' ones, a picture or a few later and before it could be sent
/// again: a burst of losses as well as what single ones add up to. Where they are short it is the group before, in the
/// same equations: what waits to be sent again must not make others wait.
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
    /// - Parameters:
    ///   - repairPackets: how many repair packets it gets.
    ///   - isFar: later groups' repair packets come before what is sent again.
    /// - Returns: their payloads.
    package mutating func finish(repairPackets: Int, isFar: Bool) -> [[UInt8]] {
        slide(keepsAll: isFar)
        let count = self.count
        let repairPackets = min(repairPackets, count, FlexFECPattern.mostRepairPackets)
        defer {
            groups.append(Group(count: count, madeBefore: made))
            made += max(0, repairPackets)
        }
        guard repairPackets > 0 else { return [] }
        let own = FlexFECPattern.memberships(of: isFar ? count : strings.count, in: repairPackets)
        return (0..<repairPackets).compactMap { index in
            let members = own.indices.filter { own[$0] >> UInt16(index) & 1 == 1 }.map { $0 + strings.count - own.count }
            return payload(of: isFar ? olderMembers(of: made + index) + members : members)
        }
    }

    /// What a mask has no room for, or too many repair packets have covered, leaves the window.
    private mutating func slide(keepsAll: Bool) {
        while let oldest = groups.first,
            strings.count > FlexFECHeader.longestMask || made - oldest.madeBefore >= FlexFECPattern.longestAge
                || !keepsAll && groups.count > 1
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
