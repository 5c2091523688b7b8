import Timebase

/// Holds back devices that are not driven by a clock: ALSA's `null` and `file` give as much as they are asked for.
/// Devices that are never get here, however long their reader was held up.
struct Pace {
    /// What may be read by now.
    private var allowance = Limits.firstBacklog
    private var latest: Instant?

    /// - Returns: how long a piece of sound may be read now.
    mutating func allowance(at now: Instant) -> Duration {
        let passed = max(.zero, now - (latest ?? now))
        latest = max(now, latest ?? now)
        allowance = min(Limits.backlog, allowance + passed * Limits.fastestClock)
        return allowance
    }

    mutating func spend(_ duration: Duration) { allowance -= duration }
}
