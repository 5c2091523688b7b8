import DequeModule
import Timebase

/// The last packets of a stream of sound, for the RED payloads of those that follow (RFC 2198).
package struct RedundancyHistory: Sendable {
    private struct Packet: Sendable {
        var timestamp: Int64
        var bytes: [UInt8]
    }

    /// The oldest first.
    private var packets: Deque<Packet> = []

    package init() {}

    /// The RED payload of a packet, with copies of up to `levels` packets sent before it.
    ///
    /// Copies never skip a packet, so that a receiver can tell their sequence numbers: a packet that can't be copied
    /// (too long, too old) ends the row. They are left out too where they make the payload longer than a datagram
    /// takes.
    ///
    /// - Parameters:
    ///   - timestamp: unwrapped, in RTP units. Packets come in the order in which they are sent.
    ///   - payloadType: that of the copies and of the packet itself.
    package mutating func wrap(
        _ bytes: [UInt8], timestamp: Int64, payloadType: UInt8, levels: Int
    ) -> [UInt8] {
        var room = Limits.defaultPayloadSize - bytes.count - 1
        var copies: [(timestampOffset: Int64, bytes: [UInt8])] = []
        for packet in packets.reversed().prefix(levels) {
            let offset = timestamp.subtractingSaturating(packet.timestamp)
            room -= packet.bytes.count + 4
            guard (1...Limits.redundantOffset).contains(offset), packet.bytes.count <= Limits.redundantBytes, room >= 0
            else { break }
            copies.append((offset, packet.bytes))
        }
        remember(bytes, timestamp: timestamp)
        var payload: [UInt8] = []
        payload.reserveCapacity(Limits.defaultPayloadSize)
        RedundantPayload.append(
            primary: bytes, payloadType: payloadType, redundant: copies.reversed(), to: &payload)
        return payload
    }

    /// A packet that is sent as it is.
    package mutating func remember(_ bytes: [UInt8], timestamp: Int64) {
        if packets.count >= Limits.redundancyLevels { packets.removeFirst() }
        packets.append(Packet(timestamp: timestamp, bytes: bytes))
    }
}
