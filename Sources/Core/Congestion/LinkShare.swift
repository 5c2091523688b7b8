import Timebase

/// What is known of a link that others use as well: all that it takes, and how much was too much for it last.
///
/// A train of packets measures the link, whoever else uses it: each of several flows would take all of it, again and
/// again. So for some time after a queue, trains raise nobody above what came through it then; from there on all grow by
/// the same amount, a part of what the link takes, whatever each of them has: it is those who have little that gain by it
/// (D.-M. Chiu, R. Jain, "Analysis of the increase and decrease algorithms for congestion avoidance", 1989).
struct LinkShare: Sendable {
    /// Bits per second by trains, smoothed; 0 before the first.
    private var linkRate = 0
    private var excess: (rate: Int, at: Instant)?

    mutating func noteTrain(_ rate: Int) { linkRate += (rate - linkRate) / (linkRate == 0 ? 1 : 8) }

    /// The queue was too long, though no more than this came through.
    mutating func noteExcess(_ rate: Int, at now: Instant) { excess = (rate, now) }

    /// Nobody else is there any more, or it was long ago.
    ///
    /// - Parameter emptySince: since when there has been no queue.
    mutating func forget(emptySince: Instant?, at now: Instant) {
        guard let excess else { return }
        let isOver = emptySince.map { now - $0 > Limits.emptyTime } ?? false
        if isOver || now - excess.at > Limits.shareMemory { self.excess = nil }
    }

    /// The most that trains may raise what is known to.
    func bound(_ capacity: Int) -> Int { excess.map { max(capacity, $0.rate) } ?? .max }

    /// Of what a flow is to grow by a part each second.
    func growthBase(_ capacity: Int) -> Int { max(capacity, min(linkRate, capacity * Limits.growthAdvantage)) }
}
