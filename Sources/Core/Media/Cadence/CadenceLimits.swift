import Timebase

/// The figures of the cadence detector, with their reasons.
enum CadenceLimits {
    /// By what part of a period a picture gives back what is used up ahead: a millisecond at 30 a second.
    static let clockShare: Int64 = 32
    /// By how many ticks a picture's media time is turned to the clock: half a millisecond is not seen.
    static let clockStep: Int64 = 45
    /// By what part of a period media times are near the clock: far enough from the half at which they turn back to it that
    /// jitter does not lead them there.
    static let nearShare: Int64 = 4
    /// Nine pictures tell 24 from 25 a second on a display of 60 Hz: their patterns differ by half a display period.
    static let pictures = 9
    /// Where they don't, up to so many do.
    static let picturesInDoubt = 14
    /// By how much less the pictures must spread at the rate that is taken than at any other, in nanoseconds.
    static let margin = 1.5e6
    /// Behind an edit the rate is most likely what it was, if it had been that for two seconds.
    static let picturesAgain = 5
    static let picturesBelieved = 48
    /// How far a picture may be off its display's tick, in nanoseconds: the jitter of a timer and of our thread; less
    /// where pictures come so fast that anything would fit.
    static func jitter(period: Double) -> Double { min(4e6, period / 10) }
    /// Of a period: later than this, and later than its display explains, a picture breaks the pattern.
    static let patience = 0.6
    /// Between two that are later than that and break nothing. A busy player may stumble once a second.
    static let picturesBetweenStumbles = 12
    /// Of a period of the display: of three pictures in their time one is no later, whatever the display.
    static let leastOfThree = 2.0 / 3
    static let longestJitter = 4e6
    static let earliness = Duration.nanoseconds(Int64(longestJitter))
    /// What leaves out more of its pictures than this share does not keep to the rate.
    static let missing = 0.25
    /// Pictures of 25 a second leave out a fifth of those of 30, and so 50 of 60.
    static let doubtful = 0.15
    /// So many keep to another rate before it is believed: 14 do by chance where a tenth of them is not captured.
    static let picturesOfAnother = 28
    /// Periods without a picture after which what played has stopped.
    static let gap: Int64 = 6
    /// The periods of displays, in nanoseconds.
    static let refreshes = [30.0, 60, 75, 120, 144].map { 1e9 / $0 }
    /// Pictures of which the earliest tells where the phase is: every display's pattern comes round in them.
    static let block = 24
    /// Of a fractional rate, so many blocks: 10 s at 60 a second and 24 s at 24, in which the steps of a display come round.
    static let blocksOfFractional = 24
    /// By how much the least late pictures of blocks may differ at their own rate, in nanoseconds: a period of a display of
    /// 30 Hz, and jitter. At the rate a thousandth off they differ by that after 36 s, and up to 14 s later where they get
    /// late by steps.
    static let strays = 36e6
    /// How much further than a step of the display they may stray: the length of a block, and jitter. Of pictures that may
    /// be as fast as the display's ticks no more: of 60 a second a display of 59.95 Hz shows 59.95.
    static let strayBesideSteps = 3e6
    /// Of a picture's duration: the longest step of a display that shows it for two of its ticks or more.
    static let longestStep = 0.55
    /// Slower ones beat slowly with some displays, as 29.97 do with one of 59.95 Hz: it is the nearer one of the two rates.
    static let strayOfSlower = 10e6
    /// A display of 59.93 Hz leaves out a tick after 428 pictures, whatever their rate, one of 59.9 Hz after 300.
    static let picturesBetweenSlips = 240
    /// Of a picture's duration: once they have got later by that, little by little, a tick is about to be left out.
    static let slipRise = 0.4
    /// Pictures are all as far apart as the periods of a display if those are at least this part of theirs.
    static let even = 0.95
    /// Ticks from one without a picture to the next, of 59.94 in 60 Hz: 1001, or up to thirty less or more where a clock is
    /// off by up to 30 in a million. Captures lost every 15, 16 or 20 s are not so far apart.
    static let ticksOfBeat: ClosedRange<Int64> = 971...1031
    /// By how many ticks those distances may differ: the pictures beside one of them may be lost.
    static let beatJitter: Int64 = 3
    /// So many such distances in a row are believed. Captures lost at random make them once in three years of play at most,
    /// where one in 750 is lost; where it is more or fewer, more seldom.
    static let beatsAlike = 3
    /// By how much the ticks may be off the clock meanwhile, in nanoseconds. A display of 60.06 Hz shows no picture of 60 a
    /// second at one tick in 1001 either, but its ticks are off by 17 ms.
    static let strayOfBeat = 5e6
    /// Pictures over which the confidence looks back.
    static let memory = 32.0
}
