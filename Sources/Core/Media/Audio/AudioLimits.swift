import Timebase

/// The figures of sound on its way out, with their reasons. A tick is 1/48000 s.
package enum AudioLimits {
    // From devices and embedders

    /// What devices can be opened with.
    package static let sampleRates = 4_000...384_000
    /// One or two; a channel map makes two of what has more.
    static let channels = 1...2
    /// A block that lasts longer is refused: twice the longest burst known (22,596 frames at 44.1 kHz, 512 ms).
    static let longestBlock = Duration.seconds(1)
    /// A block whose first frame is older than this when it comes, or younger than it can be, has a false stamp, and
    /// counts as heard just now.
    static let oldestFrame = Duration.milliseconds(1200)

    // The device's clock

    /// Crystals keep within 500 ppm; twice that is not one.
    static let largestDrift = 0.001
    /// How fast the clock's phase and rate are followed, in 1/s: quickly at first, then slowly enough that the jitter
    /// of capture times (some ms) is not heard.
    static let fastestFollowing = 1.0
    static let slowestFollowing = 0.3
    /// Of what a stamp is off, at most this share counts: half at first, then a tenth, for long blocks have few stamps.
    static let largestShare = 0.5
    static let smallestShare = 0.1
    /// Seconds of a run before its stamps count for the rate: the first ones are off by tens of milliseconds.
    static let rateTime = 0.5
    /// Capture times that are off by this much on average have jumped: frames were lost, or came twice. In ticks: 15
    /// ms, more than the jitter of a sound daemon's figures and less than ears find out of step with lips.
    static let captureJump = 720.0
    /// Seconds that this average looks back.
    static let jumpMemory = 0.3
    /// A single stamp that is off by this much (50 ms, in ticks) is believed at once: an overrun loses a whole buffer.
    static let certainJump = 2400.0

    // The queue

    /// Between what was heard and what leaves, beyond what must be: a thread that wakes late, in ticks (2 ms).
    static let margin = 96.0
    /// The longest delay that blocks asked for within this time (up to twice that) is kept.
    static let burstMemory = Duration.seconds(6)
    /// How long a device gives what waited while it was opened; longer than between two bursts.
    static let settlingTime = Duration.milliseconds(600)
    /// A thread that is later than this for a packet has stood still, and what waited meanwhile says nothing of its device.
    static let standstill = Duration.milliseconds(100)
    /// Sound is played at most this much faster or slower, for whatever reason: a twelfth of a semitone.
    static let largestSpeedChange = 0.005
    /// Of that, what changes the delay, which comes and goes over half a second.
    static let largestBend = 0.004
    static let bendTime = 0.5
    /// In ticks (1 ms): a delay that is too long by no more is left alone, so that sound is played as it is.
    static let delayTolerance = 48.0
    /// The delay nears its target with this time constant, in seconds, once less than 20 ms away.
    static let delayTime = 5.0
    /// Seconds over which the device's drift and the queue's lag are averaged before they bend the speed.
    static let speedMemory = 2.0
    /// How fast the queue's end is brought to where it belongs: time constant in seconds, four times that memory so
    /// that it doesn't swing, and the largest bend for it.
    static let lagTime = 8.0
    static let largestLagBend = 0.002
    /// Sound is played as it comes, speed 1, until the queue's end is this far from where it belongs (1 ms), or the
    /// hold-back is short by this much (half a millisecond), both within the margin. A device whose clock is further off
    /// would be there within ten seconds, and is followed all the time.
    static let steadyLag = 48.0
    static let steadyShortfall = 24.0
    static let steadyDrift = 0.0001
    static let leastBend = 0.000_001
    /// Then it is bent until the queue's end is as near as this.
    static let rightLag = 6.0
    /// Ends of sound are faded over 5 ms: shorter is heard as a click.
    static let fadeFrames = 240
    /// What stays below this (−60 dBFS) may be shortened or lengthened unnoticed.
    static let silence: Float = 0.001
    /// By which a resampler that holds a filter knows how late it is, and a rounding.
    static let framesUnsure = 2.0
    /// In frames (10 ms): what one packet of silence may be lengthened by; as much is kept behind what was read.
    static let longestRepeat = 480
    /// The ring's frames: at first a third of a second, at most 2.7 s, for the longest block behind the longest delay.
    static let smallestQueue = 1 << 14
    static let largestQueue = 1 << 17
    /// Between two notes of which frame was heard when, in frames (5 ms).
    static let markDistance: Int64 = 240

    // Packets

    /// 10 or 20 ms at 48 kHz (RFC 7587 § 4.2 knows more; those are what WebRTC uses).
    static let packetFrames: Set<Int> = [480, 960]
    /// A thread that wakes up to this late sends what is due; any later it goes on from where it should be. No receiver
    /// waits for older sound.
    static let longestCatchUp = Duration.milliseconds(500)

    // How much of a path

    /// In bits per second, from the least, with which speech is good and music is not (RFC 6716 § 2.1.1), to the most that a
    /// share's sound may have. Steps of less than a fourth are hardly heard.
    package static let leastSound = 24_000
    static let soundSteps = [leastSound, 32_000, 48_000, 64_000, 96_000, 128_000, 192_000, 256_000]
    package static let mostSound = 320_000
    /// However few bits a share has: speech is good from `leastSound` on, and below this nothing is.
    package static let leastOfShare = 16_000
    /// What a path must take for each bit of sound, and for each bit of more sound.
    static let pathPerSound = 8
    static let pathPerMoreSound = 10
    /// How long it has to. Pictures are behind meanwhile, or a little coarser; and a path that was short is so again soon.
    static let timeOfLessSound = Duration.seconds(2)
    static let timeOfMoreSound = Duration.seconds(10)

    // Mixing

    /// Gain changes and mutes take 15 ms, in frames.
    static let gainFrames = 720
    /// In dB; below the least there is silence.
    package static let gains = -60.0...24.0
    /// Peaks below the knee (−3 dBFS) pass untouched; above it they near the ceiling (−0.1 dBFS) and never reach it.
    static let knee: Float = 0.707_946
    static let ceiling: Float = 0.988_553
    /// What is louder (60 dB above full scale), infinite or no number at all is no sample.
    static let loudestSample: Float = 1000
    /// The limiter looks at peaks of so many frames (1 ms).
    static let limiterWindow = 48
    /// Windows for which a peak is remembered (up to twice that): half a period of the deepest tone, 16 Hz.
    static let limiterMemory = 32
    /// Of the way back to full gain, per window: 100 ms.
    static let limiterRelease: Float = 0.01
}
