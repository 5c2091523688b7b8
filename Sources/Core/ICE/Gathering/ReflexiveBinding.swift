import Datagrams
import Timebase

/// What one STUN server knows about one socket of ours.
struct ReflexiveBinding {
    enum State {
        /// The next request leaves then: the first, a refresh, or another try.
        case waiting(until: Instant)
        case asking(TransactionID, Retransmission)
    }

    let base: TransportAddress
    let server: TransportAddress
    let localPreference: UInt16
    var state: State
    /// The socket's address as the server sees it.
    var mapped: TransportAddress?
    /// The server has answered, or was given up once.
    var hasResult = false

    var due: Instant {
        switch state {
        case .waiting(let until): until
        case .asking(_, let retransmission): retransmission.due
        }
    }

    var isWaiting: Bool {
        switch state {
        case .waiting: true
        case .asking: false
        }
    }

    func isAsking(_ id: TransactionID) -> Bool {
        switch state {
        case .waiting: false
        case .asking(let asked, _): asked == id
        }
    }

    /// Nil where there is no NAT: the candidate would equal the host candidate (RFC 8445 § 5.1.3).
    var candidate: Candidate? {
        guard let mapped, mapped != base else { return nil }
        return .serverReflexive(mapped, base: base, server: server.ip, localPreference: localPreference)
    }
}
