import Timebase

/// Makes even timestamps of what a device says about its delay: when the first frame of each block was heard.
///
/// Blocks follow each other without a gap, so that each one's moment is foretold by the one before; a share of the
/// difference to what the device says is added, which follows its clock and leaves the jitter out.
struct TimestampSmoother {
    /// When the next block begins, if its sound follows without a gap.
    private var expected: Instant?
    private var age = Duration.zero
    /// How far off the device's last statement was, and how many in a row were as far off.
    private var stray = Duration.zero
    private var strays = 0

    /// - Parameters:
    ///   - measured: when the block's first frame was heard, by the device's own account.
    ///   - duration: of the block.
    ///   - lateness: by how much that account may be late, because the block was read some time after it had come. What
    ///     is late by no more says nothing against what was foretold.
    mutating func stamp(_ measured: Instant, duration: Duration, lateness: Duration = .zero) -> Instant {
        guard let expected else { return begin(at: measured, duration) }
        let late = measured - expected
        let error = late - max(.zero, min(lateness, late))
        age += duration
        guard error.magnitude < Limits.strayTime else {
            strays = (error - stray).magnitude < Limits.strayTolerance ? strays + 1 : 1
            stray = error
            return strays < Limits.strays ? advance(expected, duration) : begin(at: measured, duration)
        }
        strays = 0
        let averaging = max(Limits.firstAveraging, min(age / 4, Limits.averaging))
        return advance(expected + error * min(1, duration / averaging), duration)
    }

    /// Sound was lost: what comes next does not follow what came before.
    mutating func interrupt() { expected = nil }

    private mutating func begin(at moment: Instant, _ duration: Duration) -> Instant {
        age = .zero
        strays = 0
        return advance(moment, duration)
    }

    private mutating func advance(_ moment: Instant, _ duration: Duration) -> Instant {
        expected = moment + duration
        return moment
    }
}
