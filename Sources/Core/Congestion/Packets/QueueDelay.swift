import Timebase

/// How long packets wait in queues on their way: the one-way delay above the least that was seen lately (LEDBAT, RFC
/// 6817 § 3.4.2; the clocks' difference falls out).
struct QueueDelay: Sendable {
    private var base = RecentMinimum(seconds: Limits.secondsOfBaseDelay)
    private var newest: Duration?
    /// What waited least of the packets reported last: a picture's own length does not count as a queue.
    private(set) var standing = Duration.zero
    /// How far delays scatter above that, smoothed.
    private(set) var jitter = Duration.zero
    /// Too few packets to judge by wait for the next feedback.
    private var pending: [Duration] = []
    private var lastReport: Instant?
    /// Since when the queue has been about as long as this.
    private var plateau: (delay: Duration, since: Instant)?
    private var least: (delay: Duration, since: Instant)?

    init() {}

    /// - Parameter isHeld: another flow keeps the queue from emptying: its least length is no base.
    mutating func observe(_ reports: [PacketReport], isHeld: Bool = false, at now: Instant) {
        // Clocks drift in a pause.
        if let lastReport, now - lastReport > Limits.pauseOfBaseDelay { pending.removeAll() }
        if !reports.isEmpty { lastReport = now }
        pending += reports.compactMap { report in
            report.arrival.map { $0 - .nanoseconds(report.sentAt.nanoseconds) }
        }
        guard pending.count >= Limits.packetsOfStandingQueue, let least = pending.min() else { return }
        base.note(isHeld ? min(least, base.value ?? least) : least, at: now)
        newest = least
        standing = max(.zero, min(Limits.longestQueue, least - (base.value ?? least)))
        scatter(least)
        pending.removeAll(keepingCapacity: true)
        followPlateau(at: now)
    }

    /// The first packets of bursts scatter by the path's jitter; the rest of a burst by its own length.
    private mutating func scatter(_ least: Duration) {
        // A queue that grows is no jitter.
        guard let first = pending.first, standing < Limits.queueTarget else { return }
        let excess = min(first - least, Limits.longestJitter)
        jitter += (excess - jitter) / 16
    }

    /// The path has changed: what was the least before counts no more.
    mutating func forget() {
        if let newest { base.restart(with: newest) }
        standing = .zero
        (plateau, least) = (nil, nil)
    }

    /// Another path: nothing of before is comparable.
    mutating func restart() {
        let jitter = jitter
        self = QueueDelay()
        self.jitter = jitter
    }

    /// By the least of some time: what we send ourselves comes and goes.
    private mutating func followPlateau(at now: Instant) {
        let interval = least ?? (standing, now)
        least = (min(interval.delay, standing), interval.since)
        guard let least, now - least.since >= Limits.plateauInterval else { return }
        self.least = (standing, now)
        if let plateau, (least.delay - plateau.delay).magnitude < Limits.plateauWidth { return }
        plateau = least
    }

    /// How long the queue has kept its length: one of ours would follow what we send.
    func steadyTime(at now: Instant) -> Duration {
        guard let plateau, let least, least.delay - plateau.delay < Limits.plateauWidth else { return .zero }
        return now - plateau.since
    }
}
