/// How long one source's sound is held back, and the speed that brings it there. In ticks of 1/48000 s.
struct HoldBack: Sendable {
    /// Stream time minus capture time of what is written now.
    private(set) var ticks = 0.0
    /// What it has to be.
    var target = 0.0
    /// Stream time minus a frame's index in the queue.
    private(set) var shift: Int64 = 0
    /// How much faster than heard sound is played, to come nearer to the target.
    private var bend = 0.0
    /// By how much the queue ends before where it belongs, on average: blocks give whole frames.
    private var lag = 0.0
    /// Of the device, smoothed: each stamp moves the figure a little, and steps can be heard where slow changes can't.
    private var drift = 0.0
    private var isSteady = true

    /// By how much it is too long.
    var excess: Double { ticks - target }

    /// The index of what is heard at a capture time.
    func index(of captured: Double) -> Double { captured + ticks - Double(shift) }

    /// At once, where nothing is to be heard of it: what is in the queue moves along.
    mutating func move(by change: Int64) {
        ticks += Double(change)
        shift += change
        bend = 0
    }

    /// How fast a block of this duration is to be used up: exactly 1 as long as that leaves the sound where it belongs,
    /// so that nothing needs to be resampled.
    ///
    /// - Parameter lag: by how much the queue ends before where it belongs now.
    mutating func speed(over duration: Double, drift: Double, lag: Double) -> Double {
        let seconds = duration / 48_000
        let share = seconds / (seconds + AudioLimits.speedMemory)
        self.lag += (lag - self.lag) * share
        self.drift += (drift - self.drift) * share
        bend(over: duration, seconds: seconds)
        isSteady = staysSteady
        if isSteady { return 1 }
        let catchUp = self.lag / 48_000 / max(AudioLimits.lagTime, 2 * seconds)
        let speed =
            (1 + self.drift) * (1 + bend)
            - max(-AudioLimits.largestLagBend, min(AudioLimits.largestLagBend, catchUp))
        return max(1 - AudioLimits.largestSpeedChange, min(1 + AudioLimits.largestSpeedChange, speed))
    }

    private mutating func bend(over duration: Double, seconds: Double) {
        let largest = AudioLimits.largestBend
        let shortest = isSteady ? -AudioLimits.steadyShortfall : 0
        let error = excess - max(shortest, min(AudioLimits.delayTolerance, excess))
        let wanted = max(-largest, min(largest, error / 48_000 / AudioLimits.delayTime))
        let step = largest * seconds / AudioLimits.bendTime
        bend += max(-step, min(step, wanted - bend))
        ticks -= bend * duration
    }

    /// With hysteresis: once bent, it is bent until it is right.
    private var staysSteady: Bool {
        let (lag, drift) = isSteady
            ? (AudioLimits.steadyLag, AudioLimits.steadyDrift)
            : (AudioLimits.rightLag, AudioLimits.steadyDrift / 2)
        // It nears nothing, and may never be it.
        return bend.magnitude < AudioLimits.leastBend && self.lag.magnitude < lag && self.drift.magnitude < drift
    }
}
