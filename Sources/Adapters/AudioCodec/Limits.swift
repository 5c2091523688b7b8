/// Every bound of the sound codec's adapter, with its reason.
enum Limits {
    /// "Opus supports bitrates from 6 kbit/s to 510 kbit/s" (RFC 7587 § 3.1).
    static let bitsPerSecond = 6000...510_000
    /// In percent.
    static let expectedLoss = 0...100
    /// libopus' own scale.
    static let complexity = 0...10
    /// At 96 kbit/s SILK and CELT together take 0.7 % of a core so, and 1.9 % at 7, without coding music better.
    static let complexityOfSILK = 1
    /// The most with which libopus does not listen for speech and silence; below 8 CELT searches no less than above 5.
    static let complexityOfLoud = 5
    /// In bit/s: above it libopus codes speech by CELT as it does music (64 kbit/s for mono, and 4 that it hesitates).
    static let leastLoudRate = 72_000
    /// Mean square of a packet (−25 dBFS): libopus finds silence only 25 dB below the loudest of before.
    static let loudest: Float = 0.003_162
    /// Half a second of loud sound, in packets of 20 ms: libopus remembers how loud it was.
    static let packetsToListen = 25
    /// In percent: with in-band FEC, from here on libopus uses SILK for all that it was not told to be music.
    static let lossForSILK = 6
    /// A packet must fit one RTP payload. At 20 ms that is 456 kbit/s.
    static let packetBytes = 1140
    /// Frames at 48 kHz in a packet: "MUST NOT exceed 120 ms" (RFC 6716 § 3.2.5). A loss is made up for in pieces of
    /// this length at most.
    static let packetFrames = 5760
    /// The shortest frame of Opus, 2.5 ms (RFC 6716 § 2.1.4): losses are whole multiples of it (RFC 7587 § 3.1.3).
    static let shortestFrame = 120
    /// "If the return value is 2 bytes or less, then the packet does not need to be transmitted (DTX)" (opus.h).
    static let silentPacketBytes = 2
}
