/// Every bound of the resampler's adapter, with its reason.
enum Limits {
    /// In Hz: from telephony to twice what the best sound cards have; libsamplerate takes ratios up to 256.
    static let sampleRate = 4000...768_000
    /// PulseAudio's sources have no more.
    static let channels = 1...32
    /// Of `speed`. Clocks differ by 0.0005 at most; more than this is a mistake, not a clock.
    static let speed = 0.5...2.0
    /// Frames converted at once, so that our buffer stays small: 85 ms at 48 kHz.
    static let blockFrames = 4096
}
