import Datagrams
import Timebase

/// One allocation at one TURN server (RFC 8656), from one socket or connection of ours, for all peers: its relayed
/// address is a base to send from like a socket's.
///
/// **Mutate once, then drain,** as `ICEAgent`: call one mutating function, then `nextOutput()` until it says `.wait`, and
/// `advance(to:)` at that instant or earlier.
///
///     waiting ─► allocating ─► allocated ─► closing ─► closed
///        ▲         │  ▲ 437       │
///        │         │  └ clearing  │
///        └─────────┴──────────────┘ lost, failed: later again
///                  └─► failed for good, until there are other credentials
package struct TURNClient {
    enum State {
        /// The next Allocate request leaves then, or as soon as the connection stands.
        case waiting(until: Instant)
        case allocating
        /// An older allocation of the same 5-tuple is in the way, and is being deleted.
        case clearing
        case allocated(Allocation)
        case failed
        case closing
        case closed
    }

    struct Allocation {
        let relayed: TransportAddress
        let mapped: TransportAddress
        let startedAt: Instant
        var expiresAt: Instant
        /// Nil while the request is in the air.
        var refreshDue: Instant?
    }

    package let configuration: TURNConfiguration
    let authenticator: any MessageAuthenticator
    var random: any RandomNumberGenerator & Sendable
    var credentials: TURNCredentials
    var state: State
    /// Whether the server can be spoken to: over UDP always, over a stream while it is connected.
    private var isOpen: Bool
    /// Nil until the server has asked for credentials.
    var authentication: LongTermAuthentication?
    var transactions: [TransactionID: TURNTransaction] = [:]
    var permissions = PermissionTable()
    var channels = ChannelTable()
    var held: [HeldDatagram] = []
    /// Allocations in a row that could not be had, or did not last.
    var failures = 0
    /// A server that has no room is not asked before, whatever happens (RFC 8656 § 7.4).
    var barredUntil = Instant.zero
    /// Whether an allocation in the way was already deleted once.
    var hasCleared = false
    /// When an indication must keep the NAT's binding, unless something is sent before.
    var keepaliveDue: Instant
    var sentAt: Instant
    var watch: ServerWatch
    /// A `.replace` without an answer: the server may have given another allocation all the same. Asked once more with the
    /// same number, it names that (RFC 8656 § 7.2); where it has the one of before, it says no.
    var unansweredReplacement: TransactionID?
    /// Asked because nothing was heard: the next refresh has little time, also where it is repeated for its nonce.
    var isProbing = false
    /// The network has changed, the server has answered nothing since, and another socket of ours would reach it.
    var hasOtherWay = false
    /// Whom the server would have asked instead (RFC 8489 § 10), where a client of that one can be.
    package private(set) var alternateServer: TransportAddress?
    /// Whether the server has given an address or could not, for the first time.
    package private(set) var hasResult = false
    private var outputs = BoundedQueue<TURNOutput>(capacity: Limits.outputs)
    private var wake = (due: Instant.distantFuture, reason: TURNWaitReason.nothing)
    var now: Instant

    /// Over UDP it asks for its allocation at once, over a stream when that is `connected`.
    package init(
        _ configuration: TURNConfiguration, authenticator: any MessageAuthenticator,
        random: any RandomNumberGenerator & Sendable, at now: Instant
    ) {
        self.configuration = configuration
        self.authenticator = authenticator
        self.random = random
        self.now = now
        credentials = configuration.credentials
        keepaliveDue = now
        sentAt = now
        watch = ServerWatch(configuration.transport, at: now)
        isOpen = configuration.transport == .udp
        state = .waiting(until: now)
        run()
    }

    // MARK: What the owner asks

    /// The address peers reach us at; nil without an allocation.
    package var relayedAddress: TransportAddress? { allocation?.relayed }
    /// Our base as the server sees it: a server-reflexive candidate, where it was asked over UDP and the families agree.
    package var mappedAddress: TransportAddress? { allocation?.mapped }

    var allocation: Allocation? {
        if case .allocated(let allocation) = state { allocation } else { nil }
    }

    // MARK: In

    /// A datagram that came from `remote` to our socket `local`, or one message of the connection, between the
    /// configuration's own addresses.
    package mutating func receive(
        _ bytes: RawSpan, local: TransportAddress, from remote: TransportAddress, at now: Instant
    ) -> TURNReceipt {
        tick(now)
        guard remote == configuration.server, local == configuration.base else { return .notOurs }
        if let message = ChannelData(bytes) {
            watch.heardPeer(at: self.now)
            return receive(message)
        }
        guard let header = try? STUNHeader(bytes) else { return .notOurs }
        if header.messageClass == .indication, header.method == .data {
            watch.heardPeer(at: self.now)
            return receiveData(bytes, header.transactionID)
        }
        guard let message = try? STUNMessage(bytes), let transaction = transactions[header.transactionID] else {
            return .notOurs
        }
        switch header.messageClass {
        case .success, .error:
            watch.heardServer(at: self.now)
            hasOtherWay = false
            handleResponse(message, bytes, transaction)
            run()
            return .handled
        case .request, .indication: return .notOurs
        }
    }

    /// The connection to the server stands.
    package mutating func connected(at now: Instant) {
        tick(now)
        isOpen = true
        run()
    }

    /// The connection to the server is gone, and the allocation with it.
    package mutating func disconnected(at now: Instant) {
        tick(now)
        guard configuration.transport == .stream, isOpen else { return }
        isOpen = false
        switch state {
        case .closing: finishClosing()
        case .allocated: restart(.lost(.disconnected))
        case .allocating, .clearing: restart(.failed(.disconnected))
        case .waiting, .failed, .closed: transactions = [:]
        }
        run()
    }

    private mutating func restart(_ event: TURNEvent) {
        forgetAllocation()
        state = .waiting(until: now)
        emit(event)
    }

    /// The network may be back: what waits for its time is asked for now, and what may be lost is sent again.
    package mutating func hasten(at now: Instant) {
        tick(now)
        // However often this is called, no more leaves than a request's first repetitions.
        let soon = max(self.now, sentAt + Limits.retransmissionTimeout)
        switch state {
        case .waiting(let until):
            failures = 0
            state = .waiting(until: min(until, max(soon, barredUntil)))
        case .allocating, .clearing:
            // In a connection nothing is repeated.
            guard configuration.transport == .udp else { return }
            // Once it is overdue it has failed, however often a network changes: another address is asked then.
            for (id, transaction) in transactions where self.now - transaction.startedAt < Limits.transactionTime {
                transactions[id]?.retransmission.restart(at: soon)
            }
        case .allocated, .failed, .closing, .closed: return
        }
        run()
    }

    /// Credentials for the next allocation; the present one keeps those it was made with (RFC 8656 § 5). Where the
    /// server has refused for good, it is asked again.
    package mutating func update(_ credentials: TURNCredentials, at now: Instant) {
        tick(now)
        self.credentials = credentials
        if case .failed = state {
            failures = 0
            state = .waiting(until: self.now)
        }
        run()
    }

    /// Gives the allocation back. The first request leaves with the next drain; whoever does not wait for `.closed` only
    /// risks that the server keeps it to its end.
    package mutating func close(at now: Instant) {
        tick(now)
        switch state {
        case .allocated, .clearing: closeAllocation()
        // What the server made of the request is unknown; without credentials it made nothing.
        case .allocating: if authentication == nil { finishClosing() } else { closeAllocation() }
        case .waiting, .failed: finishClosing()
        case .closing, .closed: return
        }
        run()
    }

    package mutating func advance(to now: Instant) {
        tick(now)
        run()
    }

    // MARK: Out

    package mutating func nextOutput() -> TURNOutput {
        outputs.popFirst() ?? .wait(until: wake.due, wake.reason)
    }

    /// The family must be the same (RFC 8489 § 14.15). Nobody else's server names one on this machine.
    mutating func redirected(by response: STUNMessage) {
        alternateServer = response.alternateServer.flatMap { [server = configuration.server] other in
            AddressFilter.allowsObserved(other) && AddressFilter.allows(from: server, to: other) ? other : nil
        }
    }

    mutating func emit(_ event: TURNEvent) {
        switch event {
        case .allocated, .failed, .lost, .closed: hasResult = true
        case .refusedPeer: break
        }
        _ = outputs.append(.event(event))
    }

    mutating func transmit(_ bytes: [UInt8]) {
        sentAt = now
        _ = outputs.append(.transmit(bytes: bytes))
    }

    // MARK: Time

    /// Time never runs backwards here, whatever the caller says.
    mutating func tick(_ instant: Instant) { now = max(now, instant) }

    /// Everything that time alone brings about.
    mutating func run() {
        stepTransactions()
        if case .waiting(let until) = state, now >= until, isOpen {
            state = .allocating
            request(.allocate)
        }
        if let allocation { keep(allocation) }
        wake = nextWake()
    }

    private func nextWake() -> (due: Instant, reason: TURNWaitReason) {
        var reasons: [(due: Instant, reason: TURNWaitReason)] = []
        func consider(_ due: Instant?, _ reason: TURNWaitReason) {
            if let due { reasons.append((due, reason)) }
        }
        consider(transactions.values.lazy.map(\.retransmission.due).min(), .retransmission)
        if case .waiting(let until) = state, isOpen { consider(until, .allocation) }
        if let allocation {
            consider(allocation.refreshDue, .refresh)
            consider(allocation.expiresAt, .refresh)
            consider(keepaliveDue, .keepalive)
            if transactions.count < Limits.relayRequests {
                consider(permissions.due, .permission)
                consider(channels.due, .channel)
            }
        }
        return reasons.min { $0.due < $1.due } ?? (.distantFuture, .nothing)
    }
}
