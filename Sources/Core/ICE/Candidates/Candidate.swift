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

    /// Where connections are taken, or made from (RFC 6544 § 4.1). `otherPreference` orders our addresses, as
    /// `localPreference` does, and has 13 bits.
    /// - Parameter address: the listener's; of an active candidate the port says nothing.
    package static func tcp(
        _ tcpType: TCPType, _ address: TransportAddress, otherPreference: UInt16 = Candidate.otherPreference(index: 0)
    ) -> Candidate {
        let port = tcpType == .active ? discardPort : address.port
        let address = TransportAddress(ip: address.ip, port: port, transport: .tcp)
        let preference = UInt32(directionPreference(tcpType)) << 13 | UInt32(min(otherPreference, mostOtherPreference))
        return Candidate(
            foundation: foundation(of: .host, base: address.ip, server: nil, tcpType), transport: .tcp(tcpType),
            priority: priority(of: .host, over: .tcp, localPreference: UInt16(truncatingIfNeeded: preference)),
            address: .ip(address), type: .host, base: address)
    }

    /// Stands for whatever port the system chooses for a connection of ours (RFC 6544 § 4.5).
    package static let discardPort: UInt16 = 9

    /// RFC 6544 § 4.2, for host candidates: "6 for active, 4 for passive, and 2 for S-O".
    private static func directionPreference(_ tcpType: TCPType) -> UInt16 {
        switch tcpType {
        case .active: 6
        case .passive: 4
        case .simultaneousOpen: 2
        }
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
        let tcpType: TCPType? =
            switch base.transport {
            case .udp: nil
            case .tcp: base.port == discardPort ? .active : .passive
            }
        return Candidate(
            foundation: foundation(of: .peerReflexive, base: base.ip, server: nil, tcpType),
            transport: tcpType.map { .tcp($0) } ?? .udp, priority: priority, address: .ip(address),
            type: .peerReflexive, relatedAddress: base, base: base)
    }

    /// An address of the peer that only its check told us. Its foundation is "an arbitrary value, different from the
    /// foundations of all other remote candidates" (RFC 8445 § 7.3.1.3); `prflx:` cannot be in SDP. Over TCP it was
    /// the peer that connected.
    static func remotePeerReflexive(_ address: TransportAddress, priority: UInt32) -> Candidate {
        let range = Limits.priorities
        return Candidate(
            foundation: "prflx:\(address.transport):\(address)",
            transport: address.transport == .tcp ? .tcp(.active) : .udp,
            priority: min(max(priority, range.lowerBound), range.upperBound), address: .ip(address),
            type: .peerReflexive)
    }

    /// Of the address with this index among ours, the most preferred first (RFC 8445 § 5.1.2.1).
    package static func localPreference(index: Int) -> UInt16 { .max - UInt16(clamping: index) }

    /// The same over TCP.
    package static func otherPreference(index: Int) -> UInt16 {
        mostOtherPreference - min(mostOtherPreference, UInt16(clamping: index))
    }

    /// Of 13 bits: the direction has the other three (RFC 6544 § 4.2).
    private static let mostOtherPreference: UInt16 = 8191

    /// RFC 8445 § 5.1.2.1: type preference × 2²⁴ + local preference × 2⁸ + 256 − component ID (1).
    package static func priority(
        of type: CandidateType, over transport: TransportProtocol = .udp, localPreference: UInt16
    ) -> UInt32 {
        type.preference(over: transport) << 24 | UInt32(localPreference) << 8 | 255
    }

    /// How the type ranks, over this transport.
    var typePreference: UInt32 { type.preference(over: TransportProtocol(transport)) }

    /// The value of the PRIORITY attribute: "computed … for the local candidate, but with the candidate type preference
    /// of peer-reflexive candidates" (RFC 8445 § 7.1.1).
    var peerReflexivePriority: UInt32 {
        CandidateType.peerReflexive.preference(over: TransportProtocol(transport)) << 24 | priority & 0xFF_FFFF
    }

    /// Equal for equal type, base address, server address and transport (RFC 8445 § 5.1.1.3): their checksum.
    private static func foundation(
        of type: CandidateType, base: IPAddress, server: IPAddress?, _ tcpType: TCPType? = nil
    ) -> String {
        let transport = tcpType.map { " tcp \($0.rawValue)" } ?? ""
        let text = Array("\(type.rawValue) \(base) \(server.map { "\($0)" } ?? "-")\(transport)".utf8)
        return String(text.read { CRC32.checksum(of: $0, upTo: $0.byteCount) })
    }
}
