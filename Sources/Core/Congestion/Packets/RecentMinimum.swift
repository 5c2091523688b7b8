import Timebase

/// The least of what was seen within some seconds.
struct RecentMinimum: Sendable {
    /// Of each second, the newest last.
    private var minima: [Duration] = []
    private var secondBegan: Instant?
    private let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    var value: Duration? { minima.min() }

    mutating func note(_ value: Duration, at now: Instant) {
        // In a pause clocks drift, and routes change.
        if let began = secondBegan, now - began > Limits.pauseOfBaseDelay { minima.removeAll() }
        guard let began = secondBegan, now - began < .seconds(1), let last = minima.last else {
            minima.append(value)
            if minima.count > seconds { minima.removeFirst() }
            secondBegan = now
            return
        }
        minima[minima.count - 1] = min(last, value)
    }

    /// From now on only what comes counts.
    mutating func restart(with value: Duration) {
        minima = [value]
        secondBegan = nil
    }
}
