/// The round trips of a pair's last checks.
///
/// The middle one of three counts: one that waited in a queue does not move it, and a way that has become longer or shorter
/// is known after the second check. Those of consent are four seconds apart, too few to be smoothed as RFC 6298 § 2.3 does
/// where each round trip gives a sample: that took most of a minute.
struct RoundTripSamples: Sendable {
    private var latest: [Duration] = []

    /// Nil before the first.
    var middle: Duration? {
        let sorted = latest.sorted()
        return sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2]
    }

    mutating func add(_ sample: Duration) {
        latest.append(sample)
        if latest.count > 3 { latest.removeFirst() }
    }

    /// Of another pair, which has one of its own at most.
    mutating func begin(with sample: Duration?) {
        latest = sample.map { [$0] } ?? []
    }
}
