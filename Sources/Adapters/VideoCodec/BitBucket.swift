import Timebase

/// What has been made and is still under way at the target's rate.
struct BitBucket {
    private(set) var level = 0.0
    private(set) var capacity = 0.0
    private var drainedUntil: MediaTime?

    var room: Double { capacity - level }

    /// Lets the time since the last call pass.
    mutating func drain(until time: MediaTime, bitsPerSecond: Int) {
        capacity = Self.capacity(bitsPerSecond: bitsPerSecond)
        if let drainedUntil, time > drainedUntil {
            let seconds = Double(time.ticks - drainedUntil.ticks) / Double(MediaTime.ticksPerSecond)
            level = max(0, level - seconds * Double(bitsPerSecond))
        }
        drainedUntil = max(time, drainedUntil ?? time)
    }

    mutating func add(_ bits: Int) { level += Double(bits) }

    /// Eight frames at 30 fps up to 2 Mbit/s, four from 4 Mbit/s on, the same bits between: a page of text must be
    /// legible in one go, and no picture may be under way for longer than that.
    private static func capacity(bitsPerSecond: Int) -> Double {
        let rate = Double(bitsPerSecond)
        return max(rate * 4 / 30, min(rate * 8 / 30, 2_000_000 * 8 / 30))
    }
}
