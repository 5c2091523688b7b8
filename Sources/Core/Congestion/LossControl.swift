import Timebase

/// Tells loss that comes of too much from loss that a path has anyway.
///
/// Loss with a queue is the queue's; without one it may be a policer's, which less to send mends, or radio's, which it
/// does not. So observations of a quarter of a second are compared: where those with less sent lost as much, loss is the
/// path's own and no reason to send less (draft-ietf-rmcat-gcc-02 § 5.2 and libwebrtc's second version infer likewise).
package struct LossControl: Sendable {
    private struct Observation: Sendable {
        var rate: Double
        var loss: Double
    }

    private var observations: [Observation] = []
    private var sent = 0
    private var lost = 0
    private var bytes = 0
    private var began: Instant?
    /// Of what was reported last, 0…1.
    package private(set) var loss = 0.0
    /// Smoothed over some seconds.
    package private(set) var lasting = 0.0
    /// And over half a minute.
    package private(set) var ambient = 0.0
    /// What the path loses whatever is sent.
    package private(set) var inherent = 0.0

    package init() {}

    /// - Parameter isCompeting: another flow fills the queue until it overflows.
    /// - Returns: the factor by which to send less; nil where there is nothing new, or no reason.
    package mutating func observe(
        _ reports: [PacketReport], queueIsShort: Bool, isCompeting: Bool = false, at now: Instant
    ) -> Double? {
        for report in reports {
            if report.wasLost {
                lost = max(0, lost - 1)
                continue
            }
            sent += 1
            bytes += report.bytes
            if report.arrival == nil { lost += 1 }
        }
        let start = began ?? now
        began = start
        guard now - start >= Limits.lossInterval, sent >= Limits.packetsOfLossObservation else { return nil }
        let seconds = max(0.01, (now - start).inSeconds)
        loss = Double(lost) / Double(sent)
        lasting += (loss - lasting) / 8
        ambient += (loss - ambient) / 32
        observations.append(Observation(rate: Double(bytes) * 8 / seconds, loss: loss))
        if observations.count > Limits.lossObservations { observations.removeFirst() }
        (sent, lost, bytes, began) = (0, 0, 0, now)
        return verdict(queueIsShort: queueIsShort, isCompeting: isCompeting)
    }

    private mutating func verdict(queueIsShort: Bool, isCompeting: Bool) -> Double? {
        infer()
        // As the other flow does, and about as much (RFC 9438 § 4.6), so that each gets its share.
        if isCompeting, loss - inherent > Limits.toleratedLoss { return Limits.yieldToLoss }
        let excess = queueIsShort ? loss - inherent : loss
        guard excess > Limits.heavyLoss else { return nil }
        return 1 - 0.5 * excess
    }

    /// Compares the half with less sent to the half with more.
    private mutating func infer() {
        let sorted = observations.sorted { $0.rate < $1.rate }
        let half = sorted.count / 2
        guard half > 0, let least = sorted.first, let most = sorted.last else {
            inherent = loss
            return
        }
        func mean(_ part: ArraySlice<Observation>) -> Double { part.reduce(0) { $0 + $1.loss } / Double(part.count) }
        let (low, high) = (mean(sorted.prefix(half)), mean(sorted.suffix(half)))
        // Rates that hardly differ tell nothing; what was thought before stays.
        guard most.rate > least.rate * 1.2 else {
            inherent = max(inherent, min(low, high))
            return
        }
        inherent = low > 0.6 * high ? max(low, high) : low
    }

    /// The path is another now.
    package mutating func forget() {
        observations.removeAll()
        (sent, lost, bytes, began) = (0, 0, 0, nil)
        (loss, lasting, inherent, ambient) = (0, 0, 0, 0)
    }
}
