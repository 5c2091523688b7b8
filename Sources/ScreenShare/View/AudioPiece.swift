/// A piece of the shared sound, in order and without holes, but for what this machine slept through, and, where late sound
/// is waited for (`ViewConfiguration.waitsForLateAudio`), the time in which neither sound nor pictures came.
public struct AudioPiece: Sendable {
    /// One Opus packet (48 kHz, stereo); nil where one was lost, or the sharer is silent.
    public var opus: [UInt8]?
    /// What is heard: 48 kHz, left and right in turn, −1…1. What was lost is made up for, from copies in later packets or
    /// by concealment. Empty, unless the configuration asks for it. They begin `decoderDelay` frames before `timestamp`.
    public var samples: [Float]
    /// Of its first sample: ticks of 1/48000 s since the moment that the first picture shows; negative for sound from
    /// before. Nil until it is known how the sharer's clocks go together: half a second, and a whole one at most, from when
    /// it tells. Where it has not told for five seconds, sound is taken to belong to the pictures shown while it is heard.
    /// Where the session ends before that, an empty piece (no `frames`) tells it, if there was a picture.
    public var timestamp: Int64?
    /// Likewise on a clock of the sound's own, of which only differences matter: for what came before `timestamp` is known.
    /// Another clock where the sharer begins anew.
    public var position: Int64
    /// In samples of each channel.
    public var frames: Int
    /// When `samples` are to be heard, in step with the pictures' `showAt`.
    public var playAt: ContinuousClock.Instant
    /// Put in for a listener in real time, to make the delay longer; a recording leaves it out, and the next piece has the
    /// same timestamp. Silent where late sound is waited for.
    public var isInserted: Bool

    /// By how many frames decoded sound trails its packet: libopus' look-ahead of 6.5 ms (pre-skip, RFC 7845 § 4.2).
    public static let decoderDelay = 312
}
