import Timebase

/// A pair on the checklist (RFC 8445 § 6.1.2.6).
///
///     frozen ──► waiting ──► inProgress ──► succeeded
///                   ▲             │
///                   │             └───────► failed
///                   └── a check of the peer's, a new round, no answer and no other pair ──┘
struct CheckedPair {
    enum State: Hashable {
        /// Not before another pair of the same foundation was tried.
        case frozen
        /// To be checked when its turn comes.
        case waiting
        case inProgress(TransactionID)
        /// Its check was answered: a valid pair, on which media may flow (RFC 8445 § 12.1).
        case succeeded
        case failed
    }

    var pair: CandidatePair
    var state: State
    var priority: UInt64
    /// The local candidate of the valid pair: what our socket looks like from there (RFC 8445 § 7.2.5.3.2).
    var mappedCandidate: Candidate?
    /// When our check was last answered.
    var answeredAt: Instant?
    /// What the last check took that was answered at the first try.
    var roundTrip: Duration?
    /// When the peer last sent an authenticated check on it.
    var askedAt: Instant?
    /// The controlling peer wants this pair; it counts once our own check is answered (RFC 8445 § 7.3.1.5).
    var isNominated = false

    init(_ pair: CandidatePair, state: State, role: ICERole) {
        self.pair = pair
        self.state = state
        priority = pair.priority(role)
    }

    var addresses: AddressPair { pair.addresses }
    var isValid: Bool { state == .succeeded }

    var isPending: Bool {
        switch state {
        case .frozen, .waiting, .inProgress: true
        case .succeeded, .failed: false
        }
    }

    var isInProgress: Bool {
        switch state {
        case .inProgress: true
        case .frozen, .waiting, .succeeded, .failed: false
        }
    }

    var foundation: PairFoundation {
        PairFoundation(local: pair.localCandidate.foundation, remote: pair.remoteCandidate.foundation)
    }

    /// The pair with the local candidate that the peer sees.
    var validPair: CandidatePair {
        var valid = pair
        if let mappedCandidate { valid.localCandidate = mappedCandidate }
        return valid
    }

    func isFresh(at now: Instant) -> Bool {
        answeredAt.map { now - $0 <= Limits.freshness } ?? false
    }
}

/// "The combination of the foundations of the local and remote candidates" (RFC 8445 § 6.1.2.6).
struct PairFoundation: Hashable {
    let local: String
    let remote: String
}
