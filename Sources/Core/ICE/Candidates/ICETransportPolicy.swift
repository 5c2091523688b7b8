/// Which of our addresses a peer may learn (RFC 8828 § 5.2, mode 4; `iceTransportPolicy` in browsers).
package enum ICETransportPolicy: Hashable, Sendable {
    case all
    /// Only relayed addresses are told, paired and answered from.
    case relayOnly

    package func allows(_ candidate: Candidate) -> Bool {
        switch self {
        case .all: true
        case .relayOnly: candidate.type == .relayed
        }
    }
}
