/// `tcptype` (RFC 6544 § 4.5).
package enum TCPType: String, Hashable, Sendable {
    case active
    case passive
    case simultaneousOpen = "so"
}

/// The transport of a candidate. The agent uses UDP and ignores the others.
package enum CandidateTransport: Hashable, Sendable {
    case udp
    case tcp(TCPType?)
    case other(String)
}
