import Timebase

/// The work on pictures before their slots: changes are read, compared and converted as they come, repeats among them.
/// It takes from the period that encoding has.
struct PictureWork {
    private var ahead = Duration.zero
    /// When the last picture was done.
    private var doneAt = Instant.zero

    /// A change was looked at, for so long.
    mutating func looked(for time: Duration) { ahead += time }

    /// What of the looks since the last picture counts with one whose own work began and ended then: all of it, or the share
    /// of one period where they were spread over several.
    mutating func take(begun: Instant, ended: Instant, period: Duration) -> Duration {
        defer { (ahead, doneAt) = (.zero, ended) }
        let elapsed = begun - doneAt
        return elapsed > period ? ahead * (period / elapsed) : ahead
    }
}
