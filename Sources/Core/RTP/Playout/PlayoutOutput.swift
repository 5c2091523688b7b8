import Timebase

/// What is to be played next, and when.
package struct PlayoutOutput: Sendable {
    package enum Sound: Hashable, Sendable {
        /// To be decoded.
        case packet([UInt8])
        /// Lost; the packet behind it brings a copy (in-band FEC), and comes next itself.
        case recover(from: [UInt8])
        /// Lost: to be guessed.
        case conceal
        /// The sender paused (DTX), or nothing has come for so long that there is nothing to guess from.
        case silence
    }

    package var sound: Sound
    /// Unwrapped RTP timestamp of its first frame.
    package var timestamp: Int64
    /// How many frames of 48 kHz it is to give; a multiple of 2.5 ms for what is guessed.
    package var frames: Int
    /// Put in to make the delay longer: the next output has the same timestamp.
    package var isInserted: Bool
    package var due: Instant
    /// How much faster than nominal it is to be played, for a sink with a clock of its own: the next output is due so
    /// much earlier. Within 0.5 %, but for silence.
    package var speed: Double
}

/// What a listener heard, in ticks of 1/48000 s.
package struct PlayoutStatistics: Hashable, Sendable {
    package var playedTicks: Int64 = 0
    /// From in-band FEC.
    package var recoveredTicks: Int64 = 0
    /// Guessed, or silent where sound was lost.
    package var concealedTicks: Int64 = 0
    /// Of these, put in to make the delay longer.
    package var insertedTicks: Int64 = 0
    /// Pauses of the sender, and what was left out because its time was over.
    package var pausedTicks: Int64 = 0
    /// Packets that came when their time was over.
    package var packetsLate = 0
    /// Packets that came twice.
    package var packetsDuplicate = 0
    /// Packets left out to make the delay shorter, or that were no sound.
    package var packetsDiscarded = 0
    /// How often the sender started again.
    package var restarts = 0

    package init() {}

    /// Of what should have been heard, 0…1.
    package var concealedShare: Double {
        let sum = playedTicks + recoveredTicks + concealedTicks
        return sum == 0 ? 0 : Double(concealedTicks) / Double(sum)
    }
}
