import Datagrams

/// What became of a candidate that the peer listed.
package enum CandidateOutcome: Hashable, Sendable {
    case accepted
    /// An mDNS name: nothing to do but wait for the peer's own checks.
    case unresolvable
    /// Neither UDP nor a listener of TCP's, not component 1, or of another ICE session.
    case unsupported
    /// An address nobody should be sent checks at.
    case filtered
    case duplicate
    case tooMany
}

/// The peer's candidates, listed and observed, never more than the limit.
struct RemoteCandidates {
    private(set) var all: [Candidate] = []

    subscript(address: TransportAddress) -> Candidate? {
        all.first { $0.address.transportAddress == address }
    }

    /// Takes a listed candidate; one that was observed before gets its real type and priority (RFC 8445 § 7.3.1.3).
    mutating func add(_ candidate: Candidate) -> CandidateOutcome {
        guard candidate.transport.isReachable, candidate.componentID == 1 else { return .unsupported }
        guard let address = candidate.address.transportAddress else { return .unresolvable }
        guard AddressFilter.allowsListed(address) else { return .filtered }
        if let index = all.firstIndex(where: { $0.address.transportAddress == address }) {
            guard all[index].type == .peerReflexive, candidate.type != .peerReflexive else { return .duplicate }
            all[index] = candidate
            return .accepted
        }
        guard all.count < Limits.remoteCandidates else { return .tooMany }
        all.append(candidate)
        return .accepted
    }

    /// Takes a candidate that an authenticated check came from. Where the list is full, one that led nowhere makes
    /// room: a flood of listed addresses must not shut out the address that works.
    mutating func addObserved(_ candidate: Candidate, isInUse: (Candidate) -> Bool) {
        if all.count >= Limits.remoteCandidates {
            guard let index = all.lastIndex(where: { !isInUse($0) }) else { return }
            all.remove(at: index)
        }
        all.append(candidate)
    }
}
