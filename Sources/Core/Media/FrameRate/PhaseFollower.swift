import Timebase

/// Says how the slots should move so that each comes just behind something new of the source, not just before it.
///
/// Now and then it watches the changes of one period, one by one: how long before the slot each came, and whether it
/// brought anything new, for a film drawn at 60 Hz is drawn twice. Where what was new is evenly spread over the period,
/// and the next period watched says the same, the slots move to the last of it, in steps too small to be seen.
///
///     rest (8 frames) ──► watching (until the frame leaves) ──► closing (its own picture is looked at) ──► rest, or again
struct PhaseFollower: Sendable {
    private enum Phase: Sendable {
        case resting(frames: Int)
        case watching
        /// The frame has left; what it showed is still to be told.
        case closing
    }

    /// What one period showed: how often something new came, and by how much the slot was late for the last of it.
    private struct Observation: Sendable {
        var count: Int64
        var lateness: Int64
    }

    private let period: Int64
    private var phase = Phase.watching
    private var lags: [Int64] = []
    private var previous: Observation?
    /// What is left of the present move; positive is later.
    private var move: Int64 = 0

    init(period: Duration) {
        self.period = period.nanoseconds
    }

    /// A run starts: forget the last one's phase.
    mutating func restart() {
        self = PhaseFollower(period: .nanoseconds(period))
    }

    /// The changes until the next frame should be looked at one by one.
    var isWatching: Bool {
        if case .watching = phase { true } else { false }
    }

    /// The frame has just left: its own change should be looked at too.
    var isClosing: Bool {
        if case .closing = phase { true } else { false }
    }

    /// Nothing is looked at, and nothing compared with this frame.
    var isResting: Bool {
        if case .resting = phase { true } else { false }
    }

    /// Something new came `lag` before the slot of the frame that shows it; negative where it came behind it.
    mutating func sawSomethingNew(lag: Duration) {
        if lags.count < MediaLimits.looksPerPeriod { lags.append(lag.nanoseconds) }
    }

    /// A frame of the run leaves.
    /// - Returns: how far the slots should move now; positive is later.
    mutating func frameLeaves() -> Duration {
        switch phase {
        case .watching: phase = .closing
        case .closing: conclude()
        case .resting(let frames): phase = frames > 1 ? .resting(frames: frames - 1) : .watching
        }
        let step = MediaLimits.phaseStep.nanoseconds
        let shift = max(-step, min(step, move))
        move -= shift
        return .nanoseconds(shift)
    }

    /// A move only begins where two periods agree; a first one has the next watched at once.
    private mutating func conclude() {
        let seen = observation
        lags = []
        phase = .resting(frames: MediaLimits.framesBetweenLooks)
        defer { previous = seen }
        guard let seen else { return }
        guard let previous, previous.count == seen.count else { return phase = .watching }
        let turn = period / seen.count
        guard wrap(seen.lateness - previous.lateness, turn).magnitude < tolerance else { return }
        move = -seen.lateness
    }

    /// Nil where nothing new came, or not evenly.
    ///
    /// The first change of a period may have come while the frame before was being made, and is noticed late: only the
    /// distances behind it count. Where changes come right at the slots, the period may hold both its ends.
    private var observation: Observation? {
        guard let last = lags.last else { return nil }
        let seen = lags.dropFirst()
        let distances = zip(seen, seen.dropFirst()).map { $0 - $1 }
        let counts = [lags.count, lags.count - 1].map(Int64.init).filter { $0 > 0 }
        let count = counts.first { count in
            distances.allSatisfy { ($0 - period / count).magnitude <= tolerance }
        }
        return count.map { count in
            Observation(count: count, lateness: wrap(last - MediaLimits.phaseMargin.nanoseconds, period / count))
        }
    }

    /// A sixteenth of a period: 2 ms at 30 fps, more than a timer's jitter and less than two rates' beat. At 15 fps no more,
    /// or four changes could not be told from five.
    private var tolerance: UInt64 { UInt64(min(period / 16, 2_100_000)) }

    /// The same angle between minus half a turn and half a turn.
    private func wrap(_ value: Int64, _ turn: Int64) -> Int64 {
        let rest = value % turn
        if rest > turn / 2 { return rest - turn }
        return rest < -turn / 2 ? rest + turn : rest
    }
}
