import Datagrams

/// One way to reach an agent (RFC 8445 § 4).
package struct Candidate: Hashable, Sendable {
    package var foundation: String
    package var componentID: UInt16
    package var transport: CandidateTransport
    package var priority: UInt32
    package var address: CandidateAddress
    package var type: CandidateType
    /// `raddr` and `rport` (RFC 8839 § 5.1): the base of a reflexive candidate, for diagnosis.
    package var relatedAddress: TransportAddress?
    /// The `ufrag` extension that says which ICE session a trickled candidate is of (RFC 8840 § 4.1).
    package var ufrag: String?
    /// A local candidate's base: the socket it is sent from (RFC 8445 § 4). Nil for a remote one.
    package var base: TransportAddress?

    package init(
        foundation: String, componentID: UInt16 = 1, transport: CandidateTransport = .udp, priority: UInt32,
        address: CandidateAddress, type: CandidateType, relatedAddress: TransportAddress? = nil, ufrag: String? = nil,
        base: TransportAddress? = nil
    ) {
        self.foundation = foundation
        self.componentID = componentID
        self.transport = transport
        self.priority = priority
        self.address = address
        self.type = type
        self.relatedAddress = relatedAddress
        self.ufrag = ufrag
        self.base = base
    }

    /// A local address of ours. `localPreference` orders our addresses and must differ between them (RFC 8445
    /// § 5.1.2.1).
    package static func host(_ address: TransportAddress, localPreference: UInt16 = 65_535) -> Candidate {
        Candidate(
            foundation: foundation(of: .host, base: address.ip, server: nil),
            priority: priority(of: .host, localPreference: localPreference), address: .ip(address), type: .host,
            base: address)
    }

    /// What a STUN server sees `base` as.
    package static func serverReflexive(
        _ address: TransportAddress, base: TransportAddress, server: IPAddress, localPreference: UInt16 = 65_535
    ) -> Candidate {
        Candidate(
            foundation: foundation(of: .serverReflexive, base: base.ip, server: server),
            priority: priority(of: .serverReflexive, localPreference: localPreference), address: .ip(address),
            type: .serverReflexive, relatedAddress: base, base: base)
    }

    /// What a TURN server relays from; it is its own base (RFC 8445 § 5.1.1.2). `localPreference` orders relays: one over
    /// UDP before one over TCP.
    /// - Parameter mapped: the address the server saw the request come from (RFC 8839 § 5.1); nil where it is not to be
    ///   told.
    package static func relayed(
        _ address: TransportAddress, mapped: TransportAddress?, server: IPAddress, localPreference: UInt16 = 65_535
    ) -> Candidate {
        let hidden = TransportAddress(ip: address.ip.isIPv6 ? .v6(high: 0, low: 0) : .v4(0), port: 9)
        return Candidate(
            foundation: foundation(of: .relayed, base: address.ip, server: server),
            priority: priority(of: .relayed, localPreference: localPreference), address: .ip(address), type: .relayed,
            relatedAddress: mapped ?? hidden, base: address)
    }

    /// What the peer sees `base` as; `priority` was in the request that found it (RFC 8445 § 7.2.5.3.1).
    static func localPeerReflexive(
        _ address: TransportAddress, base: TransportAddress, priority: UInt32
    ) -> Candidate {
        Candidate(
            foundation: foundation(of: .peerReflexive, base: base.ip, server: nil), priority: priority,
            address: .ip(address), type: .peerReflexive, relatedAddress: base, base: base)
    }

    /// An address of the peer that only its check told us. Its foundation is "an arbitrary value, different from the
    /// foundations of all other remote candidates" (RFC 8445 § 7.3.1.3); `prflx:` cannot be in SDP.
    static func remotePeerReflexive(_ address: TransportAddress, priority: UInt32) -> Candidate {
        let range = Limits.priorities
        return Candidate(
            foundation: "prflx:\(address)", priority: min(max(priority, range.lowerBound), range.upperBound),
            address: .ip(address), type: .peerReflexive)
    }

    /// RFC 8445 § 5.1.2.1: type preference × 2²⁴ + local preference × 2⁸ + 256 − component ID (1).
    package static func priority(of type: CandidateType, localPreference: UInt16) -> UInt32 {
        type.preference << 24 | UInt32(localPreference) << 8 | 255
    }

    /// The value of the PRIORITY attribute: "computed … for the local candidate, but with the candidate type preference
    /// of peer-reflexive candidates" (RFC 8445 § 7.1.1).
    var peerReflexivePriority: UInt32 {
        CandidateType.peerReflexive.preference << 24 | priority & 0xFF_FFFF
    }

    /// Equal for equal type, base address and server address, all UDP (RFC 8445 § 5.1.1.3): their checksum.
    private static func foundation(of type: CandidateType, base: IPAddress, server: IPAddress?) -> String {
        let text = Array("\(type.rawValue) \(base) \(server.map { "\($0)" } ?? "-")".utf8)
        return String(text.read { CRC32.checksum(of: $0, upTo: $0.byteCount) })
    }
}
