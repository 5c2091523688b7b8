/// A moment on a 48 kHz media clock (RFC 7587 § 4.1), not wrapped: 64 bits last for ever.
///
/// Each viewer's RTP timestamp is this plus a random offset, cut to 32 bits (RFC 3550 § 5.1).
package struct AudioTime: Hashable, Comparable, Sendable {
    package static let ticksPerSecond: Int64 = 48_000
    package var ticks: Int64

    package init(ticks: Int64) {
        self.ticks = ticks
    }

    /// The last tick not later than `elapsed` since the media clock's zero.
    package init(elapsed: Duration) {
        let (seconds, rest) = elapsed.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        ticks = seconds * Self.ticksPerSecond + (rest * Self.ticksPerSecond) / 1_000_000_000
    }

    /// Since the media clock's zero, to the nanosecond.
    package var elapsed: Duration {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: Self.ticksPerSecond)
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Self.ticksPerSecond)
    }

    package static func < (left: AudioTime, right: AudioTime) -> Bool { left.ticks < right.ticks }
    package static func + (time: AudioTime, ticks: Int) -> AudioTime {
        AudioTime(ticks: time.ticks.addingSaturating(Int64(ticks)))
    }
}

extension Duration {
    /// Of so many ticks of `AudioTime`, and parts of one.
    package init(audioTicks: Double) {
        self = .nanoseconds(Int64(audioTicks * 1e9 / Double(AudioTime.ticksPerSecond)))
    }

    package var audioTicks: Double { Double(nanoseconds) * Double(AudioTime.ticksPerSecond) / 1e9 }
}
