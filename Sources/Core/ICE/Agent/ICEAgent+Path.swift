import Datagrams
import Timebase

/// The pair media takes: chosen, moved, kept, lost.
extension ICEAgent {
    /// Media may flow on any valid pair before one is selected (RFC 8445 § 12.1); the first will do.
    mutating func use(_ entry: CheckedPair) {
        setPath(entry, isSelected: false)
        if let pair = path?.pair { emit(.validPair(pair)) }
    }

    /// ICE is concluded on this pair (RFC 8445 § 8.1.2).
    mutating func select(_ entry: CheckedPair) {
        setPath(entry, isSelected: true)
        session.nomination.selected(entry.addresses, at: now)
        session.checklist.dropTriggered()
        transactions.removeAll { $0.purpose == .nomination }
        // A better pair may still come in the first seconds; the others need no more packets.
        let idle = session.checklist.cancel { $0.pair.quality <= entry.pair.quality }
        for id in idle { transactions.cancel(id) }
        if let pair = path?.pair { emit(.selectedPair(pair)) }
    }

    private mutating func setPath(_ entry: CheckedPair, isSelected: Bool) {
        guard let remote = session.remote else { return }
        let isSame = path?.addresses == entry.addresses && path?.remote == remote
        let consent =
            (isSame ? path?.consent : nil)
            ?? Consent(
                answeredAt: entry.answeredAt ?? now, interval: Consent.interval(using: &random),
                isReliable: entry.pair.isOverTCP)
        path = ActivePath(
            pair: entry.validPair, local: session.local, remote: remote, isSelected: isSelected, consent: consent)
        if !isSame {
            roundTrips.begin(with: entry.roundTrip)
            transactions.removeAll { $0.purpose == .consent }
        }
    }

    // MARK: Moves

    /// The controlled side goes where the peer's nomination points, once our own check there was answered.
    mutating func follow(_ entry: CheckedPair) {
        guard let path, path.isSelected, path.belongs(to: session) else { return select(entry) }
        guard path.addresses != entry.addresses else { return }
        if !path.consent.isUnheard {
            let current = session.checklist[path.addresses]
            if session.nomination.isSettling(at: now) {
                guard let current, outdoes(entry, current) else { return }
            } else if let current, isAbandoned(entry, for: current) {
                return
            }
        }
        select(entry)
    }

    /// What was nominated long ago may only have been checked again, in a silence that is over: the peer has asked on the
    /// other since. A little later says nothing: while our own check is under way, the peer may ask on both.
    private func isAbandoned(_ entry: CheckedPair, for current: CheckedPair) -> Bool {
        guard let asked = current.askedAt else { return false }
        return entry.askedAt.map { asked - $0 >= Limits.abandonedTime } ?? true
    }

    /// RFC 8445 § 8.1.1: of several nominated pairs, "the pairs with the highest priority". As high is a pair of the same
    /// candidate of the peer's: where nothing is asked on the other any more, its NAT has given it another address.
    private func outdoes(_ entry: CheckedPair, _ current: CheckedPair) -> Bool {
        if entry.priority != current.priority { return entry.priority > current.priority }
        return current.askedAt.map { now - $0 >= Limits.abandonedTime } ?? true
    }

    /// What only the peer can have protected came on these addresses. Where they were not seen to work, its NAT has given it
    /// another address: that is checked as if the peer had asked for it, which it will do only at its next check.
    /// - Returns: whether they are new.
    package mutating func heardMedia(on addresses: AddressPair, at now: Instant) -> Bool {
        guard let path, path.addresses != addresses else { return false }
        tick(now)
        let known = session.checklist[addresses]
        if let known, known.isValid {
            returnTo(known)
            return false
        }
        let isBeingChecked = known?.isInProgress == true && (known?.isNominated == true || role == .controlling)
        guard path.isSelected, path.belongs(to: session), !isBeingChecked else { return true }
        learn(
            IncomingCheck(
                addresses: addresses, sender: path.remote.ufrag, priority: path.pair.remoteCandidate.priority,
                usesCandidate: true))
        hasNews = true
        return true
    }

    /// The controlling side, long since settled, hears the peer from a new address: it asks the selected pair for a
    /// sign of life, and moves if there is none.
    mutating func considerMove(to entry: CheckedPair) {
        guard let path, path.isSelected, path.belongs(to: session), path.addresses != entry.addresses,
            session.nomination.pending == nil, session.nomination.challenge == nil,
            !session.nomination.isSettling(at: now), let asked = entry.askedAt, asked > path.consent.answeredAt
        else { return }
        session.nomination.challenge = Nomination.Challenge(pair: entry.addresses, startedAt: now)
        checkConsent()
    }

    /// RFC 8445 § 8.1.1, and the two cases in which a choice is changed.
    mutating func nominate() {
        guard role == .controlling, session.remote != nil else { return }
        guard let choice = challengeWinner() ?? silenceWinner() ?? regularChoice() else { return }
        session.nomination.pending = choice
        session.checklist.trigger(choice)
    }

    private func regularChoice() -> AddressPair? {
        session.nomination.choice(of: session.checklist, listIsComplete: session.listIsComplete, at: now)
    }

    private func silenceWinner() -> AddressPair? {
        guard let path, path.isSelected, path.belongs(to: session), path.consent.mayBeLeft(at: now) else {
            return nil
        }
        return session.nomination.replacement(in: session.checklist)
    }

    private mutating func challengeWinner() -> AddressPair? {
        guard let challenge = session.nomination.challenge, let path else { return nil }
        if path.consent.answeredAt >= challenge.startedAt {
            session.nomination.challenge = nil
            return nil
        }
        guard now >= challenge.due else { return nil }
        session.nomination.challenge = nil
        return session.checklist[challenge.pair]?.isValid == true ? challenge.pair : nil
    }

    // MARK: Life and death

    /// A TCP connection is gone, or none came about. Its pair has failed; where media goes there, the others are tried
    /// at once, and a consent check asks for another connection, if our side is the active one.
    package mutating func connectionLost(local: TransportAddress, remote: TransportAddress, at now: Instant) {
        tick(now)
        let addresses = AddressPair(local: local, remote: remote)
        transactions.removeAll { $0.addresses == addresses }
        if session.nomination.pending == addresses { session.nomination.pending = nil }
        if session.nomination.challenge?.pair == addresses { session.nomination.challenge = nil }
        session.checklist.update(addresses) { $0.state = .failed }
        if let entry = session.checklist[addresses] { session.checklist.unfreeze(entry.foundation) }
        if let path, path.addresses == addresses {
            self.path?.lostConnections += 1
            self.path?.consent.hasten(to: path.consent.isSilent ? now + Limits.reconnectTime : now)
            fallSilent()
        }
        hasNews = true
    }

    /// An authenticated message came on these addresses.
    mutating func heard(on addresses: AddressPair) {
        guard path?.addresses == addresses else { return }
        path?.lostConnections = 0
        path?.consent.heard(at: now)
    }

    /// A check of the pair in use was answered.
    mutating func consentRenewed() {
        guard path?.consent.answered(at: now) == true else { return }
        path?.recheckAt = nil
        emit(.recovered)
    }

    /// Nothing came although something should have: the pair in use is asked for a sign of life beside the regular checks,
    /// which also tells the peer the address that we have now.
    package mutating func checkPath(at now: Instant) {
        tick(now)
        guard state == .running, let path else { return }
        ask(path, Retransmission(timeout: Limits.consentTime, isRepeated: false, at: now))
        hasNews = true
    }

    /// The regular check, and more of them when answers stay away.
    mutating func keepConsent() {
        guard let path else { return }
        if now >= path.consent.nextCheck { checkConsent() }
        guard now >= path.consent.doubt else { return }
        self.path?.consent.doubted(at: now)
        ask(path, Retransmission(timeout: Limits.consentTime, isRepeated: false, at: now))
    }

    /// For how long the peer has been asked on the pair in use, and nothing was heard of it.
    package func unansweredTime(at now: Instant) -> Duration {
        path?.consent.askedSince.map { now - $0 } ?? .zero
    }

    /// Over TCP: the connection in use was lost, and another did not come about, or was lost as well.
    package var failsToReconnect: Bool { (path?.lostConnections ?? 0) > 1 }

    /// What the last answered check on the pair in use took; once.
    package mutating func takeRoundTrip() -> Duration? {
        defer { lastRoundTrip = nil }
        return lastRoundTrip
    }

    /// While pairs are still chosen among, one that was not taken for the other's sake may be the peer's only one by now.
    private mutating func returnTo(_ entry: CheckedPair) {
        guard role == .controlled, session.nomination.isSettling(at: now), path?.isSelected == true,
            path?.belongs(to: session) == true, entry.isNominated, entry.isFresh(at: now)
        else { return }
        follow(entry)
        hasNews = true
    }

    /// Sends the check that keeps consent (RFC 7675 § 5.1), "transmitted once only".
    mutating func checkConsent() {
        guard let path else { return }
        self.path?.consent.checked(at: now, interval: Consent.interval(using: &random))
        ask(path, Retransmission(timeout: Limits.consentTime, isRepeated: false, at: now))
    }

    private mutating func ask(_ path: ActivePath, _ retransmission: Retransmission) {
        self.path?.consent.asked(at: now)
        // The controlling side repeats its nomination: after a change of its address, the peer can follow. One that had no
        // answer yet is repeated as well.
        let isChosen = path.isSelected || session.nomination.pending == path.addresses
        let isNominated = isChosen && role == .controlling && path.belongs(to: session)
        start(
            .consent, on: path.pair, from: path.local, to: path.remote, usingCandidate: isNominated, retransmission)
    }

    /// "The endpoint MUST cease transmission on that 5-tuple" (RFC 7675 § 5.1). During a restart the new session goes
    /// on.
    mutating func losePath() {
        guard let lost = path else { return }
        path = nil
        if lost.belongs(to: session) || session.hasFailed {
            state = .consentExpired
            transactions.removeAll { _ in true }
            return emit(.consentExpired)
        }
        transactions.removeAll { $0.purpose == .consent }
        if let valid = session.checklist.pairs.first(where: { $0.isValid && $0.isFresh(at: now) }) { return use(valid) }
        // What was valid a while ago has to show it again, or ICE fails.
        for id in session.checklist.recheck() { transactions.remove(id) }
    }
}
