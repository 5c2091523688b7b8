import Datagrams

/// Who nominates (RFC 8445 § 4).
package enum ICERole: Hashable, Sendable {
    case controlling
    case controlled

    var opposite: ICERole {
        switch self {
        case .controlling: .controlled
        case .controlled: .controlling
        }
    }
}

/// A socket of ours and an address of the peer: what a datagram needs, and what tells two pairs apart, since a
/// reflexive candidate is sent from its base (RFC 8445 § 6.1.2.4).
package struct AddressPair: Hashable, Sendable {
    package var local: TransportAddress
    package var remote: TransportAddress

    package init(local: TransportAddress, remote: TransportAddress) {
        self.local = local
        self.remote = remote
    }
}

/// A local and a remote candidate (RFC 8445 § 4).
package struct CandidatePair: Hashable, Sendable {
    package var localCandidate: Candidate
    package var remoteCandidate: Candidate
    /// The socket to send from: the local candidate's base.
    package var local: TransportAddress
    package var remote: TransportAddress

    /// Nil for a candidate without an address.
    init?(_ local: Candidate, _ remote: Candidate) {
        guard let base = local.base, let address = remote.address.transportAddress else { return nil }
        localCandidate = local
        remoteCandidate = remote
        self.local = base
        self.remote = address
    }

    var addresses: AddressPair { AddressPair(local: local, remote: remote) }
    /// Over TCP, where nothing is lost, and where a check first needs a connection.
    package var isOverTCP: Bool { local.transport == .tcp }
    /// By a relay of ours or the peer's.
    var isRelayed: Bool { localCandidate.type == .relayed || remoteCandidate.type == .relayed }
    /// Datagrams leave as they are, not wrapped for a relay of ours.
    var isDirect: Bool { !isOverTCP && localCandidate.type != .relayed }

    /// RFC 8445 § 6.1.2.3: 2³² × min(G, D) + 2 × max(G, D) + (G > D ? 1 : 0), G being the controlling side's.
    /// Priorities have 31 bits, so nothing overflows.
    func priority(_ role: ICERole) -> UInt64 {
        let (ours, theirs) = (UInt64(localCandidate.priority), UInt64(remoteCandidate.priority))
        let (controlling, controlled) = role == .controlling ? (ours, theirs) : (theirs, ours)
        return (min(ours, theirs) << 32) + 2 * max(ours, theirs) + (controlling > controlled ? 1 : 0)
    }

    /// How direct the way is: the lower type preference of the two as they were listed. A pair of higher quality is
    /// worth moving to, one of higher priority among equals is not.
    var quality: UInt32 { min(localCandidate.typePreference, remoteCandidate.typePreference) }

    static let bestQuality = CandidateType.host.preference
}
