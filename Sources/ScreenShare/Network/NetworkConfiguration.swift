import PeerDriver

/// How media finds its way: one UDP port serves all viewers, and one of TCP those whose network lets no UDP through.
public struct NetworkConfiguration: Hashable, Sendable {
    /// 0 lets the system choose.
    public var udpPort: UInt16 = 0
    /// Whether TCP is used where UDP does not get through (RFC 6544): a share takes connections, at the same port where
    /// that is free, a view makes them.
    public var usesTCP = true
    /// Whether pictures ask routers for AF41 and sound for EF (RFC 8837): a network that knows these treats them as a call's.
    /// And whether routers may mark them instead of dropping them, where the other side tells of it (ECN, RFC 6679).
    public var marksPackets = true
    /// The local IP addresses to use, the preferred first, or interfaces such as `eth0`, which stand for those that they have
    /// at the start; empty: all but link-local, those that come later too, and loopback only where there is nothing else.
    /// Eight at most. A view whose signaling server is on loopback reaches the sharer from there too, and tells nobody of
    /// that.
    public var interfaces: [String] = []
    /// STUN servers (`stun:host[:port]`, RFC 7064) that tell our address outside a NAT. Their names are looked up at
    /// the start, and again while none of them answers.
    public var stunServers: [String] = []
    /// TURN servers that relay media where two can't reach each other, the preferred first; four at most.
    public var turnServers: [TURNServer] = []
    /// Tells and uses nothing but the relays' addresses: the other side does not learn ours, nor can it send there.
    public var relayOnly = false

    /// Any port, UDP and TCP, all addresses, and nobody else's server is asked.
    public init() {}

    /// Whether a text is a STUN server's URL (RFC 7064): `stun:host[:port]`.
    public static func isSTUNServer(_ url: String) -> Bool {
        STUNServer.uri(url) != nil
    }
}
