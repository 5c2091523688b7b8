import PeerCore

/// Counters of a viewer.
public struct ViewStatistics: Sendable {
    /// Media may flow now.
    public var isConnected = false
    /// Access units of the sharer's that were handed over; repeats that fill time are not counted.
    public var frames = 0
    /// Of these, without start codes.
    public var bytes = 0
    /// Units left out because what they refer to was lost, or their reader was slow.
    public var skipped = 0
    /// PLIs sent (RFC 4585 § 6.3.1).
    public var keyframeRequests = 0
    /// Packets of pictures that were given up: they came neither in time nor again.
    public var packetsLost = 0
    /// Packets of pictures that were missing, and came by retransmission (RFC 4588) or were computed (RFC 8627).
    public var packetsRecovered = 0
    /// How much sound was handed over, without the sharer's silences.
    public var audioDuration = Duration.zero
    /// Of this, what was lost or late and made up for by in-band FEC or a guess, or was put in to make the delay longer;
    /// copies in later packets (RED, RFC 2198) are no loss.
    public var audioLost = Duration.zero
    /// By how much pictures are shown later than their sound is heard: the median of the last 600. Nil without sound.
    public var videoLag: Duration?
    /// What 95 % of them do not exceed, earlier or later.
    public var videoLag95: Duration?
    /// From the sharer's capture until pictures are shown: the median of the last 600. Right only where both machines'
    /// wall clocks agree; nil until the sharer has told its own (RTCP).
    public var videoDelay: Duration?
    /// Likewise, until pieces of sound are handed over.
    public var audioDelay: Duration?
    /// By ICE's checks; nil before the first answer.
    public var roundTripTime: Duration?
    /// From when the offer was sent until the first picture came; nil before that.
    public var firstPicture: Duration?
    /// How often the session connected.
    public var joins = 0
}

extension ViewStatistics {
    func adding(_ peer: PeerStatistics) -> ViewStatistics {
        var sum = self
        let incoming = peer.incoming ?? IncomingStatistics()
        sum.isConnected = peer.isConnected
        sum.skipped += incoming.unitsSkipped
        sum.keyframeRequests += incoming.keyframeRequests
        sum.packetsLost += incoming.packetsLost
        sum.packetsRecovered += incoming.packetsRecovered
        sum.roundTripTime = peer.roundTripTime ?? roundTripTime
        return sum
    }
}
