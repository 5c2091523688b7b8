import Timebase

/// What leaves, over the last second, by tenths of it.
struct SendingRate: Sendable {
    private var bytes = [Int](repeating: 0, count: Self.intervals)
    /// The newest interval's number since time zero.
    private var newest: Int64 = 0

    private static let interval = Duration.milliseconds(100)
    private static let intervals = 10

    mutating func note(bytes count: Int, at now: Instant) {
        forget(before: now)
        bytes[Int(newest % Int64(Self.intervals))] += count
    }

    mutating func bitsPerSecond(at now: Instant) -> Double {
        forget(before: now)
        return Double(bytes.reduce(0, +) * 8)
    }

    private mutating func forget(before now: Instant) {
        let current = max(newest, now.nanoseconds / Self.interval.nanoseconds)
        for interval in (newest..<current).suffix(Self.intervals) {
            bytes[Int((interval + 1) % Int64(Self.intervals))] = 0
        }
        newest = current
    }
}
