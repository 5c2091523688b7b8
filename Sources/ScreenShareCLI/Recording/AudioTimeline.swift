import Timebase

/// Where in its file sound belongs: where its own clock says, as long as that goes with the time that passes.
///
/// A clock that leaps began anew, and one that leaps ahead would fill the disk with silence: the file goes on where it
/// ends, and the sound stays so much off until its clock is right again or leaps once more. In ticks of 1/48000 s.
struct AudioTimeline {
    /// From the sound's clock to the file's.
    private var shift: Int64 = 0
    private let openedAt: ContinuousClock.Instant
    private var lastHeardAt: ContinuousClock.Instant

    init(openedAt: ContinuousClock.Instant) {
        (self.openedAt, lastHeardAt) = (openedAt, openedAt)
    }

    /// - Parameters:
    ///   - timestamp: by the sound's clock, from 0 up, but for a piece that begins before the file does.
    ///   - end: where the file's sound ends.
    mutating func place(_ timestamp: Int64, heardAt: ContinuousClock.Instant, behind end: Int64) -> Int64 {
        let passed = Self.ticks(from: lastHeardAt, to: heardAt)
        lastHeardAt = heardAt
        // Steps that are each allowed must not add up.
        let most = min(end.addingSaturating(passed), Self.fastest * Self.ticks(from: openedAt, to: heardAt))
        let possible = end.subtractingSaturating(Self.leap)...max(end, most.addingSaturating(Self.leap))
        let place = timestamp.addingSaturating(shift)
        if possible.contains(place) { return place }
        shift = possible.contains(timestamp) ? 0 : end.subtractingSaturating(timestamp)
        return timestamp.addingSaturating(shift)
    }

    private static func ticks(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Int64 {
        max(0, AudioTime(elapsed: start.duration(to: end)).ticks)
    }

    /// Ten seconds, as pictures have it: no packet is held up for so long.
    private static let leap: Int64 = 10 * AudioTime.ticksPerSecond
    /// A file gets ahead of the clock where a joiner's pictures come all at once and each takes its time, and sound goes by
    /// where the pictures are; twice as long as it was written for it never gets.
    private static let fastest: Int64 = 2
}
