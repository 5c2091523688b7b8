import RTP
import Timebase

/// How a viewer is to show what it gets.
package struct PlayoutWish: Hashable, Sendable {
    /// With sound, pictures need some time to keep in step with it.
    package var delay: PlayoutDelay
    /// A film: rather later than in fits and starts.
    package var prefersSteady: Bool

    package init(delay: PlayoutDelay = .none, prefersSteady: Bool = false) {
        self.delay = delay
        self.prefersSteady = prefersSteady
    }
}

/// What one viewer is told of that: where its packets get lost, a film is held back until they have been sent again.
///
/// At 5 % more than every third picture waits for that, a round trip longer than the others; shown as they come, a browser
/// puts 20 of 30 pictures a second on the screen.
struct PlayoutPlan: Sendable {
    var wish: PlayoutWish
    /// What is sent again takes so long; nil where nothing gets lost.
    private var repairTime: Duration?
    /// Since when packets get lost, and until when they did.
    private var lossySince: Instant?
    private var lossyUntil: Instant?

    init(_ wish: PlayoutWish) {
        self.wish = wish
    }

    var delay: PlayoutDelay {
        guard wish.prefersSteady, let repairTime else { return wish.delay }
        return wish.delay.raised(to: repairTime)
    }

    /// - Parameter isLossy: packets get lost on their way, not in a queue that is too long.
    mutating func adapt(isLossy: Bool, roundTrip: Duration, at now: Instant) {
        note(isLossy, at: now)
        let needed = roundTrip + Limits.steadyMargin
        let longest = Limits.longestSteadyDelay
        let tolerated = repairTime == nil ? longest : longest + Limits.steadyTolerance
        guard let lossySince, let lossyUntil, lossyUntil - lossySince >= Limits.timeOfLosses, needed <= tolerated else {
            return repairTime = nil
        }
        let known = repairTime ?? .zero
        // Round trips are never twice the same, and pictures that come sooner now and later then are worse than late.
        if needed > known || known - needed > Limits.steadyTolerance { repairTime = min(needed, longest) }
    }

    private mutating func note(_ isLossy: Bool, at now: Instant) {
        if isLossy {
            lossySince = lossySince ?? now
            lossyUntil = now
        } else if now - (lossyUntil ?? now) >= (repairTime == nil ? Limits.pauseOfLosses : Limits.steadyTime) {
            lossySince = nil
        }
    }
}
