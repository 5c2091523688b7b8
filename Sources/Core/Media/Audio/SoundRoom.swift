import Timebase

/// What of a viewer's path its sound may take, in steps: an eighth, as of a share (`share(of:atMost:)`). Headers come on top,
/// and where packets get lost copies, up to a half of the path.
///
///     all ─┬─ 256 ─ … ─ 96 ─ 64 ─ 48 ─ 32 ─ 24 kbit/s
///          └ while the path takes all that there may be, or enough for any sound
///
/// What is more than an eighth for two seconds falls to that. It rises once a tenth has been more for ten seconds, to the
/// least of that time. A path whose rate swings about a border, or falls for a moment, changes nothing.
package struct SoundRoom: Sendable {
    /// `Int.max`: all there is.
    package private(set) var bitsPerSecond = Int.max
    private var change: (rises: Bool, since: Instant, bitsPerSecond: Int)?

    package init() {}

    /// What sound may take of a share's bit rate: an eighth, for pictures suffer more.
    package static func share(of bitsPerSecond: Int, atMost maximum: Int) -> Int {
        max(AudioLimits.leastOfShare, min(maximum, bitsPerSecond / AudioLimits.pathPerSound))
    }

    /// - Parameters:
    ///   - pathRate: what the path takes of all kinds together, in bits per second.
    ///   - isLimited: it is less than there may be.
    /// - Returns: what sound may take from now on, where that has changed.
    package mutating func update(pathRate: Int, isLimited: Bool, at now: Instant) -> Int? {
        let most = isLimited ? Self.step(within: pathRate / AudioLimits.pathPerSound) : .max
        let safe = isLimited ? Self.step(within: pathRate / AudioLimits.pathPerMoreSound) : .max
        guard most < bitsPerSecond || safe > bitsPerSecond else {
            change = nil
            return nil
        }
        let rises = most >= bitsPerSecond
        var next = (rises: rises, since: now, bitsPerSecond: rises ? safe : most)
        if let change, change.rises == rises {
            next.since = change.since
            // A moment that was worse than the rest counts for no fall, and one that was better for no rise.
            next.bitsPerSecond = rises ? min(safe, change.bitsPerSecond) : max(most, change.bitsPerSecond)
        }
        let isOver = now - next.since >= (rises ? AudioLimits.timeOfMoreSound : AudioLimits.timeOfLessSound)
        change = isOver ? nil : next
        guard isOver else { return nil }
        bitsPerSecond = next.bitsPerSecond
        return bitsPerSecond
    }

    private static func step(within bitsPerSecond: Int) -> Int {
        if bitsPerSecond >= AudioLimits.mostSound { return .max }
        return AudioLimits.soundSteps.last { $0 <= bitsPerSecond } ?? AudioLimits.leastSound
    }
}
