import Timebase

/// The work on pictures before their slots: changes are read, compared and converted as they come, repeats among them.
/// It takes from the period that encoding has. So does waiting for who draws them, such as a slow X server, which is no
/// work: a smaller preset makes that no shorter.
struct PictureWork {
    private var ahead = Duration.zero
    private var waiting = Duration.zero
    /// When the last picture was done.
    private var doneAt = Instant.zero

    /// A change was looked at, for so long, the waiting left out.
    mutating func looked(for time: Duration) { ahead += time }

    /// A picture was waited for, for so long.
    mutating func waited(for time: Duration) { waiting += time }

    /// What of the looks, and of the waiting, since the last picture counts with one whose own work began and ended then: all
    /// of it, or the share of one period where they were spread over several.
    mutating func take(begun: Instant, ended: Instant, period: Duration) -> (ahead: Duration, waiting: Duration) {
        defer { (ahead, waiting, doneAt) = (.zero, .zero, ended) }
        let elapsed = begun - doneAt
        guard elapsed > period else { return (ahead, waiting) }
        return (ahead * (period / elapsed), waiting * (period / elapsed))
    }
}
