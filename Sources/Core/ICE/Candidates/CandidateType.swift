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
}
