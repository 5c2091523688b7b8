import Timebase

/// What leaves, over the last second, by tenths of it.
struct SendingRate: Sendable {
    private var bytes = [Int](repeating: 0, count: Self.intervals)
    /// The newest interval's number since time zero.
    private var newest: Int64 = 0

    private static let interval = Duration.milliseconds(100)
    private static let intervals = 10
    /// Of these, what leaves all the time is in so many at least: eight pictures a second are.
    private static let intervalsOfSteady = 8

    mutating func note(bytes count: Int, at now: Instant) {
        forget(before: now)
        bytes[Int(newest % Int64(Self.intervals))] += count
    }

    mutating func bitsPerSecond(at now: Instant) -> Double {
        forget(before: now)
        return Double(bytes.reduce(0, +) * 8)
    }

    /// Whether something left all the time.
    mutating func isSteady(at now: Instant) -> Bool {
        forget(before: now)
        return bytes.count { $0 > 0 } >= Self.intervalsOfSteady
    }

    private mutating func forget(before now: Instant) {
        let current = max(newest, now.nanoseconds / Self.interval.nanoseconds)
        for interval in (newest..<current).suffix(Self.intervals) {
            bytes[Int((interval + 1) % Int64(Self.intervals))] = 0
        }
        newest = current
    }
}
