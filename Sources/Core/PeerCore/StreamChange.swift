import RTP
import Timebase

/// Notices that another stream came in place of one: a server keeps its viewers while its publisher comes back, and hands
/// on what that one sends as it is. For a second nothing came but packets with another name, or packets far behind with
/// numbers that rise (RFC 3550 § A.1). What is far ahead is a loss like any other.
struct StreamChange {
    /// Three packets at least.
    private var other: (ssrc: UInt32, number: UInt16, since: Instant, packets: Int)?
    private(set) var hasHappened = false

    /// - Parameter stream: what is received, as far as it is known.
    mutating func note(_ packet: RTPPacket, of stream: ReceptionStatistics, at now: Instant) {
        let header = packet.header
        // What measures a path may have any name.
        if packet.payload.isEmpty { return }
        let isOther = header.ssrc != stream.ssrc || stream.lateness(header.sequenceNumber) > Limits.latestPacket
        guard isOther else { return other = nil }
        let step = other.map { Int16(bitPattern: header.sequenceNumber &- $0.number) } ?? 0
        guard var other, other.ssrc == header.ssrc, (1...Limits.largestNumberStep).contains(step) else {
            return self.other = (header.ssrc, header.sequenceNumber, now, 1)
        }
        other.number = header.sequenceNumber
        other.packets += 1
        self.other = other
        hasHappened = other.packets >= 3 && now - other.since >= Limits.timeOfAnother
    }
}
