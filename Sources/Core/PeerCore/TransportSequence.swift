/// The transport-wide sequence numbers of one peer: one counter for all its streams, in the order in which packets leave.
struct TransportSequence {
    private var next: UInt16

    /// - Parameter random: RFC 3550 § 5.1 wants random starts of every counter.
    init(random: inout any RandomNumberGenerator & Sendable) {
        next = UInt16.random(in: 0..<0x8000, using: &random)
    }

    mutating func take() -> UInt16 {
        defer { next &+= 1 }
        return next
    }
}
