import Datagrams
import Timebase

/// Local candidates and the pairs they make (RFC 8445 § 6.1.2).
extension ICEAgent {
    /// Time never runs backwards here, whatever the caller says.
    mutating func tick(_ instant: Instant) { now = max(now, instant) }

    /// The candidate that stands for each socket: "for each pair where the local candidate is reflexive, the candidate
    /// MUST be replaced by its base" (RFC 8445 § 6.1.2.4), so one is enough.
    var bases: [Candidate] {
        var seen: Set<TransportAddress> = []
        let sockets = localCandidates.compactMap(\.base).filter { seen.insert($0).inserted }
        return sockets.compactMap(localCandidate(at:))
    }

    func localCandidate(at base: TransportAddress) -> Candidate? {
        localCandidates.filter { $0.base == base }.max { $0.priority < $1.priority }
    }

    /// False for a candidate we cannot send from, or have already (RFC 8445 § 5.1.3). What the same server saw of the same
    /// socket before is forgotten: the NAT has given it another address.
    @discardableResult
    mutating func append(_ candidate: Candidate) -> Bool {
        guard candidate.base != nil, policy.allows(candidate), candidate.transport.isLocal,
            candidate.componentID == 1,
            !localCandidates.contains(where: { $0.base == candidate.base && $0.address == candidate.address })
        else { return false }
        if let older = localCandidates.firstIndex(where: { $0.isReplaced(by: candidate) }) {
            localCandidates[older] = candidate
            return true
        }
        guard makeRoom(for: candidate) else { return false }
        localCandidates.append(candidate)
        return true
    }

    /// A socket, or a relay, is worth more than what one server of many sees of a socket.
    private mutating func makeRoom(for candidate: Candidate) -> Bool {
        if localCandidates.count < Limits.localCandidates { return true }
        guard candidate.type != .serverReflexive,
            let oldest = localCandidates.firstIndex(where: { $0.type == .serverReflexive })
        else { return false }
        localCandidates.remove(at: oldest)
        return true
    }

    /// Nothing is sent to our own sockets, should the peer list their addresses.
    mutating func pair(_ local: Candidate, _ remote: Candidate) {
        guard local.transport.isCheckedWith(remote.transport), let pair = CandidatePair(local, remote),
            AddressFilter.allows(from: pair.local, to: pair.remote),
            localCandidate(at: pair.remote) == nil
        else { return }
        session.checklist.add(pair, role)
    }

    mutating func emit(_ event: ICEEvent) { queue(.event(event)) }

    mutating func transmit(_ bytes: [UInt8], on addresses: AddressPair) {
        queue(.transmit(bytes: bytes, from: addresses.local, to: addresses.remote))
    }

    /// A full queue drops, as a network would.
    private mutating func queue(_ output: ICEOutput) { _ = outputs.append(output) }
}

extension Candidate {
    /// Whether the same server has told both of the same socket: then their foundations are equal (RFC 8445 § 5.1.1.3).
    fileprivate func isReplaced(by other: Candidate) -> Bool {
        type == .serverReflexive && other.type == type && other.base == base && other.foundation == foundation
    }
}
