/// Follows a device's clock against the monotonic one: when its next frame will be heard, and by how much the device is
/// fast. Times are ticks of 1/48000 s.
///
/// A critically damped loop of second order: the stamps that come with the blocks jitter, the figures here don't.
struct CaptureClock: Sendable {
    /// When a block's frames were heard, by the loop.
    struct Span: Sendable {
        var first: Double
        /// Behind the last frame.
        var end: Double
        /// The block doesn't follow the one before: frames were lost between them, or came twice.
        var isJump: Bool
    }

    /// How much faster than nominal the device gives frames.
    private(set) var drift = 0.0
    private var next: Double?
    /// By how much the stamps are off, on average.
    private var error = 0.0
    /// Seconds since the run began.
    private var age = 0.0

    /// Takes the stamp of a block that nominally lasts `duration`.
    mutating func follow(_ captured: Double, duration: Double) -> Span {
        let seconds = duration / 48_000
        let predicted = next ?? captured
        let off = captured - predicted
        error += (off - error) * seconds / (seconds + AudioLimits.jumpMemory)
        let isJump = error.magnitude > AudioLimits.captureJump || off.magnitude > AudioLimits.certainJump
        if isJump { restart() }
        let first = isJump ? captured : predicted + correct(by: off, seconds: seconds)
        let end = first + duration / (1 + drift)
        next = end
        age += seconds
        return Span(first: first, end: end, isJump: isJump)
    }

    private mutating func correct(by off: Double, seconds: Double) -> Double {
        let bandwidth = max(AudioLimits.slowestFollowing, min(AudioLimits.fastestFollowing, 2 / max(age, seconds)))
        let most = max(AudioLimits.smallestShare, min(AudioLimits.largestShare, 1 / max(age, seconds)))
        let share = min(most, 2 * bandwidth * seconds)
        // A device that has just begun says nothing of its rate.
        let change = age < AudioLimits.rateTime ? 0 : share * share / 4 * off / max(seconds * 48_000, 1)
        drift = max(-AudioLimits.largestDrift, min(AudioLimits.largestDrift, drift - change))
        return share * off
    }

    /// The phase is new; the device's rate stays what it was.
    private mutating func restart() {
        error = 0
        age = 0
    }
}
