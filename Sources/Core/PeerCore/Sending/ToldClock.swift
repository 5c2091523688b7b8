import Timebase

/// Which moments a stream's timestamps stand for, as the viewer was told last, and whether that still holds.
///
/// It moves where pictures get a place in a film's own clock, or one leaves right behind another, and where sound comes to
/// need less time on its way: what goes by what was told before would be off by that until the next report.
struct ToldClock {
    /// The moment of media time zero.
    private var told: (zero: Duration, at: Instant)?
    /// Units in a row that are off to the same side; negative: earlier.
    private var unitsOff = 0

    /// Whether its moment is to be told with a unit; at least one a second does.
    ///
    /// - Parameters:
    ///   - mediaTime: of the unit, since the media clock's zero.
    ///   - isFirst: it begins something: a keyframe, or sound behind a silence.
    mutating func tells(_ mediaTime: Duration, of capturedAt: Instant, isFirst: Bool, at now: Instant) -> Bool {
        let zero = (capturedAt - .zero) - mediaTime
        if let told {
            note(zero - told.zero)
            let hasMoved = unitsOff.magnitude >= Limits.unitsOff && now - told.at >= Limits.clockInterval
            guard isFirst || hasMoved || now - told.at >= Limits.captureTimeInterval else { return false }
        }
        told = (zero, now)
        unitsOff = 0
        return true
    }

    /// One unit by itself may be late.
    private mutating func note(_ off: Duration) {
        if off > Limits.clockTolerance {
            unitsOff = max(0, unitsOff) + 1
        } else if off < .zero - Limits.clockTolerance {
            unitsOff = min(0, unitsOff) - 1
        } else {
            unitsOff = 0
        }
    }
}
