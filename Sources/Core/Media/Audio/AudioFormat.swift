import Timebase

/// How sound is laid out: how many samples a second, and how many of them at each moment.
package struct AudioFormat: Hashable, Sendable {
    /// Frames a second, in Hz.
    package var sampleRate: Int
    package var channels: Int

    package init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// What Opus takes and WebRTC sends (RFC 7587 § 4.1): 48 kHz, stereo.
    package static let stereo48k = AudioFormat(sampleRate: 48_000, channels: 2)

    /// How long so many frames last, to the nanosecond.
    package func duration(frames: Int) -> Duration {
        .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(sampleRate))
    }

    /// How many whole frames fit into a time.
    package func frames(in duration: Duration) -> Int {
        Int(Double(duration.nanoseconds) * Double(sampleRate) / 1e9)
    }
}
