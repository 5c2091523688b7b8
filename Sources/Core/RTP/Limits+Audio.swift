import Timebase

/// Sound. A tick is 1/48000 s (RFC 7587 § 4.1).
extension Limits {
    // Opus

    /// "The length of any individual frame MUST NOT exceed 1275 bytes" (RFC 6716 § 3.2.1).
    static let opusFrameBytes = 1275
    /// Samples at 48 kHz in a packet: "MUST NOT exceed 120 ms" (RFC 6716 § 3.2.5).
    package static let opusPacketSamples = 5760
    /// Lost sound is concealed in steps of 2.5 ms, the shortest Opus frame.
    static let concealmentStep = 120

    /// In a file, what never came is concealed for half a second: DTX says each 400 ms that there is silence (RFC 7587
    /// § 3.1.3 leaves it to the encoder; libopus' figure). A longer gap goes on in silence, where concealment would be
    /// noise. In samples.
    static let filledConcealment: Int64 = 24_000

    // Redundancy

    /// Blocks read from one RED payload, the primary too. Two levels are written; libwebrtc writes up to nine.
    static let redundantBlocks = 10
    /// Levels written: "the use of multiple levels of redundancy is rarely necessary" (RFC 2198 § 3).
    static let redundancyLevels = 2
    /// 14 bits of timestamp offset, 10 of length (RFC 2198 § 3).
    static let redundantOffset: Int64 = 0x3fff
    static let redundantBytes = 0x3ff
    /// Loss from which one level is sent, and two; and below which they end again. One level brings 7 % down to 0.5 %.
    static let lossForRedundancy = [0.02, 0.07]
    static let lossWithoutRedundancy = [0.01, 0.045]
    /// A level ends when loss has been low for so long.
    static let redundancyHold: Duration = .seconds(10)
    /// Reports are averaged over this time; one lost packet of a report's fifty is 2 % already.
    static let lossMemory: Duration = .seconds(3)

    // Playout

    /// The playout delay covers the latest packet of all but one in twenty intervals of half a second, and relative
    /// delays are counted from the fastest packet of the last two seconds: NetEQ's figures in libwebrtc (DelayManager:
    /// quantile 0.95, resample_interval_ms 500, max_history_ms 2000).
    static let delayQuantile = 0.95
    static let delayInterval: Duration = .milliseconds(500)
    static let delayHistory: Duration = .seconds(2)
    /// Intervals looked back on: 20 s.
    static let delayIntervals = 40
    /// Beyond what the network asks for: the jitter of the threads on both sides.
    static let playoutMargin: Duration = .milliseconds(2)
    /// The first packet is held back by so much more, until the jitter is known.
    static let firstPlayoutMargin: Duration = .milliseconds(3)
    /// No network is waited for longer.
    static let longestPlayoutDelay: Duration = .seconds(1)
    /// So much silence is left out at a time.
    static let longestSkip: Duration = .seconds(1800)
    /// A late packet makes the delay grow by this at most; more is for the quantile to say.
    static let largestGrowth: Duration = .milliseconds(200)
    /// Ticks in which one waits for a packet that is late (5 ms).
    static let starvedTicks = 240
    /// Where the target is so far above the delay, silence is put in at once; less is reached by playing slower.
    static let growthStep: Duration = .milliseconds(10)
    /// Behind a silence, what waits longer than this beyond the target is left out.
    static let settlingExcess: Duration = .milliseconds(100)
    /// How much faster or slower sound is played to reach its delay: a twelfth of a semitone.
    static let playoutBend = 0.005
    /// The delay nears its target with this time constant, in seconds, once less than 5 ms away.
    static let playoutBendTime = 1.0
    /// Packets held: the longest delay in frames of 2.5 ms.
    static let playoutPackets = 400
    /// Sound held, in ticks: half a second more than the longest delay.
    static let playoutTicks: Int64 = 72_000
    /// Bytes of one packet: an Opus packet of three 20 ms frames at 510 kbit/s has 3828 (RFC 6716 § 3.2.1).
    static let audioPacketBytes = 4096
    /// Where nothing comes, silence is played after so many ticks (200 ms): a decoder's guess has faded by then. Behind
    /// it only what is new counts.
    static let longestConcealment: Int64 = 9600
    /// Slots remembered as concealed, in case what belongs there comes late.
    static let concealedSlots = 64
    /// Not every sender counts samples: timestamps of a clock that is read for each packet, in milliseconds as a rule, are off
    /// by up to two times 24 ticks. No slot is so short that it could be another one's.
    static let timestampTolerance: Int64 = 60
    /// Unwrapped numbers beyond this can't be: at 48 kHz a million years. Their differences can be reckoned with.
    static let unwrappedNumbers: ClosedRange<Int64> = -(1 << 60)...(1 << 60)
    /// Timestamps that are off by more than this, in a run of so many packets over so long, belong to a sender that
    /// started again. In a burst of stale packets they differ more.
    static let timestampJump: Duration = .seconds(1)
    static let jumpPackets = 3
    static let jumpTime: Duration = .milliseconds(30)
    static let jumpSpread: Duration = .milliseconds(30)

    /// How much faster than the clock pictures are shown to take a delay away that is needed no more: 5 %.
    static let videoPlayoutBend = 0.05
    /// Seconds between two pictures of a source, at least: what is closer was pressed together for a joiner.
    static let leastPictureStep = 0.001
    /// Seconds that pictures are held back at most for an even pace: three round trips of repair over a continent.
    static let longestVideoDelay = 0.3
    /// A picture of so many times the usual bytes takes its time on the way because of them.
    static let ordinaryPicture = 4.0
    /// Seconds that a stream may last, for arithmetic: thirty years.
    static let longestStream = 1e9

    // Lip sync

    /// Sound and picture are moved against each other where they are off by more than this.
    package static let lipSyncTolerance: Duration = .milliseconds(5)

    /// Neither stream is held back longer: half a second is what libwebrtc lets the playout delay grow to.
    static let longestLipSync: Duration = .milliseconds(500)
    /// A larger distance is no delay: the streams' clocks have nothing to do with each other.
    static let largestClockDistance: Duration = .seconds(10)
    /// A report that is older than the last one by less than this came late; by more, the clock was set back.
    static let lateReport: Duration = .seconds(60)
    /// Of so many reports the middle one counts, where each may be off: libwebrtc lays a line through twenty, and gives that
    /// up after three that are far from it (RtpToNtpEstimator).
    static let countedReports = 5
    /// A report that is off by more than this tells that a clock was set, or that timestamps began anew.
    static let largestReportError: Duration = .seconds(1)
}
