import Datagrams
import Timebase

/// A full ICE agent (RFC 8445) for one peer: one data stream, one component, UDP, and TCP where that does not get
/// through (RFC 6544), trickle (RFC 8838), consent (RFC 7675).
///
/// **Mutate once, then drain:** call one mutating function, then `nextOutput()` until it says `.wait`, and
/// `advance(to:)` at that instant or earlier. Media goes to `sendPair`, which is a pair whose own check was answered.
/// What leaves an active TCP candidate asks for a connection where there is none; one that is gone is told by
/// `connectionLost`.
///
///                        ┌──────── restart ◄────────┬──────────────┐
///                        ▼                          │              │
///     running: checks ─► valid ─► selected ─► (consent lost) consentExpired
///                 │                 │  ▲
///                 │                 └──┘ a better pair, a new address, a new session
///                 └─► failed (30 s without a valid pair)
package struct ICEAgent {
    /// Whether there is a session to work on.
    package enum State: Hashable, Sendable {
        case running
        /// No pair worked in time.
        case failed
        /// The peer stopped answering, or said 403.
        case consentExpired
    }

    let authenticator: any MessageAuthenticator
    let policy: ICETransportPolicy
    var random: any RandomNumberGenerator & Sendable
    package internal(set) var state = State.running
    package internal(set) var role: ICERole
    var tieBreaker: UInt64
    var localCandidates: [Candidate] = []
    var session: ICESession
    /// Where media goes.
    var path: ActivePath?
    var transactions = TransactionTable()
    var pacing = Pacing()
    var outputs = BoundedQueue<ICEOutput>(capacity: Limits.outputs)
    var wake = Wake()
    /// Signaling has changed something. What follows is done at the next drain, so that of several candidates that come
    /// together the best is checked first.
    var hasNews = false
    var now: Instant
    /// No error reply to a stranger before this.
    var nextRefusal: Instant
    /// Of checks on the pair in use that were answered at the first try; the last before it was in use counts.
    var roundTrips = RoundTripSamples()
    /// The middle one of the last three of these; nil before there is one.
    package var roundTripTime: Duration? { roundTrips.middle }
    /// The last of these, until it is taken.
    var lastRoundTrip: Duration?

    /// - Parameters:
    ///   - localCandidates: each with its base, the socket it is sent from.
    ///   - tieBreaker: settles role conflicts (RFC 8445 § 16.1); made from `random` where not given, as the credentials are.
    package init(
        role: ICERole, localCandidates: [Candidate], policy: ICETransportPolicy = .all, tieBreaker: UInt64? = nil,
        authenticator: any MessageAuthenticator, random: any RandomNumberGenerator & Sendable, at now: Instant
    ) {
        var random = random
        self.authenticator = authenticator
        self.policy = policy
        self.now = now
        nextRefusal = now
        self.role = role
        session = ICESession(local: .random(using: &random))
        self.tieBreaker = tieBreaker ?? random.next()
        self.random = random
        for candidate in localCandidates { append(candidate) }
    }

    // MARK: What the owner asks

    /// Ours, for SDP.
    package var localCredentials: ICECredentials { session.local }

    /// The fragments by which checks for this agent can be told: during a restart the old one still counts.
    package var localUfrags: [String] {
        guard let path, !path.belongs(to: session) else { return [session.local.ufrag] }
        return [session.local.ufrag, path.local.ufrag]
    }

    /// Where media goes now; nil where there is no consent to send any.
    package var sendPair: CandidatePair? { path?.pair }
    /// Its socket and the peer's address: all that a packet needs.
    package var sendAddresses: AddressPair? { path?.pair.addresses }
    /// What a datagram's IP header says reaches the network.
    package var keepsHeaders: Bool { path?.isDirect ?? false }
    /// The nominated pair, once there is one.
    package var selectedPair: CandidatePair? { path?.isSelected == true ? path?.pair : nil }

    /// What the last `.wait` said; now, where there is something to drain.
    package var nextWake: Instant { hasNews || !outputs.isEmpty ? now : wake.due }

    // MARK: In: signaling

    /// The peer's credentials: checks begin now. False where this session has others already, which only a restart may
    /// change.
    @discardableResult
    package mutating func setRemote(_ credentials: ICECredentials, at now: Instant) -> Bool {
        tick(now)
        guard session.remote == nil else { return session.remote == credentials }
        session.start(with: credentials, at: self.now)
        for check in session.takeEarlyChecks(of: credentials) { learn(check) }
        hasNews = true
        return true
    }

    /// A candidate from the peer's SDP or trickled, at any time.
    @discardableResult
    package mutating func addRemoteCandidate(_ candidate: Candidate, at now: Instant) -> CandidateOutcome {
        tick(now)
        if let ufrag = candidate.ufrag, let remote = session.remote, ufrag != remote.ufrag { return .unsupported }
        var candidate = candidate
        candidate.base = nil
        let outcome = session.candidates.add(candidate)
        guard outcome == .accepted else { return outcome }
        session.checklist.updateRemote(candidate, role)
        for local in bases { pair(local, candidate) }
        hasNews = true
        return outcome
    }

    /// The peer has no more candidates (RFC 8838 § 14).
    package mutating func endOfRemoteCandidates(at now: Instant) {
        tick(now)
        session.listIsComplete = true
        hasNews = true
    }

    /// Another address of ours: a new interface, or what a STUN server has told meanwhile.
    package mutating func addLocalCandidate(_ candidate: Candidate, at now: Instant) {
        tick(now)
        guard append(candidate), let base = candidate.base, let best = localCandidate(at: base) else { return }
        for remote in session.candidates.all { pair(best, remote) }
        hasNews = true
    }

    /// An address of ours is gone: with its network, or a relay has lost it. Where media goes there the others are tried at
    /// once; it ends by consent, unless another pair takes over before. Its pair is none to be chosen, unless it is answered
    /// after all, as from an address that has come back.
    package mutating func removeLocalCandidates(at base: TransportAddress, at now: Instant) {
        tick(now)
        localCandidates.removeAll { $0.base == base }
        // A session that has just begun has nothing to keep.
        let kept = path.flatMap { $0.belongs(to: session) ? $0.addresses : nil }
        for id in session.checklist.remove(at: base, except: kept) { transactions.remove(id) }
        if session.nomination.pending?.local == base { session.nomination.pending = nil }
        if session.nomination.challenge?.pair.local == base { session.nomination.challenge = nil }
        if let path, path.pair.local == base {
            session.checklist.update(path.addresses) { $0.state = .failed }
            fallSilent()
        }
        hasNews = true
    }

    /// Starts over with new credentials (RFC 8445 § 9); media stays on the old pair until a new one is selected. The
    /// peer's new credentials follow by `setRemote`.
    ///
    /// - Parameter local: ours, where the peer was told of some before.
    @discardableResult
    package mutating func restart(with local: ICECredentials? = nil, at now: Instant) -> ICECredentials {
        tick(now)
        session = ICESession(local: local ?? .random(using: &random))
        transactions.removeAll { $0.purpose != .consent }
        state = .running
        hasNews = true
        return session.local
    }

    /// Follows the peer's restart.
    @discardableResult
    package mutating func restart(remote: ICECredentials, at now: Instant) -> ICECredentials {
        restart(at: now)
        setRemote(remote, at: now)
        return session.local
    }

    // MARK: In: network and time

    /// One STUN message that came from `remote` to our socket `local`.
    /// - Returns: whether it was authenticated: a request by our password, a response by the peer's.
    @discardableResult
    package mutating func receive(
        _ bytes: RawSpan, local: TransportAddress, from remote: TransportAddress, at now: Instant
    ) -> Bool {
        tick(now)
        // What is due comes first: an answer that is too late must not renew consent.
        if self.now >= wake.due { run() }
        guard let message = try? STUNMessage(bytes), message.header.method == .binding, message.hasFingerprint else {
            return false
        }
        // An answer from an address that is not to be told would tell it.
        guard policy == .all || localCandidate(at: local) != nil else { return false }
        let addresses = AddressPair(local: local, remote: remote)
        let isAuthenticated =
            switch message.messageClass {
            case .request: handleRequest(message, bytes, addresses)
            case .success, .error: handleResponse(message, bytes, addresses)
            case .indication: false  // RFC 8445 § 11: keeps a NAT's binding alive, nothing else
            }
        if isAuthenticated { run() }
        return isAuthenticated
    }

    package mutating func advance(to now: Instant) {
        tick(now)
        run()
    }

    // MARK: Out

    package mutating func nextOutput() -> ICEOutput {
        if hasNews { run() }
        return outputs.popFirst() ?? .wait(until: wake.due, wake.reason)
    }

    /// The first part of a check's USERNAME: whose check it is, when one port serves many peers. It proves nothing; nil
    /// for anything but a Binding request.
    package static func localUfrag(of bytes: RawSpan) -> String? {
        guard let message = try? STUNMessage(bytes), message.header.method == .binding,
            message.messageClass == .request
        else { return nil }
        return message.username.flatMap(CheckUsername.init)?.receiver
    }
}
