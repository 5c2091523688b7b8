import Timebase

/// Whether packets can have come when the peer says: none came before it left, or after it was told of. Whoever says otherwise
/// has a clock that jumps, or lies; then, for a while, packets count as having come by and by since the last were told of, on
/// our own clock. A lie that stays within a round trip does no more harm than a queue of that length.
struct ArrivalTimes: Sendable {
    /// Of what was told lately: the least from leaving to arrival, the clocks' difference in it.
    private var least = RecentMinimum(seconds: Limits.secondsOfArrivalClock)
    private var distrustedUntil: Instant?
    private var lastTold: Instant?

    /// They are the peer's own.
    private(set) var areTrusted = true

    /// Puts our own times in place of those that can't be true.
    ///
    /// - Parameter roundTrip: the least from leaving to being told of.
    /// - Returns: whether the reports' times are on another clock than those before.
    mutating func weigh(_ reports: inout [PacketReport], roundTrip: Duration, at now: Instant) -> Bool {
        let wereTrusted = areTrusted
        if contradict(reports, at: now) { distrustedUntil = now + Limits.distrustOfArrivals }
        areTrusted = distrustedUntil.map { now >= $0 } ?? true
        if !areTrusted { spread(&reports, roundTrip, until: now) }
        lastTold = now
        return areTrusted != wereTrusted
    }

    private func spread(_ reports: inout [PacketReport], _ roundTrip: Duration, until now: Instant) {
        let came = reports.indices.filter { reports[$0].arrival != nil }
        let time = now - (lastTold ?? now)
        for (position, index) in came.enumerated() {
            let instant = now - time * Double(came.count - 1 - position) / Double(came.count)
            // Behind a pause all of them have left since.
            reports[index].arrival = min(now, max(instant, reports[index].sentAt + roundTrip)).sinceZero
        }
    }

    private mutating func contradict(_ reports: [PacketReport], at now: Instant) -> Bool {
        let arrivals = reports.lazy.compactMap { report in report.arrival.map { (at: $0, sentAt: report.sentAt) } }
        guard let newest = arrivals.map(\.at).max(), let delay = arrivals.map({ $0.at - $0.sentAt.sinceZero }).min() else {
            return false
        }
        least.note(delay, at: now)
        return newest - now.sinceZero > (least.value ?? delay) + Limits.slackOfArrivals
    }
}

extension Instant {
    fileprivate var sinceZero: Duration { .nanoseconds(nanoseconds) }
}
