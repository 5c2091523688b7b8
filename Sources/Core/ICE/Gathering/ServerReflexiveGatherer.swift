import Datagrams
import Timebase

package enum GathererEvent: Hashable, Sendable {
    /// A server-reflexive candidate is new, or its address has changed.
    case mapped(Candidate)
    /// The server no longer answers, so nobody keeps the NAT's binding alive.
    case lost(Candidate)
    /// Every server has answered or was given up for the first time.
    case finished
}

/// Why the gatherer wants to be woken. For traces and tests; drivers ignore it.
package enum GathererWaitReason: Hashable, Sendable {
    case request
    case retransmission
    case nothing
}

/// What `ServerReflexiveGatherer.nextOutput()` gives: drained until it says `wait`.
package enum GathererOutput: Hashable, Sendable {
    case transmit(bytes: [UInt8], from: TransportAddress, to: TransportAddress)
    case event(GathererEvent)
    case wait(until: Instant, GathererWaitReason)
}

/// Asks STUN servers how our sockets look from outside, and keeps the bindings alive (RFC 8445 §§ 5.1.1.2, 5.1.1.4).
///
/// One for all peers, since they share the sockets. Mutate once, then drain, as `ICEAgent`.
package struct ServerReflexiveGatherer {
    private var random: any RandomNumberGenerator & Sendable
    private var bindings: [ReflexiveBinding]
    private var pacing = Pacing()
    private var outputs = BoundedQueue<GathererOutput>(capacity: Limits.outputs)
    private var now: Instant
    private var wake = (due: Instant.distantFuture, reason: GathererWaitReason.nothing)
    package private(set) var isFinished = false

    /// - Parameter bases: our sockets, the most preferred first, in the order of the host candidates.
    package init(
        bases: [TransportAddress], servers: [TransportAddress], random: any RandomNumberGenerator & Sendable,
        at now: Instant
    ) {
        self.random = random
        self.now = now
        let servers = servers.filter(AddressFilter.allowsObserved).prefix(Limits.servers)
        let all = servers.flatMap { server in
            bases.prefix(Limits.localCandidates).enumerated().filter { $0.element.ip.isIPv6 == server.ip.isIPv6 }
                .map { index, base in
                    ReflexiveBinding(
                        base: base, server: server, localPreference: Candidate.localPreference(index: index),
                        state: .waiting(until: now))
                }
        }
        bindings = Array(all.prefix(Limits.bindings))
        run()
    }

    /// Every server-reflexive candidate now known; an address that two servers report stands once.
    package var candidates: [Candidate] {
        var seen: Set<AddressPair> = []
        return bindings.compactMap { binding in
            guard let candidate = binding.candidate, let address = binding.mapped,
                seen.insert(AddressPair(local: binding.base, remote: address)).inserted
            else { return nil }
            return candidate
        }
    }

    /// Whether a server tells how a socket of ours looks from outside, be it as it does here.
    package var hasAnswer: Bool { bindings.contains { $0.mapped != nil } }

    /// A datagram that came from `remote` to our socket `local`.
    /// - Returns: whether it answered a request of ours; otherwise it is for somebody else.
    @discardableResult
    package mutating func receive(
        _ bytes: RawSpan, local: TransportAddress, from remote: TransportAddress, at now: Instant
    ) -> Bool {
        self.now = max(self.now, now)
        guard bindings.contains(where: { $0.server == remote }), let response = try? STUNMessage(bytes),
            let index = bindings.firstIndex(where: { $0.isAsking(response.transactionID) }),
            bindings[index].server == remote, bindings[index].base == local
        else { return false }
        switch response.messageClass {
        case .success: learn(response.usableMapping(for: local), at: index)
        case .error: learn(nil, at: index)
        case .request, .indication: return false
        }
        run()
        return true
    }

    package mutating func advance(to now: Instant) {
        self.now = max(self.now, now)
        run()
    }

    package mutating func nextOutput() -> GathererOutput {
        outputs.popFirst() ?? .wait(until: wake.due, wake.reason)
    }

    // MARK: Answers

    /// The server's answer, or nil where there was none of use.
    private mutating func learn(_ mapped: TransportAddress?, at index: Int) {
        let before = bindings[index].candidate
        bindings[index].mapped = mapped
        bindings[index].hasResult = true
        let pause = mapped == nil ? Limits.serverRetry : refreshInterval()
        bindings[index].state = .waiting(until: now + pause)
        let after = bindings[index].candidate
        guard before != after else { return }
        if let after { emit(.mapped(after)) } else if let before { emit(.lost(before)) }
    }

    private mutating func refreshInterval() -> Duration {
        .milliseconds(Int64.random(in: Limits.bindingRefreshMilliseconds, using: &random))
    }

    // MARK: Requests

    private mutating func run() {
        for index in bindings.indices where bindings[index].due <= now { step(index) }
        if !isFinished, bindings.allSatisfy(\.hasResult) {
            isFinished = true
            emit(.finished)
        }
        wake = nextWake()
    }

    private mutating func step(_ index: Int) {
        switch bindings[index].state {
        case .waiting: if now >= pacing.ordinaryDue { ask(index) }
        case .asking(let id, var retransmission):
            switch retransmission.step(at: now) {
            case .sendAgain:
                bindings[index].state = .asking(id, retransmission)
                transmit(id, index)
            case .giveUp: learn(nil, at: index)
            }
        }
    }

    /// RFC 8445 § 14.3: RTO = max(500 ms, Ta × number of candidates).
    private mutating func ask(_ index: Int) {
        let id = TransactionID.random(using: &random)
        let timeout = max(Limits.retransmissionTimeout, Limits.checkInterval * bindings.count)
        bindings[index].state = .asking(id, Retransmission(timeout: timeout, at: now))
        transmit(id, index)
        pacing.sent(at: now)
    }

    private mutating func transmit(_ id: TransactionID, _ index: Int) {
        let bytes = STUNMessage(.request, id).encoded(fingerprint: false)
        _ = outputs.append(.transmit(bytes: bytes, from: bindings[index].base, to: bindings[index].server))
    }

    private mutating func emit(_ event: GathererEvent) { _ = outputs.append(.event(event)) }

    private func nextWake() -> (due: Instant, reason: GathererWaitReason) {
        guard let next = bindings.min(by: { due($0) < due($1) }) else { return (.distantFuture, .nothing) }
        return (due(next), next.isWaiting ? .request : .retransmission)
    }

    /// A request waits for its turn too.
    private func due(_ binding: ReflexiveBinding) -> Instant {
        binding.isWaiting ? max(binding.due, pacing.ordinaryDue) : binding.due
    }
}
