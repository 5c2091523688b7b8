/// The 96 bits that tie a response to its request (RFC 8489 § 5), "uniformly and randomly chosen".
package struct TransactionID: Hashable, Comparable, Sendable {
    /// The first eight bytes.
    package var high: UInt64
    /// The last four.
    package var low: UInt32

    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Of no meaning; what is due together is so done in one order, whatever a process hashes by.
    package static func < (a: TransactionID, b: TransactionID) -> Bool { (a.high, a.low) < (b.high, b.low) }

    package static func random(using random: inout some RandomNumberGenerator) -> TransactionID {
        TransactionID(high: random.next(), low: random.next())
    }
}
