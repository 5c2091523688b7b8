import Timebase

/// Says when the packets of a stream of sound are due: one each period of the monotonic clock, whatever the devices do,
/// so that the RTP clock keeps pace with the wall clock.
package struct AudioPacer: Sendable {
    /// Frames of one packet, at 48 kHz.
    package let packetFrames: Int
    private let start: Instant
    private var next = AudioTime(ticks: 0)

    /// - Parameters:
    ///   - packetFrames: one of `AudioLimits.packetFrames`.
    ///   - start: time zero.
    ///   - first: no packet is due before, within a tick; nil: from time zero on.
    package init(packetFrames: Int, start: Instant, from first: Instant? = nil) {
        precondition(AudioLimits.packetFrames.contains(packetFrames))
        self.packetFrames = packetFrames
        self.start = start
        let elapsed = max(0, AudioTime(elapsed: (first ?? start) - start).ticks)
        let frames = Int64(packetFrames)
        next.ticks = (elapsed + frames - 1) / frames * frames
    }

    /// When the next packet leaves.
    package var due: Instant { start + next.elapsed }

    /// The time of the packet that is due by now; nil where none is. Ask again until then: who wakes late catches up,
    /// and who was away for long goes on from the present.
    package mutating func takeDue(at now: Instant) -> AudioTime? {
        guard now >= due else { return nil }
        if now - due > AudioLimits.longestCatchUp { skip(to: now) }
        defer { next = next + packetFrames }
        return next
    }

    private mutating func skip(to now: Instant) {
        let frames = Int64(packetFrames)
        next.ticks += (AudioTime(elapsed: now - start).ticks - next.ticks) / frames * frames
    }
}
