/// What repair may spend: a share of the media that was sent, so that who asks for everything again gets no more than that.
package struct RepairBudget: Sendable {
    private var bytes: Int
    private var capacity: Int

    /// - Parameter bitsPerSecond: of the media; a second's share is saved up at most.
    package init(bitsPerSecond: Int) {
        capacity = Self.capacity(bitsPerSecond)
        bytes = Limits.firstRepairs
    }

    package mutating func set(bitsPerSecond: Int) {
        capacity = Self.capacity(bitsPerSecond)
        bytes = min(bytes, capacity)
    }

    private static func capacity(_ bitsPerSecond: Int) -> Int {
        max(Limits.firstRepairs, bitsPerSecond / 8 / Limits.repairShare)
    }

    /// Media left.
    package mutating func earn(_ sent: Int) { bytes = min(capacity, bytes + sent / Limits.repairShare) }

    /// True, and `amount` is spent, where that much is there.
    ///
    /// - Parameter isGuess: nobody asked for it; a quarter of what there is at first is left for what is asked for.
    package mutating func spend(_ amount: Int, isGuess: Bool = false) -> Bool {
        guard bytes - amount >= (isGuess ? Limits.firstRepairs / 4 : 0) else { return false }
        bytes -= amount
        return true
    }
}
