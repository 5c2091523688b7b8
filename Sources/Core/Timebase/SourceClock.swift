/// Maps timestamps of another clock, an embedder's or a server's, to ours by the smallest delay seen; starts again after a
/// jump, and where everything has come late for a while: behind a stall, for one. What is mapped is never later than it came.
package struct SourceClock: Sendable {
    /// Beyond this the other clock was set, or wrapped, or one of the two does not count what the machine sleeps.
    private static let jump = Duration.seconds(1)
    /// Thirty million years: no clock counts from further away, and more could not be subtracted.
    private static let furthest = Duration.seconds(1_000_000_000_000_000)
    /// A clock that runs slow is followed as fast as this: crystals are off by a twentieth of it.
    private static let drift = 0.001
    private var known: (offset: Duration, at: Instant)?
    /// All that comes in this time is late by more than this: bursts are shorter.
    private static let lateness = Duration.milliseconds(50)
    private static let patience = Duration.seconds(2)
    private var recent: (since: Instant, least: Duration)?

    package init() {}

    /// By how much our clock is ahead of the other; nil where nothing has come for a while.
    package func offset(at now: Instant) -> Duration? {
        known.flatMap { max(now - $0.at, $0.at - now) < Self.patience ? $0.offset : nil }
    }

    /// The same, however long ago it was.
    package var toldOffset: Duration? { known?.offset }

    /// And where nothing has come for a while what it would be by now if the clock ran as slow as can be.
    package func lastingOffset(at now: Instant) -> Duration? {
        guard let known else { return nil }
        let silence = now - known.at
        return known.offset + max(.zero, silence - Self.patience) * Self.drift
    }

    package static func bounded(_ timestamp: Duration) -> Duration { min(max(.zero - furthest, timestamp), furthest) }

    package mutating func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
        let timestamp = Self.bounded(timestamp)
        let observed: Duration = (now - .zero) - timestamp
        if let stalled = stalled(observed, at: now) { known = (stalled, now) }
        if let known, observed >= known.offset, observed - known.offset < Self.jump {
            let followed = min(observed, known.offset + max(.zero, now - known.at) * Self.drift)
            self.known = (followed, max(now, known.at))
            return .zero + (followed + timestamp)
        }
        known = (observed, now)
        recent = nil
        return now
    }

    /// The least delay of a while in which all was late.
    private mutating func stalled(_ observed: Duration, at now: Instant) -> Duration? {
        let least = min(recent?.least ?? observed, observed)
        let since = recent?.since ?? now
        recent = (since, least)
        guard now - since >= Self.patience else { return nil }
        recent = nil
        guard let known, least - known.offset > Self.lateness else { return nil }
        return least
    }
}
