import Datagrams

/// `tcptype` (RFC 6544 § 4.5).
package enum TCPType: String, Hashable, Sendable {
    case active
    case passive
    case simultaneousOpen = "so"
}

/// The transport of a candidate. The agent uses UDP, and TCP from an active candidate to a passive one.
package enum CandidateTransport: Hashable, Sendable {
    case udp
    case tcp(TCPType?)
    case other(String)

    /// Whether checks are sent from a local candidate of this kind to a remote one: a passive candidate waits for
    /// connections, so "any pair for which the local candidate is a passive TCP candidate" is left out (RFC 6544
    /// § 6.2).
    func isCheckedWith(_ remote: CandidateTransport) -> Bool {
        switch (self, remote) {
        case (.udp, .udp), (.tcp(.active), .tcp(.passive)): true
        case (.udp, _), (.tcp, _), (.other, _): false
        }
    }

    /// Whether a candidate of the peer's may be sent checks at all.
    var isReachable: Bool { self == .udp || self == .tcp(.passive) }
    /// Whether one of ours may be had.
    var isLocal: Bool { self == .udp || self == .tcp(.passive) || self == .tcp(.active) }
}

extension TransportProtocol {
    init(_ transport: CandidateTransport) {
        switch transport {
        case .tcp: self = .tcp
        case .udp, .other: self = .udp
        }
    }
}
