import Datagrams
import Timebase

/// Answers to our own checks (RFC 8445 § 7.2.5).
extension ICEAgent {
    /// Unsigned answers are "discarded, as if [they] had never been received" (RFC 8489 § 9.1.4), errors too.
    mutating func handleResponse(_ response: STUNMessage, _ bytes: RawSpan, _ addresses: AddressPair) -> Bool {
        guard let check = transactions[response.transactionID],
            STUNMessage.verify(bytes, key: check.credentials.key, with: authenticator) == .sha1
        else { return false }
        transactions.remove(check.id)
        // RFC 8445 § 7.2.5.2.1: an answer from or to elsewhere fails the pair.
        guard check.addresses == addresses else {
            failed(check)
            return true
        }
        if response.messageClass == .success, response.unknownRequired.isEmpty, let mapped = response.xorMappedAddress {
            succeeded(check, mapped)
        } else if let error = response.errorCode, response.unknownRequired.isEmpty {
            refused(check, error)
        } else {
            failed(check)
        }
        heard(on: addresses)
        return true
    }

    // MARK: Success

    private mutating func succeeded(_ check: CheckTransaction, _ mapped: TransportAddress) {
        let isPath = path?.addresses == check.addresses && path?.remote == check.credentials
        if isPath { consentRenewed() }
        if state == .running, session.remote == check.credentials { validate(check, mapped) }
        if path?.addresses == check.addresses { measure(check) }
    }

    /// RFC 8445 § 7.2.5.3: the pair is valid, others of its foundation wake, media may flow.
    private mutating func validate(_ check: CheckTransaction, _ mapped: TransportAddress) {
        // The attribute says nothing of the transport: it is the request's.
        var mapped = mapped
        mapped.transport = check.addresses.local.transport
        session.checklist.update(check.addresses) { [now, localCandidates, mapped] entry in
            entry.state = .succeeded
            entry.answeredAt = now
            entry.roundTrip = check.roundTrip(at: now) ?? entry.roundTrip
            entry.mappedCandidate =
                localCandidates.first { $0.base == check.addresses.local && $0.address == .ip(mapped) }
                ?? .localPeerReflexive(mapped, base: check.addresses.local, priority: check.priority)
        }
        guard let entry = session.checklist[check.addresses] else { return }
        session.checklist.unfreeze(entry.foundation)
        session.nomination.foundValidPair(at: now)
        // It works after all, as where the peer was told late of a restart: others are tried again when this falls silent.
        session.hasFailed = false
        if path == nil { use(entry) }
        switch role {
        case .controlling:
            let isAnswered = check.usesCandidate && session.nomination.pending == check.addresses
            if check.purpose == .nomination || isAnswered { select(entry) } else { considerMove(to: entry) }
        case .controlled:
            if entry.isNominated { follow(entry) }
        }
    }

    private mutating func measure(_ check: CheckTransaction) {
        guard let sample = check.roundTrip(at: now) else { return }
        lastRoundTrip = sample
        roundTrips.add(sample)
    }

    // MARK: Errors and timeouts

    private mutating func refused(_ check: CheckTransaction, _ error: STUNErrorCode) {
        // The code decides, whatever words stand beside it (RFC 8489 § 14.8).
        switch (error.code, check.purpose) {
        case (STUNErrorCode.roleConflict.code, _): giveWay(check)
        case (STUNErrorCode.forbidden.code, .consent): revoked(check)
        default: failed(check)  // any other code: RFC 8445 § 7.2.5.2.4
        }
    }

    /// RFC 8445 § 7.2.5.1: take the other role, unless that has happened since, change the tiebreaker, and try again.
    private mutating func giveWay(_ check: CheckTransaction) {
        if check.role == role {
            switchRole()
            tieBreaker = random.next()
        }
        guard check.purpose != .consent, session.remote == check.credentials else { return }
        session.checklist.update(check.addresses) { entry in
            if !entry.isValid { entry.state = .waiting }
        }
        session.checklist.trigger(check.addresses)
    }

    /// RFC 7675 § 5.2: an authenticated 403 ends consent at once.
    private mutating func revoked(_ check: CheckTransaction) {
        guard path?.addresses == check.addresses, path?.remote == check.credentials else { return }
        losePath()
    }

    /// The check came to nothing (RFC 8445 § 7.2.5.2).
    mutating func failed(_ check: CheckTransaction) {
        guard session.remote == check.credentials else { return }
        switch check.purpose {
        case .consent: return
        case .nomination:
            if session.nomination.pending == check.addresses { session.nomination.pending = nil }
            session.checklist.update(check.addresses) { $0.state = .failed }
        case .check:
            session.checklist.update(check.addresses) { entry in
                if entry.state == .inProgress(check.id) { entry.state = .failed }
            }
        }
        if let entry = session.checklist[check.addresses] { session.checklist.unfreeze(entry.foundation) }
    }
}
