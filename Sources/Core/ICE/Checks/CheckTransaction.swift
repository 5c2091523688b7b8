import Timebase

/// One Binding request of ours whose answer may still come.
struct CheckTransaction {
    /// What the answer means.
    enum Purpose: Hashable {
        /// A connectivity check (RFC 8445 § 7.2).
        case check
        /// A check with USE-CANDIDATE that concludes ICE (RFC 8445 § 8.1.1).
        case nomination
        /// Keeps the right to send (RFC 7675 § 5.1): sent once, never fails its pair.
        case consent
    }

    let id: TransactionID
    let addresses: AddressPair
    let purpose: Purpose
    /// The role the request claimed (RFC 8445 § 7.2.5.1).
    let role: ICERole
    /// It nominates its pair.
    let usesCandidate: Bool
    /// The request's PRIORITY, which a peer-reflexive candidate takes over (RFC 8445 § 7.2.5.3.1).
    let priority: UInt32
    /// The peer's: its password signs the answer.
    let credentials: ICECredentials
    let bytes: [UInt8]
    let startedAt: Instant
    var retransmission: Retransmission
    /// Not sent again, but an answer counts (RFC 8445 § 7.3.1.4).
    var isCancelled = false

    var due: Instant {
        isCancelled ? startedAt + Limits.transactionTime : retransmission.due
    }

    /// Which of the two makes room for others.
    fileprivate func leavesBefore(_ other: CheckTransaction) -> Bool {
        isCancelled == other.isCancelled ? (startedAt, id) < (other.startedAt, other.id) : isCancelled
    }

    /// What it took, where the answer comes now. Only first tries tell (RFC 8489 § 6.2.1, Karn's algorithm).
    func roundTrip(at now: Instant) -> Duration? { retransmission.sent == 1 ? now - startedAt : nil }
}

/// Every request in the air, by transaction ID.
struct TransactionTable {
    private var transactions: [TransactionID: CheckTransaction] = [:]

    var count: Int { transactions.count }

    /// The next instant at which something is to do.
    var due: Instant? { transactions.values.map(\.due).min() }

    subscript(id: TransactionID) -> CheckTransaction? { transactions[id] }

    /// Where the table is full the oldest goes, its answer has had the longest time to come: of the cancelled ones, as long as
    /// there are any. The end of another is waited for; its pair would never be checked again.
    mutating func insert(_ transaction: CheckTransaction) {
        if transactions.count >= Limits.transactions,
            let oldest = transactions.values.min(by: { $0.leavesBefore($1) })
        {
            transactions[oldest.id] = nil
        }
        transactions[transaction.id] = transaction
    }

    mutating func remove(_ id: TransactionID) { transactions[id] = nil }

    mutating func removeAll(where leaves: (CheckTransaction) -> Bool) {
        transactions = transactions.filter { !leaves($0.value) }
    }

    mutating func cancel(_ id: TransactionID) { transactions[id]?.isCancelled = true }

    /// One transaction that is due, with what to do; it is gone from the table where that is to give up.
    mutating func step(at now: Instant) -> (CheckTransaction, Retransmission.Step)? {
        guard var next = transactions.values.min(by: { ($0.due, $0.id) < ($1.due, $1.id) }), next.due <= now else { return nil }
        let step = next.isCancelled ? .giveUp : next.retransmission.step(at: now)
        transactions[next.id] = step == .giveUp ? nil : next
        return (next, step)
    }
}
