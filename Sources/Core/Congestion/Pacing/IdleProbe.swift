import Timebase

/// When a path that nothing is sent on is to be measured: a screen rests, and its next page is to leave at the rate that
/// the path takes by then, not at the one of long ago.
///
/// A train of packets, a few seconds after pictures ended and then ever more seldom; `PacketTrain` weighs it like any
/// other.
package struct IdleProbe: Sendable {
    /// Packets of the train under way.
    private var left = 0
    private var interval = Limits.probeInterval
    /// When the next train may begin.
    private var opensAt = Instant.zero
    private var capacity = 0
    /// When the path was measured last.
    private var measuredAt = Instant.zero

    package init() {}

    /// When the next packet of a train is wanted.
    ///
    /// - Parameters:
    ///   - isWanted: whether there is anything to be learnt.
    ///   - capacity: what the path is thought to take by now: where that has fallen since, there is much.
    package func due(isWanted: Bool, capacity: Int = .max) -> Instant? {
        guard isWanted else { return nil }
        if left > 0 { return .zero }
        return hasFallen(capacity) ? min(opensAt, measuredAt + Limits.probeInterval) : opensAt
    }

    private func hasFallen(_ capacity: Int) -> Bool { capacity < self.capacity - self.capacity / 10 }

    /// One packet of a train leaves.
    ///
    /// - Parameters:
    ///   - capacity: what the path is thought to take, in bits per second.
    ///   - rate: how fast the train leaves.
    package mutating func sent(capacity: Int, rate: Int, at now: Instant) {
        if left == 0 {
            let bytes = Double(rate) / 8 * Limits.probeTime.inSeconds
            left = max(Limits.packetsOfProbe, min(Limits.packetsOfLongTrain, Int(bytes) / Limits.probeBytes))
            // As long as each finds more, or less, the next follows soon.
            let isNews = capacity > self.capacity + self.capacity / 10 || hasFallen(capacity)
            interval = isNews ? Limits.probeInterval : min(interval * 2, Limits.longestProbeInterval)
            self.capacity = capacity
        }
        left -= 1
        if left == 0 { (measuredAt, opensAt) = (now, now + interval) }
    }

    /// Pictures leave: they measure the path themselves, unless they are too small to be a train.
    package mutating func mediaSent(packets: Int, at now: Instant) {
        if packets >= Limits.packetsOfTrain {
            left = 0
            (measuredAt, opensAt) = (now, max(opensAt, now + Limits.probePause))
        } else if left > 0 {
            left = 0
            opensAt = now + interval
        }
    }

    /// Much was sent: the path is known anew, and soon not so any more.
    package mutating func pageSent(at now: Instant) {
        interval = Limits.probeInterval
        (measuredAt, opensAt) = (now, now + interval)
    }
}
