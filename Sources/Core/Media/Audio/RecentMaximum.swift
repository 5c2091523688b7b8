import Timebase

/// The greatest value of the last while: it looks back at least one span, at most two.
struct RecentMaximum: Sendable {
    private let span: Duration
    private var current: Double?
    private var previous: Double?
    /// When `current` becomes `previous`.
    private var turn: Instant?

    init(span: Duration) {
        self.span = span
    }

    mutating func note(_ value: Double, at now: Instant) {
        roll(to: now)
        current = max(current ?? value, value)
    }

    /// Nil where nothing was noted for so long.
    mutating func value(at now: Instant) -> Double? {
        roll(to: now)
        guard let current else { return previous }
        return max(current, previous ?? current)
    }

    private mutating func roll(to now: Instant) {
        guard let turn else { return self.turn = now + span }
        guard now >= turn else { return }
        previous = now < turn + span ? current : nil
        current = nil
        self.turn = now + span
    }
}
