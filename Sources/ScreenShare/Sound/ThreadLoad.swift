import Timebase

/// Whether a thread takes so much of a processor that it must not go ahead of others.
struct ThreadLoad {
    private var begun: (at: Instant, used: Duration)?

    /// Looks once in a while.
    ///
    /// - Parameter used: what the thread has used of a processor so far.
    mutating func isTooMuch(used: @autoclosure () -> Duration, at now: Instant) -> Bool {
        if let begun, now - begun.at < ThreadLoadLimits.interval { return false }
        let (before, present) = (begun, used())
        begun = (now, present)
        guard let before else { return false }
        return present - before.used > (now - before.at) / ThreadLoadLimits.leastRest
    }
}

enum ThreadLoadLimits {
    /// What is caught up with after a stall (`AudioLimits.longestCatchUp`) takes a tenth of it.
    static let interval = Duration.seconds(1)
    /// It rests for half of the time at least; sound takes some hundredths.
    static let leastRest = 2
}
