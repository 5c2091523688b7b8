/// What an Opus encoder is asked for from packet to packet.
package struct OpusTarget: Hashable, Sendable {
    /// As the receiver prefers it (`stereo`, RFC 7587 § 6.1). A mono packet holds the mean of left and right.
    package enum Channels: Hashable, Sendable {
        case mono
        case stereo
    }

    /// In-band FEC: each packet holds a coarse copy of the one before (LBRR, RFC 6716 § 2.1.7).
    package enum InBandFEC: Hashable, Sendable {
        case off
        /// For speech alone. Only SILK can do it, so that the encoder leaves CELT where loss is expected (from 1 % on
        /// for speech, from 6 % on for all), and what is above 8 kHz has no copy. At 96 kbit/s music is then coded no
        /// better than by CELT at 48, which sent twice (RED, RFC 2198) takes as much and makes good any single loss.
        case on
    }

    /// The mean; single packets may be twice as large.
    package var bitsPerSecond: Int
    package var channels = Channels.stereo
    package var inBandFEC = InBandFEC.off
    /// Packets that won't arrive, in percent. The encoder then leans less on the packets before (and spends bits on
    /// copies, where it makes them).
    package var expectedLoss = 0
    /// Sends next to nothing while there is silence (RFC 7587 § 3.1.3).
    package var usesDTX = false

    /// What Opus can have, in bits per second.
    package static let bitrates = Limits.bitsPerSecond

    package init(bitsPerSecond: Int) {
        self.bitsPerSecond = bitsPerSecond
    }
}
