import Datagrams
import Timebase

/// The peer's checks: answered, then learned from (RFC 8445 § 7.3).
extension ICEAgent {
    /// Nothing changes before the request is authenticated (RFC 8489 § 9.1.3 in its order).
    mutating func handleRequest(_ request: STUNMessage, _ bytes: RawSpan, _ addresses: AddressPair) -> Bool {
        guard let username = request.username.flatMap(CheckUsername.init), request.hasIntegrity else {
            refuse(request, .badRequest, sentTo: addresses, within: bytes.byteCount)
            return false
        }
        guard let credentials = credentials(of: username.receiver),
            let algorithm = STUNMessage.verify(bytes, key: credentials.key, with: authenticator)
        else {
            refuse(request, .unauthenticated, sentTo: addresses, within: bytes.byteCount)
            return false
        }
        let reply = Reply(
            request: request.transactionID, addresses: addresses, key: credentials.key, algorithm: algorithm)
        guard request.unknownRequired.isEmpty else {
            send(reply, .error, [.errorCode(.unknownAttribute), .unknownAttributes(request.unknownRequired)])
            return true
        }
        accept(request, of: username, reply, isCurrent: credentials == session.local)
        return true
    }

    private mutating func accept(_ request: STUNMessage, of username: CheckUsername, _ reply: Reply, isCurrent: Bool) {
        if isCurrent {
            guard settleRole(request) else { return send(reply, .error, [.errorCode(.roleConflict)]) }
        }
        send(reply, .success, [.xorMappedAddress(reply.addresses.remote)])
        heard(on: reply.addresses)
        // Checks of the session before a restart only keep the old pair alive.
        guard isCurrent else { return }
        let check = IncomingCheck(
            addresses: reply.addresses, sender: username.sender, priority: request.priority ?? 0,
            usesCandidate: request.usesCandidate)
        if session.remote?.ufrag == check.sender { learn(check) } else { session.remember(check) }
    }

    /// The current session's or, during a restart, those of the pair in use.
    private func credentials(of ufrag: String) -> ICECredentials? {
        if ufrag == session.local.ufrag { return session.local }
        return ufrag == path?.local.ufrag ? path?.local : nil
    }

    // MARK: Replies

    private struct Reply {
        let request: TransactionID
        let addresses: AddressPair
        let key: [UInt8]
        /// "Any response … MUST include" the attribute that authenticated the request (RFC 8489 § 9.1.3).
        let algorithm: IntegrityAlgorithm
    }

    private mutating func send(_ reply: Reply, _ messageClass: STUNClass, _ attributes: [STUNAttribute]) {
        let message = STUNMessage(messageClass, reply.request, attributes)
        transmit(message.encoded(key: reply.key, algorithm: reply.algorithm, with: authenticator), on: reply.addresses)
    }

    /// An answer to somebody who proved nothing: never longer than the request, and few of them.
    private mutating func refuse(
        _ request: STUNMessage, _ error: STUNErrorCode, sentTo addresses: AddressPair, within byteCount: Int
    ) {
        guard now >= nextRefusal else { return }
        let reply = STUNMessage(.error, request.transactionID, [.errorCode(error)]).encoded()
        guard reply.count <= byteCount else { return }
        nextRefusal = now + Limits.refusalInterval
        transmit(reply, on: addresses)
    }

    // MARK: Role conflicts

    /// RFC 8445 § 7.3.1.1. False where the peer must give way, and is told so by 487.
    private mutating func settleRole(_ request: STUNMessage) -> Bool {
        switch role {
        case .controlling:
            guard let theirs = request.iceControlling else { return true }
            if tieBreaker >= theirs { return false }
        case .controlled:
            guard let theirs = request.iceControlled else { return true }
            if tieBreaker < theirs { return false }
        }
        switchRole()
        return true
    }

    /// Pair priorities depend on the role, and so does who nominates (RFC 8445 § 7.2.5.1).
    mutating func switchRole() {
        role = role.opposite
        session.checklist.prioritise(role)
        session.nomination.pending = nil
        session.nomination.challenge = nil
    }

    // MARK: What a check tells

    /// A new address of the peer, a pair to check, a nomination (RFC 8445 §§ 7.3.1.3–7.3.1.5).
    mutating func learn(_ check: IncomingCheck) {
        guard state == .running, AddressFilter.allowsObserved(check.addresses.remote),
            let local = localCandidate(at: check.addresses.local)
        else { return }
        let remote = remoteCandidate(of: check)
        if let pair = CandidatePair(local, remote) { session.checklist.addObserved(pair, role) }
        let isWish = check.usesCandidate || session.nomination.isSettling(at: now) || isElsewhere(check.addresses)
        session.checklist.update(check.addresses) { [now, role] entry in
            entry.askedAt = now
            if check.usesCandidate, role == .controlled { entry.isNominated = true }
        }
        if let entry = session.checklist[check.addresses] { answerWithCheck(entry, isWish: isWish) }
    }

    /// Whether the peer has asked on this pair twice, and not on the selected one meanwhile. Where it asks on both it only
    /// keeps this one alive, be it one that it nominated once.
    private func isElsewhere(_ addresses: AddressPair) -> Bool {
        guard let path, let before = session.checklist[addresses]?.askedAt else { return true }
        return session.checklist[path.addresses]?.askedAt.map { $0 < before } ?? true
    }

    private mutating func remoteCandidate(of check: IncomingCheck) -> Candidate {
        let address = check.addresses.remote
        if let known = session.candidates[address] { return known }
        let candidate = Candidate.remotePeerReflexive(address, priority: check.priority)
        let checklist = session.checklist
        session.candidates.addObserved(candidate) { other in
            checklist.pairs.contains { $0.isValid && $0.pair.remote == other.address.transportAddress }
        }
        return candidate
    }

    /// The pair may be the one of the session before a restart, too; that one does not count.
    private func isSelected(_ entry: CheckedPair) -> Bool {
        guard let path else { return false }
        return path.isSelected && path.addresses == entry.addresses && path.belongs(to: session)
    }

    /// The triggered check (RFC 8445 § 7.3.1.4).
    private mutating func answerWithCheck(_ entry: CheckedPair, isWish: Bool) {
        switch entry.state {
        case .succeeded:
            guard isWish, entry.isNominated, !isSelected(entry) else { return }
            if entry.isFresh(at: now) { follow(entry) } else { session.checklist.trigger(entry.addresses) }
            return
        case .inProgress(let id): transactions.cancel(id)
        case .frozen, .waiting, .failed: break
        }
        session.checklist.update(entry.addresses) { $0.state = .waiting }
        session.checklist.trigger(entry.addresses)
    }
}
