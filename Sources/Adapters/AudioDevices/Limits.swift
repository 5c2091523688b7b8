import Media
import Timebase

/// Every bound of the sound devices' adapter, with its reason.
enum Limits {
    /// How often a device may hand over: each time wakes its reader, and no packet of sound is longer than 60 ms.
    static let periods = Duration.milliseconds(2)...Duration.milliseconds(60)
    /// Pieces that come three times as often as packets of 20 ms leave. What is as long as was asked for (10 ms) may be cut
    /// from something longer, which comes at once.
    static let shortPiece: Duration = .milliseconds(6)
    /// Until a device that gave nothing, although it said so, is asked again.
    static let rest: Duration = .milliseconds(10)
    /// What a device keeps while its reader is held up; more than twice the 200 ms that a busy machine takes.
    static let buffer: Duration = .milliseconds(500)
    /// Opening takes milliseconds, but a sound server that is stopped never answers, and ALSA waits 30 s for it.
    static let openTime: Duration = .seconds(5)
    /// Listing takes milliseconds too, and somebody waits for it.
    static let listTime: Duration = .seconds(2)
    /// A device that sleeps with the machine is back within a second after it, or else started anew.
    static let resumeTries = 50
    static let resumePause: Duration = .milliseconds(20)
    /// Telephones have 8 kHz; what measuring devices have beyond is not mixed.
    static let sampleRates = AudioLimits.sampleRates
    /// PulseAudio's own limit; studio devices have as many.
    static let channels = 1...32
    /// Decoded in one go; what is left comes with the next read.
    static let blockTime: Duration = .seconds(1)
    /// Read from ALSA in one go, so that the memory for it stays small.
    static let chunkTime: Duration = .milliseconds(50)
    /// No clock runs faster than nominal by more than this share: crystals keep to 0.0005.
    static let fastestClock = 1.002
    /// The most that real devices give at once: what PulseAudio keeps for a reader that was held up (4 MiB, 11 s of
    /// stereo floats).
    static let backlog: Duration = .seconds(12)
    /// The most that one gives at first: PulseAudio's null sink begins with 2 s in one piece.
    static let firstBacklog: Duration = .seconds(3)
    /// Time over which a device's statements of its delay are averaged: they are off by up to a period.
    static let averaging: Duration = .seconds(1)
    /// Just started, PulseAudio is off by 40 ms and finds the right value within 0.1 s: averaged over a quarter of the
    /// stream's age at first, but over two periods at least.
    static let firstAveraging: Duration = .milliseconds(20)
    /// Statements that far off are no jitter. Once so many in a row agree with each other, within so much, sound was
    /// lost or the delay changed; before that they are not believed: after its null sink's first sleep PulseAudio takes
    /// back what it said, by 10 ms with each block.
    static let strayTime: Duration = .milliseconds(25)
    static let strays = 10
    static let strayTolerance: Duration = .milliseconds(5)
    /// Descriptors of a PCM to poll: kernel devices have one, plugins one for each slave.
    static let descriptors = 16
    /// Turns of the connection's loop for one look at it: each handles an event and what follows from it.
    static let turns = 64
    /// A device that states a longer delay is broken; wireless ones have half a second.
    static let longestDelay: Duration = .seconds(60)
    /// Devices listed.
    static let devices = 256
    /// Characters of a device's name.
    static let nameLength = 512
}
