import Datagrams
import Timebase

/// What the client asks the server for, and when.
extension TURNClient {
    // MARK: An allocation's life

    /// Refreshes what is due of the allocation, its permissions and its channels.
    mutating func keep(_ allocation: Allocation) {
        if now >= allocation.expiresAt { return lose(.noAnswer) }
        if let due = allocation.refreshDue, now >= due {
            updateAllocation { $0.refreshDue = nil }
            request(.refresh)
        }
        for ip in permissions.due(at: now) where transactions.count < Limits.relayRequests { keepPermission(ip) }
        for peer in channels.due(at: now) where transactions.count < Limits.relayRequests { keepChannel(peer) }
        keepBinding()
    }

    mutating func updateAllocation(_ body: (inout Allocation) -> Void) {
        guard case .allocated(var allocation) = state else { return }
        body(&allocation)
        state = .allocated(allocation)
    }

    private mutating func keepPermission(_ ip: IPAddress) {
        guard let permission = permissions[ip] else { return }
        if permission.isIdle(at: now) { return permissions.remove(ip) }
        permissions.update(ip) { $0.isAsking = true }
        request(.permission(ip))
    }

    private mutating func keepChannel(_ peer: TransportAddress) {
        guard let channel = channels[peer] else { return }
        if channel.isIdle(at: now) {
            // Lapses; for a while longer the number may stand for nobody else.
            guard let end = channel.reservedUntil, now < end else { return channels.remove(peer) }
            return channels.update(peer) { $0.lapse(until: end) }
        }
        channels.update(peer) { [now] in $0.asked(at: now) }
        request(.channel(peer))
    }

    /// Where the allocation is idle, so is the way to it (RFC 8445 § 11); a Binding indication needs no answer.
    private mutating func keepBinding() {
        guard now >= keepaliveDue else { return }
        let pause = Duration.milliseconds(Int64.random(in: Limits.relayKeepaliveMilliseconds, using: &random))
        if now - sentAt >= pause {
            transmit(STUNMessage(.indication, .random(using: &random)).encoded(fingerprint: false))
        }
        keepaliveDue = sentAt + pause
    }

    /// The allocation is no more. Whatever the reason, the server's answer to a new request decides what follows. One that
    /// has just said so is there to be asked; mostly a NAT has given us another port, and peers wait.
    mutating func lose(_ failure: TURNFailure) {
        guard let allocation else { return }
        failures = now - allocation.startedAt >= Limits.stableAllocation ? 1 : failures + 1
        forgetAllocation()
        emit(.lost(failure))
        let isFirst = failure == .allocationMismatch && failures == 1
        state = .waiting(until: isFirst ? now : now + retryPause(after: failure, atLeast: .zero))
    }

    /// There could be none.
    mutating func fail(_ failure: TURNFailure) {
        failures += 1
        forgetAllocation()
        emit(.failed(failure))
        // RFC 8656 § 7.4.
        let pause: Duration =
            switch failure {
            case .quotaReached, .insufficientCapacity: Limits.capacityRetry
            case .allocationMismatch: Limits.mismatchRetry
            // They have no time of their own.
            case .noAnswer, .notAuthenticated, .credentialsRejected, .wrongCredentials, .unsupported, .redirected,
                .unusableAddress, .disconnected, .refused: .zero
            }
        barredUntil = now + pause
        state = failure.isPermanent ? .failed : .waiting(until: now + retryPause(after: failure, atLeast: pause))
    }

    /// Realm and nonce go too: the server may be another by then.
    mutating func forgetAllocation() {
        transactions = [:]
        permissions = PermissionTable()
        channels = ChannelTable()
        held = []
        authentication = nil
        hasCleared = false
        isProbing = false
        hasOtherWay = false
        unansweredReplacement = nil
    }

    /// Twice as long after every failure in a row.
    private mutating func retryPause(after failure: TURNFailure, atLeast pause: Duration) -> Duration {
        let shortest = Limits.allocationRetries.lowerBound
        let longest = failure == .noAnswer ? Limits.longestSilentRetry : Limits.allocationRetries.upperBound
        let doubled = min(shortest * (1 << min(max(failures - 1, 0), 16)), longest)
        return max(pause, doubled * Int64.random(in: 80...120, using: &random) / 100)
    }

    /// RFC 8656 § 7.3: an allocation that is of no use is given back, and no other is asked for.
    mutating func discard(_ failure: TURNFailure) {
        let own = authentication
        fail(failure)
        authentication = own
        request(.discard)
        authentication = nil
    }

    // MARK: The end

    mutating func closeAllocation() {
        transactions = [:]
        held = []
        state = .closing
        request(.close)
    }

    mutating func finishClosing() {
        forgetAllocation()
        state = .closed
        emit(.closed)
    }

    // MARK: Requests

    /// Writes a request (RFC 8656 §§ 7.1, 8.1, 10.1, 12.1), sends it, and waits for its answer.
    ///
    /// - Parameter id: of a request before it that it repeats.
    mutating func request(_ purpose: TURNTransaction.Purpose, nonceRetries: Int = 0, id: TransactionID? = nil) {
        guard let (method, attributes) = content(of: purpose) else { return }
        let id = id ?? TransactionID.random(using: &random)
        let message = STUNMessage(STUNHeader(.request, method, id), attributes + (authentication?.attributes ?? []))
        let bytes =
            authentication.map {
                message.encoded(key: $0.key, algorithm: $0.integrity, with: authenticator, fingerprint: false)
            } ?? message.encoded(fingerprint: false)
        transactions[id] = TURNTransaction(
            id: id, purpose: purpose, bytes: bytes, authentication: authentication, nonceRetries: nonceRetries,
            startedAt: now, retransmission: retransmission(of: purpose))
        if purpose == .refresh || purpose == .replace { watch.requested(at: now) }
        transmit(bytes)
    }

    /// Whether the server still has the allocation, or a connection is still there, has to be known before consent ends.
    private func retransmission(of purpose: TURNTransaction.Purpose) -> Retransmission {
        let isUrgent = purpose == .replace || purpose == .refresh && isProbing
        switch configuration.transport {
        case .udp where isUrgent:
            return Retransmission(
                timeout: Limits.retransmissionTimeout, longest: Limits.relayProbeInterval, count: Limits.relayProbeCount,
                at: now)
        case .udp where purpose == .allocate && authentication == nil && configuration.hasOtherAddress:
            return Retransmission(
                timeout: Limits.retransmissionTimeout, longest: Limits.relayTrialInterval, count: Limits.relayTrialCount,
                at: now)
        case .udp: return Retransmission(timeout: Limits.retransmissionTimeout, at: now)
        // RFC 8489 § 6.2.2: over a stream, a request is sent once and waited for as long.
        case .stream:
            let time = isUrgent ? Limits.streamProbeTime : Limits.transactionTime
            return Retransmission(timeout: time, isRepeated: false, at: now)
        }
    }

    /// Nil where it has become pointless.
    private func content(of purpose: TURNTransaction.Purpose) -> (STUNMethod, [STUNAttribute])? {
        switch purpose {
        case .allocate, .replace:
            // IPv4 is what servers give unasked (RFC 8656 § 7.2), and older ones do not know the attribute.
            let family: [STUNAttribute] = configuration.relaysIPv6 ? [.requestedAddressFamily(2)] : []
            return (.allocate, [.requestedTransport(17)] + family)
        case .refresh: return (.refresh, [])
        case .clear, .discard, .close: return (.refresh, [.lifetime(0)])
        case .permission(let ip):
            // The port is ignored.
            return (.createPermission, [.xorPeerAddress(TransportAddress(ip: ip, port: 0))])
        case .channel(let peer):
            guard let channel = channels[peer] else { return nil }
            return (.channelBind, [.channelNumber(channel.number), .xorPeerAddress(peer)])
        }
    }

    mutating func stepTransactions() {
        while var next = transactions.values.min(by: { ($0.retransmission.due, $0.id) < ($1.retransmission.due, $1.id) }),
            next.retransmission.due <= now
        {
            switch next.retransmission.step(at: now) {
            case .sendAgain:
                transactions[next.id] = next
                transmit(next.bytes)
            case .giveUp:
                transactions[next.id] = nil
                if next.purpose == .refresh { isProbing = false }
                if hasBeenHeard(since: next) {
                    updateAllocation { [now] in $0.refreshDue = now }
                } else {
                    // An answer that is not signed may be Pion's no.
                    if next.purpose == .replace { unansweredReplacement = next.sawForgery ? nil : next.id }
                    gaveUp(next.purpose, next.sawForgery ? .notAuthenticated : .noAnswer)
                    askForAnother(insteadOf: next)
                }
            }
        }
    }

    /// The connection lives, and the answer is only slow: behind all that waited there.
    private func hasBeenHeard(since transaction: TURNTransaction) -> Bool {
        transaction.purpose == .refresh && configuration.transport == .stream && watch.wasHeard(since: transaction.startedAt)
    }

    /// A refresh had no answer, and nothing else came. Either the line is dead, and the allocation is worth keeping, or the
    /// server has none of ours and does not say so; to Allocate every server has an answer, and only in the latter case it
    /// is an address.
    private mutating func askForAnother(insteadOf refresh: TURNTransaction) {
        guard refresh.purpose == .refresh, configuration.transport == .udp, allocation != nil,
            !watch.wasHeard(since: refresh.startedAt), !transactions.values.contains(where: { $0.purpose == .replace })
        else { return }
        request(.replace, id: unansweredReplacement)
    }
}
