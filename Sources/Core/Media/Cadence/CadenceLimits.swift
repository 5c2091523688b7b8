import Timebase

/// The figures of the cadence detector, with their reasons.
enum CadenceLimits {
    /// By what part of a period a picture's media time is turned back to the clock: a millisecond at 30 a second.
    static let clockShare: Int64 = 32
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
    /// How late the pictures of a fractional rate have come, in nanoseconds, before they are told from the nominal one's:
    /// twice a period of a 60 Hz display, in whose steps they get late. That takes 33 s.
    static let decisiveDrift = 33e6
    /// Of what a fractional rate would have drifted: within these shares it is that rate, below the least it is not.
    static let isFractional = 0.7...1.3
    static let isNominal = 0.3
    /// Pictures over which the confidence looks back.
    static let memory = 32.0
}
