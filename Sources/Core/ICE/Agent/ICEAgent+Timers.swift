import Datagrams
import Timebase

/// Everything that time alone brings about. Runs after every change, so that what became possible happens at once.
extension ICEAgent {
    mutating func run() {
        hasNews = false
        if let path, now >= path.consent.expiry { losePath() }
        if state == .running {
            expireConnection()
            stepTransactions()
            watchSilence()
            nominate()
            sendCheck()
            keepConsent()
        }
        wake = nextDue()
    }

    /// RFC 8863 § 4: not before the timer, even where every pair has failed; late candidates and checks still count
    /// until then.
    private mutating func expireConnection() {
        guard let limit = connectionLimit, now >= limit else { return }
        session.hasFailed = true
        if path == nil {
            state = .failed
            transactions.removeAll { _ in true }
        }
        emit(.failed)
    }

    /// Nil once there is a valid pair.
    private var connectionLimit: Instant? {
        if session.hasFailed || session.checklist.hasValidPair || path?.belongs(to: session) == true { return nil }
        return session.connectionLimit
    }

    private mutating func stepTransactions() {
        while let (check, step) = transactions.step(at: now) {
            switch step {
            case .sendAgain:
                transmit(check.bytes, on: check.addresses)
                if let entry = session.checklist[check.addresses] { session.checklist.unfreeze(entry.foundation) }
            case .giveUp: if !check.isCancelled { expired(check) }
            }
        }
    }

    /// Without any other pair, that nothing came back for so long says little of what comes next: it is tried again, until
    /// ICE fails or consent ends.
    private mutating func expired(_ check: CheckTransaction) {
        let hasOther = session.checklist.pairs.contains { $0.isValid && $0.addresses != check.addresses }
        guard !hasOther, check.addresses.local.transport == .udp, session.remote == check.credentials else {
            return failed(check)
        }
        switch check.purpose {
        case .consent: return
        case .nomination: if session.nomination.pending == check.addresses { session.nomination.pending = nil }
        case .check:
            session.checklist.update(check.addresses) { entry in
                if entry.state == .inProgress(check.id) { entry.state = .waiting }
            }
        }
    }

    /// No answer on the pair in use: say so, and try the others.
    private mutating func watchSilence() {
        guard let path else { return }
        if now >= path.consent.silence { fallSilent() }
        guard let recheckAt = self.path?.recheckAt, now >= recheckAt else { return }
        self.path?.recheckAt = now + Limits.recheckInterval
        guard path.belongs(to: session) else { return }
        for id in session.checklist.recheck(except: path.addresses) { transactions.remove(id) }
    }

    /// Once, until the peer answers again.
    mutating func fallSilent() {
        guard let path, !path.consent.isSilent else { return }
        self.path?.consent.fellSilent()
        self.path?.recheckAt = now
        emit(.disconnected)
    }

    // MARK: Checks

    /// At most one check in a call, as the timer Ta demands (RFC 8445 § 6.1.4.2).
    private mutating func sendCheck() {
        guard let remote = session.remote else { return }
        if now >= pacing.triggeredDue, let entry = session.checklist.nextTriggered() {
            start(entry, remote)
        } else if now >= pacing.ordinaryDue, let entry = session.checklist.nextOrdinary(where: { mayBeChecked($0) }) {
            start(entry, remote)
        }
    }

    /// A connection is not asked for before UDP has had its time. What is nominated is being asked already: with each turn it
    /// would be nominated again, and no other would have one.
    private func mayBeChecked(_ entry: CheckedPair) -> Bool {
        isWorthChecking(entry) && entry.addresses != session.nomination.pending
            && (!entry.pair.isOverTCP || session.connectionStart.map { now >= $0 } == true)
    }

    /// Before the end every pair; then only what could be better, or everything when the selected pair is silent.
    private func isWorthChecking(_ entry: CheckedPair) -> Bool {
        if session.hasFailed { return false }
        guard let path, path.isSelected, path.belongs(to: session) else { return true }
        if path.consent.isSilent { return true }
        return session.nomination.isSettling(at: now) && entry.pair.quality > selectedQuality
    }

    private var selectedQuality: UInt32 {
        session.nomination.selected.flatMap { session.checklist[$0] }?.pair.quality ?? CandidatePair.bestQuality
    }

    private mutating func start(_ entry: CheckedPair, _ remote: ICECredentials) {
        let isNomination = role == .controlling && session.nomination.pending == entry.addresses
        // RFC 8445 § 14.3: every check has its first packet before any is repeated.
        let timeout = max(Limits.retransmissionTimeout, Limits.checkInterval * session.checklist.pendingCount)
        let id = start(
            isNomination ? .nomination : .check, on: entry.pair, from: session.local, to: remote,
            usingCandidate: isNomination,
            Retransmission(timeout: timeout, longest: Limits.longestRepetition, at: now))
        if !isNomination { session.checklist.update(entry.addresses) { $0.state = .inProgress(id) } }
        pacing.sent(at: now)
    }

    /// Writes a Binding request (RFC 8445 § 7.1), sends it, and waits for its answer.
    @discardableResult
    mutating func start(
        _ purpose: CheckTransaction.Purpose, on pair: CandidatePair, from local: ICECredentials,
        to remote: ICECredentials, usingCandidate: Bool, _ retransmission: Retransmission
    ) -> TransactionID {
        let id = TransactionID.random(using: &random)
        let priority = pair.localCandidate.peerReflexivePriority
        var attributes: [STUNAttribute] = [
            .username(CheckUsername(receiver: remote.ufrag, sender: local.ufrag).text), .priority(priority),
        ]
        switch role {
        case .controlling: attributes.append(.iceControlling(tieBreaker))
        case .controlled: attributes.append(.iceControlled(tieBreaker))
        }
        if usingCandidate { attributes.append(.useCandidate) }
        // RFC 8489 § 6.2.2: what is reliable is not repeated; Ti is 39.5 s too.
        let retransmission =
            pair.isOverTCP
            ? Retransmission(timeout: Limits.transactionTime, isRepeated: false, at: now) : retransmission
        let bytes = STUNMessage(.request, id, attributes).encoded(key: remote.key, with: authenticator)
        transactions.insert(
            CheckTransaction(
                id: id, addresses: pair.addresses, purpose: purpose, role: role, usesCandidate: usingCandidate,
                priority: priority, credentials: remote, bytes: bytes, startedAt: now, retransmission: retransmission))
        transmit(bytes, on: pair.addresses)
        return id
    }

    // MARK: The next time

    private func nextDue() -> Wake {
        var wake = Wake()
        if let path {
            wake.consider(min(path.consent.nextCheck, path.consent.expiry), .consent)
            wake.consider(path.consent.doubt, .consent)
            wake.consider(path.consent.isSilent ? path.recheckAt : path.consent.silence, .consent)
        }
        guard state == .running else { return wake }
        wake.consider(transactions.due, .retransmission)
        wake.consider(connectionLimit, .connectionLimit)
        if role == .controlling {
            wake.consider(session.nomination.due(session.checklist), .nomination)
            wake.consider(session.nomination.challenge?.due, .nomination)
        }
        if !session.checklist.triggered.isEmpty {
            wake.consider(pacing.triggeredDue, .check)
        } else if session.remote != nil, session.checklist.hasOrdinary(where: { mayBeChecked($0) }) {
            wake.consider(pacing.ordinaryDue, .check)
        } else if let start = session.connectionStart, now < start,
            session.checklist.hasOrdinary(where: { isWorthChecking($0) })
        {
            wake.consider(start, .check)
        }
        return wake
    }
}
