import DequeModule
import Timebase

/// How much longer packets take than the fastest of them, and what that asks of a buffer. All figures are seconds;
/// a transit is an arrival minus the media time, on clocks that have nothing to do with each other.
struct RelativeDelay: Sendable {
    private struct Arrival: Sendable {
        var at: Double
        var transit: Double
    }

    /// The latest packet of an interval.
    private struct Interval: Sendable {
        /// Against the fastest packet of then.
        var relative = -Double.infinity
        var transit = -Double.infinity
    }

    /// Those that no later one was faster than, ascending by transit: the first is the fastest of the last while.
    private var fastest: Deque<Arrival> = []
    private var intervals: Deque<Interval> = []
    private var current = Interval()
    private var currentSince = 0.0
    /// The transit that `target` counts from.
    private var reference = 0.0
    /// By how much a buffer must hold back what arrives without delay.
    private(set) var target = 0.0

    /// The fastest transit of the last while; nil before the first packet.
    var base: Double? { fastest.first?.transit }

    mutating func note(transit: Double, at now: Double) {
        let history = Limits.delayHistory.inSeconds
        while let first = fastest.first, now - first.at > history { fastest.removeFirst() }
        while let last = fastest.last, last.transit >= transit { fastest.removeLast() }
        fastest.append(Arrival(at: now, transit: transit))
        let base = fastest.first?.transit ?? transit
        if now - currentSince >= Limits.delayInterval.inSeconds { closeInterval(at: now) }
        current.relative = max(current.relative, transit - base)
        current.transit = max(current.transit, transit)
        if (base - reference).magnitude > 0.001 { updateTarget(base) }
        if intervals.count < Self.intervalsThatAllCount { target = max(target, current.relative) }
    }

    /// With so few intervals the quantile is their maximum.
    private static let intervalsThatAllCount = Int(1 / (1 - Limits.delayQuantile))

    private mutating func closeInterval(at now: Double) {
        currentSince = now
        guard current.relative.isFinite else { return }
        if intervals.count >= Limits.delayIntervals { intervals.removeFirst() }
        intervals.append(current)
        current = Interval()
        updateTarget(base ?? 0)
    }

    /// An interval counts by the lesser of what it was then and what it would be now: a path that got slower makes what
    /// was before fast, and one that got faster makes nothing late.
    private mutating func updateTarget(_ base: Double) {
        reference = base
        guard !intervals.isEmpty else { return target = max(0, current.relative) }
        let rank = Int((Double(intervals.count) * Limits.delayQuantile).rounded(.up))
        // The largest ones, ascending: the first of them is the quantile.
        var largest = [Double](repeating: 0, count: intervals.count - rank + 1)
        for interval in intervals {
            let delay = min(interval.relative, interval.transit - base)
            guard delay > largest[0] else { continue }
            largest[0] = delay
            for index in 1..<largest.count where largest[index - 1] > largest[index] {
                largest.swapAt(index - 1, index)
            }
        }
        target = largest[0]
    }
}
