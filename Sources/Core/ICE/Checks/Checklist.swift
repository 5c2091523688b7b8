import Datagrams

/// The pairs of one data stream in order of priority, and the queue of triggered checks (RFC 8445 §§ 6.1.2, 6.1.4).
struct Checklist {
    /// Highest priority first.
    private(set) var pairs: [CheckedPair] = []
    /// First in, first out; every pair at most once.
    private(set) var triggered: [AddressPair] = []

    subscript(addresses: AddressPair) -> CheckedPair? {
        pairs.first { $0.addresses == addresses }
    }

    var hasValidPair: Bool { pairs.contains(where: \.isValid) }
    /// Pairs that were or will be checked for the first time: N in the formula of RFC 8445 § 14.3.
    var pendingCount: Int { pairs.count(where: \.isPending) }

    mutating func update(_ addresses: AddressPair, _ body: (inout CheckedPair) -> Void) {
        guard let index = pairs.firstIndex(where: { $0.addresses == addresses }) else { return }
        body(&pairs[index])
    }

    // MARK: Pairs come and go

    /// Adds a pair that the candidates' lists make. A redundant one (same base, same remote candidate) is pruned,
    /// RFC 8445 § 6.1.2.4; above the limit the lowest priority goes, § 6.1.2.5.
    mutating func add(_ pair: CandidatePair, _ role: ICERole) {
        guard self[pair.addresses] == nil else { return }
        let entry = CheckedPair(pair, state: .frozen, role: role)
        guard makeRoom(for: entry, evenIfLowest: false) else { return }
        insert(entry)
        let isAlone = !pairs.contains { $0.foundation == entry.foundation && ($0.state == .waiting || $0.isInProgress) }
        if isAlone { update(entry.addresses) { $0.state = .waiting } }
    }

    /// Adds a pair that the peer's own check proved to matter; only valid pairs are safe from it.
    mutating func addObserved(_ pair: CandidatePair, _ role: ICERole) {
        guard self[pair.addresses] == nil else { return }
        let entry = CheckedPair(pair, state: .waiting, role: role)
        if makeRoom(for: entry, evenIfLowest: true) { insert(entry) }
    }

    /// Drops the pairs of a base that is gone, but for the one in use.
    /// - Returns: the checks that were in progress.
    mutating func remove(at base: TransportAddress, except addresses: AddressPair?) -> [TransactionID] {
        let gone = pairs.filter { $0.pair.local == base && $0.addresses != addresses }
        pairs.removeAll { $0.pair.local == base && $0.addresses != addresses }
        return gone.compactMap { if case .inProgress(let id) = $0.state { id } else { nil } }
    }

    private mutating func makeRoom(for entry: CheckedPair, evenIfLowest: Bool) -> Bool {
        if pairs.count < Limits.pairs { return true }
        // By priority none of a relay's would be left where both sides have many addresses, and it is what works at last.
        let relayed = pairs.count(where: \.pair.isRelayed)
        let mayGo = { [triggered, relayed] (pair: CheckedPair) in
            !pair.isValid && !triggered.contains(pair.addresses) && !(pair.pair.isRelayed && relayed <= Limits.relayedPairs)
        }
        guard let lowest = pairs.lastIndex(where: mayGo) else { return false }
        let isLastResort = entry.pair.isRelayed && relayed < Limits.relayedPairs
        guard evenIfLowest || isLastResort || pairs[lowest].priority < entry.priority else { return false }
        pairs.remove(at: lowest)
        return true
    }

    private mutating func insert(_ entry: CheckedPair) {
        let index = pairs.firstIndex { $0.priority < entry.priority } ?? pairs.count
        pairs.insert(entry, at: index)
    }

    /// A candidate's address stays, what is known about it changes: a peer-reflexive one was listed after all
    /// (RFC 8445 § 7.3.1.3).
    mutating func updateRemote(_ candidate: Candidate, _ role: ICERole) {
        for index in pairs.indices where pairs[index].pair.remote == candidate.address.transportAddress {
            pairs[index].pair.remoteCandidate = candidate
        }
        prioritise(role)
    }

    /// "A role switch requires an agent to recompute pair priorities" (RFC 8445 § 7.2.5.1).
    mutating func prioritise(_ role: ICERole) {
        for index in pairs.indices { pairs[index].priority = pairs[index].pair.priority(role) }
        pairs.sort { $0.priority > $1.priority }
    }

    // MARK: Turns

    /// Puts a pair into the queue of triggered checks (RFC 8445 § 6.1.4.1).
    mutating func trigger(_ addresses: AddressPair) {
        if !triggered.contains(addresses), self[addresses] != nil { triggered.append(addresses) }
    }

    mutating func nextTriggered() -> CheckedPair? {
        while !triggered.isEmpty {
            if let entry = self[triggered.removeFirst()] { return entry }
        }
        return nil
    }

    /// Forgets the queue but for pairs the peer nominated (RFC 8445 § 8.1.2).
    mutating func dropTriggered() {
        triggered = triggered.filter { self[$0]?.isNominated == true }
    }

    func hasOrdinary(where mayBeChecked: (CheckedPair) -> Bool) -> Bool {
        pairs.contains { $0.state == .waiting && mayBeChecked($0) } || pairs.contains { isFree($0, mayBeChecked) }
    }

    /// The pair whose turn it is (RFC 8445 § 6.1.4.2, steps 2 and 3).
    func nextOrdinary(where mayBeChecked: (CheckedPair) -> Bool) -> CheckedPair? {
        pairs.first { $0.state == .waiting && mayBeChecked($0) } ?? pairs.first { isFree($0, mayBeChecked) }
    }

    /// A frozen pair with no other of its foundation waiting or in progress.
    private func isFree(_ entry: CheckedPair, _ mayBeChecked: (CheckedPair) -> Bool) -> Bool {
        guard entry.state == .frozen, mayBeChecked(entry) else { return false }
        return !pairs.contains { $0.foundation == entry.foundation && ($0.state == .waiting || $0.isInProgress) }
    }

    /// Wakes the frozen pairs of a foundation: one of theirs succeeded (RFC 8445 § 7.2.5.3.3), or has had its first
    /// timeout. Without the latter, a peer that numbers all its candidates alike would hold them for 39.5 s.
    mutating func unfreeze(_ foundation: PairFoundation) {
        for index in pairs.indices where pairs[index].state == .frozen && pairs[index].foundation == foundation {
            pairs[index].state = .waiting
        }
    }

    /// A new round for every pair but one, the one in use that fell silent.
    /// - Returns: the checks that were in progress.
    mutating func recheck(except addresses: AddressPair? = nil) -> [TransactionID] {
        stopChecks { entry in entry.addresses != addresses }
    }

    /// Takes pairs out of progress (RFC 8445 § 8.1.2: "the agent cancels the In-Progress transaction").
    /// - Returns: their transactions.
    mutating func cancel(where leaves: (CheckedPair) -> Bool) -> [TransactionID] {
        stopChecks { entry in entry.isInProgress && leaves(entry) }
    }

    private mutating func stopChecks(where affected: (CheckedPair) -> Bool) -> [TransactionID] {
        var stopped: [TransactionID] = []
        for index in pairs.indices where affected(pairs[index]) {
            if case .inProgress(let id) = pairs[index].state { stopped.append(id) }
            pairs[index].state = .waiting
        }
        return stopped
    }
}
