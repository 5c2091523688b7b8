import Datagrams

/// How an address was found (RFC 8445 § 4), with its word in SDP (RFC 8839 § 5.1).
package enum CandidateType: String, Hashable, Sendable {
    case host
    case serverReflexive = "srflx"
    case peerReflexive = "prflx"
    case relayed = "relay"

    /// RFC 8445 § 5.1.2.2: "126 for host candidates, 110 for peer-reflexive candidates, 100 for server-reflexive
    /// candidates, and 0 for relayed candidates".
    var preference: UInt32 {
        switch self {
        case .host: 126
        case .peerReflexive: 110
        case .serverReflexive: 100
        case .relayed: 0
        }
    }

    /// RFC 6544 § 4.2: where UDP is preferred, as it is for media, its candidates have the higher type preferences;
    /// relays stay below all others. The numbers are Chromium's.
    func preference(over transport: TransportProtocol) -> UInt32 {
        switch (transport, self) {
        case (.udp, _), (.tcp, .relayed): preference
        case (.tcp, .host): 90
        case (.tcp, .peerReflexive): 80
        case (.tcp, .serverReflexive): 70
        }
    }
}
