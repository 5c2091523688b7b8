import Datagrams
import Timebase

/// What the server's answers mean.
extension TURNClient {
    /// RFC 8489 § 9.2.5 in its order: the challenges first, which cannot be signed, then who signed the rest.
    mutating func handleResponse(_ response: STUNMessage, _ bytes: RawSpan, _ transaction: TURNTransaction) {
        let code = response.messageClass == .error ? response.errorCode?.code : nil
        switch (code, transaction.authentication) {
        case (STUNErrorCode.unauthenticated.code, nil):
            transactions[transaction.id] = nil
            answer(response, to: transaction)
            return
        case (STUNErrorCode.staleNonce.code, _?):
            transactions[transaction.id] = nil
            return repeatWithNonce(of: response, transaction)
        case (STUNErrorCode.unauthenticated.code, _?): break
        default:
            guard isAuthentic(response, bytes, transaction) else { return reject(response, transaction) }
        }
        transactions[transaction.id] = nil
        guard response.unknownRequired.isEmpty else { return refused(transaction.purpose, .unsupported) }
        if response.messageClass == .success { return succeeded(transaction.purpose, response) }
        if transaction.purpose == .allocate { redirected(by: response) }
        refused(transaction.purpose, code.map(TURNFailure.init) ?? .unsupported)
    }

    /// An error to a request without credentials cannot be signed. A success could not either, but then the server asks
    /// nobody for credentials, and nothing of ours could be checked: it is no server for us.
    private func isAuthentic(_ response: STUNMessage, _ bytes: RawSpan, _ transaction: TURNTransaction) -> Bool {
        guard let authentication = transaction.authentication else {
            // RFC 8489 § 9.2.5: a 400 without integrity "MUST be discarded".
            return response.messageClass == .error && response.errorCode?.code != STUNErrorCode.badRequest.code
        }
        return STUNMessage.verify(bytes, key: authentication.key, with: authenticator) == authentication.integrity
    }

    /// "As if it had never been received"; over a stream the transaction ends with it (RFC 8489 § 9.2.5).
    private mutating func reject(_ response: STUNMessage, _ transaction: TURNTransaction) {
        switch configuration.transport {
        case .udp where isHint(response, transaction):
            transactions[transaction.id] = nil
            refusedAllocation(.allocationMismatch)
        case .udp: transactions[transaction.id]?.sawForgery = true
        case .stream:
            transactions[transaction.id] = nil
            gaveUp(transaction.purpose, .notAuthenticated)
        }
    }

    /// Pion does not sign its 437. Whoever wrote it, all that comes of it is that a signed request deletes what there may be
    /// of this socket's, once.
    private func isHint(_ response: STUNMessage, _ transaction: TURNTransaction) -> Bool {
        transaction.purpose == .allocate && !hasCleared && !response.hasIntegrity && response.messageClass == .error
            && response.errorCode?.code == STUNErrorCode.allocationMismatch.code
    }

    // MARK: Challenges

    private mutating func answer(_ challenge: STUNMessage, to transaction: TURNTransaction) {
        do throws(TURNFailure) {
            authentication = try LongTermAuthentication(challenge, credentials, with: authenticator)
        } catch {
            return refused(transaction.purpose, error)
        }
        request(transaction.purpose)
    }

    private mutating func repeatWithNonce(of challenge: STUNMessage, _ transaction: TURNTransaction) {
        // Requests that were in the air together are refused together; the newest nonce counts for all.
        let isKnown = transaction.authentication?.nonce != authentication?.nonce
        let isFresh = authentication?.renew(challenge) == true
        guard transaction.nonceRetries < Limits.nonceRetries, isKnown || isFresh else {
            return gaveUp(transaction.purpose, .notAuthenticated)
        }
        let id = transaction.purpose == .replace ? transaction.id : nil
        request(transaction.purpose, nonceRetries: transaction.nonceRetries + 1, id: id)
    }

    // MARK: Success

    private mutating func succeeded(_ purpose: TURNTransaction.Purpose, _ response: STUNMessage) {
        switch purpose {
        case .allocate: allocated(response)
        case .replace: replaced(response)
        case .refresh: refreshed(response)
        case .clear: allocateAgain()
        case .discard: break
        case .close: finishClosing()
        case .permission(let ip):
            permissions.update(ip) { [now] in
                $0.isAsking = false
                $0.granted(at: now)
            }
            release(ip, isGranted: true)
        case .channel(let peer):
            channels.update(peer) { [now] in $0.bound(at: now) }
            // RFC 8656 § 12.3: the permission was refreshed too.
            permissions.update(peer.ip) { [now] in $0.granted(at: now) }
        }
    }

    /// The server may see us by the other family: behind NAT64, or through a load balancer that takes IPv6 and speaks IPv4.
    private mutating func allocated(_ response: STUNMessage) {
        guard let relayed = response.xorRelayedAddress, let mapped = response.xorMappedAddress,
            relayed.ip.isIPv6 == configuration.relaysIPv6,
            AddressFilter.allowsObserved(relayed), AddressFilter.allowsObserved(mapped),
            relayed != configuration.server, relayed != configuration.base
        else { return discard(.unusableAddress) }
        guard let lifetime = Self.lifetime(in: response) else { return discard(.unsupported) }
        hasCleared = false
        state = .allocated(
            Allocation(
                relayed: relayed, mapped: mapped, startedAt: now, expiresAt: now + lifetime,
                refreshDue: now + Limits.allocationRefresh(of: lifetime)))
        emit(.allocated(relayed: relayed, mapped: mapped))
    }

    /// The server had none of ours any more, or it would have said no.
    private mutating func replaced(_ response: STUNMessage) {
        let own = authentication
        lose(.allocationMismatch)
        authentication = own
        allocated(response)
    }

    private mutating func refreshed(_ response: STUNMessage) {
        isProbing = false
        guard let lifetime = Self.lifetime(in: response) else { return lose(.unsupported) }
        updateAllocation { [now] in
            $0.expiresAt = now + lifetime
            $0.refreshDue = now + Limits.allocationRefresh(of: lifetime)
        }
        if let id = unansweredReplacement { request(.replace, id: id) }
    }

    /// Nil where there is none, or no time at all.
    private static func lifetime(in response: STUNMessage) -> Duration? {
        let range = Limits.allocationLifetimes
        guard let seconds = response.lifetime, seconds >= range.lowerBound else { return nil }
        return .seconds(Int64(min(seconds, range.upperBound)))
    }

    private mutating func allocateAgain() {
        state = .allocating
        request(.allocate)
    }

    // MARK: Refusals and silence

    /// An error code of the server's.
    private mutating func refused(_ purpose: TURNTransaction.Purpose, _ failure: TURNFailure) {
        switch purpose {
        case .allocate: refusedAllocation(failure)
        case .refresh: refusedRefresh(failure)
        // RFC 8656 § 8.3: "it should consider its request as having effectively succeeded".
        case .clear: allocateAgain()
        // 437: it has the allocation. Whatever else, that is as it was.
        case .replace: unansweredReplacement = nil
        case .discard: break
        case .close: finishClosing()
        case .permission, .channel:
            // Either says that there is no allocation of ours.
            if failure == .allocationMismatch || failure == .wrongCredentials || failure == .credentialsRejected {
                return lose(failure)
            }
            refusedPeer(purpose)
        }
    }

    /// A server in passing trouble still has the allocation: "the client should try again" (RFC 8489 § 14.8).
    private mutating func refusedRefresh(_ failure: TURNFailure) {
        guard case .refused(500...599) = failure else { return lose(failure) }
        isProbing = false
        updateAllocation { [now] in $0.refreshDue = now + Limits.allocationRefreshPause }
    }

    /// RFC 8656 § 7.4 recommends another port of ours at 437. The port is shared here, so what is in the way is deleted:
    /// mostly the allocation of this program's last run. Some servers say so before they ask for credentials, or unsigned.
    private mutating func refusedAllocation(_ failure: TURNFailure) {
        guard failure == .allocationMismatch, !hasCleared else { return fail(failure) }
        hasCleared = true
        state = .clearing
        request(.clear)
    }

    private mutating func refusedPeer(_ purpose: TURNTransaction.Purpose) {
        switch purpose {
        case .permission(let ip):
            permissions.update(ip) { [now] in
                $0.isAsking = false
                $0.isRefused = true
                $0.expiresAt = nil
                $0.due = now + Limits.refusedPeerRetry
            }
            release(ip, isGranted: false)
            emit(.refusedPeer(ip))
        case .channel(let peer):
            // RFC 8656 § 12.3 recommends a new allocation when channels are out of step. That would cut off every peer;
            // indications serve this one as well.
            channels.update(peer) { [now] in
                $0.boundUntil = nil
                $0.isRefused = true
                $0.failed(at: now)
            }
        case .allocate, .refresh, .clear, .replace, .discard, .close: break
        }
    }

    /// No answer that counts.
    mutating func gaveUp(_ purpose: TURNTransaction.Purpose, _ failure: TURNFailure) {
        switch purpose {
        case .allocate, .clear: fail(failure)
        // The allocation may still be there; over a stream nothing gets lost, so nobody is.
        case .refresh:
            if configuration.transport == .stream { return lose(failure) }
            updateAllocation { [now] in $0.refreshDue = now + Limits.allocationRefreshPause }
        // Whatever is there saves no peer any more, once consent through it is over, or where nothing reaches it from here.
        case .replace: if watch.isSilent(at: now) || hasOtherWay { lose(failure) }
        case .discard: break
        case .close: finishClosing()
        case .permission(let ip):
            permissions.update(ip) { [now] in
                $0.isAsking = false
                $0.due = now + Limits.allocationRefreshPause
            }
            release(ip, isGranted: false)
        case .channel(let peer): channels.update(peer) { [now] in $0.failed(at: now) }
        }
    }
}
