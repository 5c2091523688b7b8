import Timebase

/// Says how the slots should move so that each comes just behind a change of the source, not just before one.
///
/// A source with its own steady rate (60 Hz, say) keeps its phase to the slots but for drift. What is seen of it is
/// only the first change after each frame. Where the source changes n times in a slot, its phase is an angle on a
/// circle of an nth of the period; where angles scatter, the source has no rate that fits the slots, and nothing moves.
struct PhaseFollower: Sendable {
    private let period: Int64
    /// The time between two changes, as the run's first two showed it; nil where it fits no whole number of them into a
    /// period.
    private var turn: Int64?
    private var position: Int64 = 0
    private var scatter: Int64 = 0
    private var samples = 0

    init(period: Duration) {
        self.period = period.nanoseconds
    }

    /// A run starts: forget the last one's phase.
    mutating func restart() {
        self = PhaseFollower(period: .nanoseconds(period))
    }

    /// The first change of a run's first frame came `delay` after it: the distance of two changes.
    mutating func learnInterval(_ delay: Duration) {
        let delay = max(1, delay.nanoseconds)
        let count = max(1, (period + delay / 2) / delay)
        let error = period - count * delay
        turn = error.magnitude * UInt64(Self.fine) < UInt64(period) ? period / count : nil
    }

    /// A change came this long after a slot, or before it.
    /// - Returns: how far the slots should move now; positive is later.
    mutating func follow(_ offset: Duration) -> Duration {
        guard let turn else { return .zero }
        let difference = wrap(offset.nanoseconds - position, turn)
        position = wrap(samples == 0 ? offset.nanoseconds : position + difference / 8, turn)
        scatter += samples == 0 ? 0 : (Int64(difference.magnitude) - scatter) / 8
        samples += 1
        guard samples >= Self.samplesToLock, scatter < period / Self.fine else { return .zero }
        let wanted = wrap(position + MediaLimits.phaseMargin.nanoseconds, turn)
        let step = MediaLimits.phaseStep.nanoseconds
        let shift = max(-step, min(step, wanted / 8))
        // The slots move, and with them every position.
        position = wrap(position - shift, turn)
        return .nanoseconds(shift)
    }

    /// A sixteenth of a period: 2 ms at 30 fps, more than a timer's jitter and less than two rates' beat.
    private static let fine: Int64 = 16
    private static let samplesToLock = 8

    /// The same angle between minus half a turn and half a turn.
    private func wrap(_ value: Int64, _ turn: Int64) -> Int64 {
        let rest = value % turn
        if rest > turn / 2 { return rest - turn }
        return rest < -turn / 2 ? rest + turn : rest
    }
}
