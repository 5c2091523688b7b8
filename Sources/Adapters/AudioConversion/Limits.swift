/// Every bound of the resampler's adapter, with its reason.
enum Limits {
    /// In Hz: from telephony to twice what the best sound cards have.
    static let sampleRate = 4000...768_000
    /// PulseAudio's sources have no more.
    static let channels = 1...32
    /// Of `speed`. Clocks differ by 0.0005 at most; zita-resampler bends by no more than this.
    static let speed = 0.95...1.05
    /// In periods of the lower rate. A third less, 16, takes a tenth less and is 3 dB down at 17.6 kHz from 44.1 kHz; 32
    /// adds a sixth, and half a kilohertz.
    static let halfFilter: UInt32 = 24
    /// What a filter has in it when it is woken: more than its whole length at equal rates.
    static let contextFrames = 64
    /// In which bent sound becomes what comes unbent (5 ms at 48 kHz): by half a sample at most, which nobody hears.
    static let fadeFrames = 240
}
