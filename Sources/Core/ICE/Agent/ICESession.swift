import Datagrams
import Timebase

/// Everything that an ICE restart begins anew (RFC 8445 § 9): credentials, the peer's candidates, checks, the choice.
struct ICESession {
    let local: ICECredentials
    /// Nil until the answer has come.
    var remote: ICECredentials?
    var candidates = RemoteCandidates()
    var checklist = Checklist()
    var nomination = Nomination()
    /// Authenticated checks that came before the peer's password (RFC 8445 § 7.3).
    private(set) var earlyChecks: [IncomingCheck] = []
    /// End of candidates (RFC 8838 § 14).
    var listIsComplete = false
    /// When the checks could begin: both sides' credentials were known (RFC 8863 § 4).
    private(set) var startedAt: Instant?
    var hasFailed = false

    init(local: ICECredentials) {
        self.local = local
    }

    mutating func start(with remote: ICECredentials, at now: Instant) {
        self.remote = remote
        startedAt = now
    }

    /// Keeps the newest; a peer repeats its checks.
    mutating func remember(_ check: IncomingCheck) {
        earlyChecks.removeAll { $0.addresses == check.addresses && !($0.usesCandidate && !check.usesCandidate) }
        if earlyChecks.count >= Limits.earlyChecks { earlyChecks.removeFirst() }
        earlyChecks.append(check)
    }

    /// The remembered checks that the peer with these credentials sent.
    mutating func takeEarlyChecks(of remote: ICECredentials) -> [IncomingCheck] {
        defer { earlyChecks = [] }
        return earlyChecks.filter { $0.sender == remote.ufrag }
    }

    /// When pairs over TCP have their turn.
    var connectionStart: Instant? { startedAt.map { $0 + Limits.headStart } }

    /// When ICE fails if no pair is valid by then.
    var connectionLimit: Instant? { startedAt.map { $0 + Limits.connectionTime } }
}

/// An authenticated check of the peer's, as far as it matters after it was answered.
struct IncomingCheck: Hashable {
    let addresses: AddressPair
    /// The peer's own user name fragment.
    let sender: String
    let priority: UInt32
    let usesCandidate: Bool
}
