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
    /// Routers may have let it overtake the others: it tells nothing of their queue.
    package var isFavoured: Bool

    /// It was told of as lost before, and came all the same.
    package var wasLost: Bool
    /// Bytes that were under way with it when it left.
    package var inFlight: Int

    package init(
        number: Int64, sentAt: Instant, bytes: Int, arrival: Duration?, isFavoured: Bool = false, wasLost: Bool = false,
        inFlight: Int = 0
    ) {
        self.number = number
        self.sentAt = sentAt
        self.bytes = bytes
        self.arrival = arrival
        self.isFavoured = isFavoured
        self.wasLost = wasLost
        self.inFlight = inFlight
    }
}
