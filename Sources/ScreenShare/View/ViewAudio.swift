import Media
import PeerCore
import RTP
import SystemClock
import Timebase

/// A piece of the shared sound, in order and without holes.
public struct AudioPiece: Sendable {
    /// One Opus packet (48 kHz, stereo); nil where one was lost, or the sharer is silent.
    public var opus: [UInt8]?
    /// Of its first sample: ticks of 1/48000 s since the moment that the first picture shows; negative for sound from
    /// before. Nil until the sharer has told how its clocks go together (some tenths of a second at most).
    public var timestamp: Int64?
    /// In samples of each channel.
    public var frames: Int
}

/// A viewer's sound on its way out: jitter buffer, and the place of each piece beside the pictures.
struct ViewAudio {
    private var playout = AudioPlayout()
    /// A moment on the sharer's wall clock, and the sound's timestamp then.
    private var clock: (timestamp: Int64, captured: NTPTimestamp)?
    /// When the first picture was shown on the sharer's screen.
    private var firstPicture: NTPTimestamp?
    private var firstUnit: MediaTime?

    var statistics: PlayoutStatistics { playout.statistics }

    /// When there is something to take; nil before the first packet.
    var due: Instant? { playout.due }

    /// The sharer began anew.
    mutating func restart() {
        playout.restart()
        clock = nil
    }

    mutating func receive(_ packet: ReceivedAudio) {
        if let captured = packet.capturedAt { clock = (packet.timestamp, captured) }
        playout.receive(
            packet.bytes, copies: packet.copies, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
            at: packet.receivedAt)
    }

    /// A picture tells when the first one was shown.
    mutating func see(_ unit: ReceivedUnit) {
        let first = firstUnit ?? unit.mediaTime
        firstUnit = first
        guard firstPicture == nil, let captured = unit.capturedAt else { return }
        let age = Double(unit.mediaTime.ticks - first.ticks) / Double(MediaTime.ticksPerSecond)
        firstPicture = captured.advanced(by: .seconds(-age))
    }

    /// The next piece that is due; nil where none is yet.
    mutating func next(at now: Instant) -> AudioPiece? {
        while let output = playout.pull(at: now) {
            // Put in for a listener in real time; the file's time is the sharer's.
            if output.isInserted { continue }
            var opus: [UInt8]?
            if case .packet(let bytes) = output.sound { opus = bytes }
            return AudioPiece(opus: opus, timestamp: place(output.timestamp), frames: output.frames)
        }
        return nil
    }

    private func place(_ timestamp: Int64) -> Int64? {
        guard let clock, let firstPicture else { return nil }
        let offset = clock.captured.duration(since: firstPicture).inSeconds * Double(AudioTime.ticksPerSecond)
        return timestamp - clock.timestamp + Int64(offset.rounded())
    }
}
