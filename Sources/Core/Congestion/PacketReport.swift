import Timebase

/// What feedback says of one packet of ours.
package struct PacketReport: Hashable, Sendable {
    /// Transport-wide, not wrapped.
    package var number: Int64
    package var sentAt: Instant
    /// On the wire, IP header and all.
    package var bytes: Int
    /// On the receiver's clock, whose zero nobody knows; nil where the packet was lost.
    package var arrival: Duration?

    package init(number: Int64, sentAt: Instant, bytes: Int, arrival: Duration?) {
        self.number = number
        self.sentAt = sentAt
        self.bytes = bytes
        self.arrival = arrival
    }
}
