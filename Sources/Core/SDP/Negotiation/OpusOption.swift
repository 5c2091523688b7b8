/// The way in which an offer takes Opus (RFC 7587 § 7).
package struct OpusOption: Hashable, Sendable {
    package var payloadType: UInt8
    /// `stereo=1`: the offerer prefers two channels. Chromium decodes to one unless it said so.
    package var prefersStereo: Bool
    package var usesInbandFEC: Bool
    /// `maxplaybackrate` in Hz; 48000 where it is missing.
    package var maximumPlaybackRate: UInt32
    package var feedback: Feedback

    /// RFC 7587 § 7: the rtpmap is always `opus/48000/2`.
    init?(_ format: PayloadFormat) {
        guard format.isEncoding("opus"), format.clockRate == 48_000, format.channels == 2 else { return nil }
        payloadType = format.payloadType
        prefersStereo = format.parameters["stereo"] == "1"
        usesInbandFEC = format.parameters["useinbandfec"] == "1"
        maximumPlaybackRate = format.parameters["maxplaybackrate"]?.decimal() ?? 48_000
        feedback = format.feedback
    }

    /// The answer's format: both sides' wish for error correction, and the truth about the channels.
    var answer: PayloadFormat {
        var pairs = [(key: "minptime", value: "10")]
        if usesInbandFEC { pairs.append(("useinbandfec", "1")) }
        if prefersStereo { pairs += [("stereo", "1"), ("sprop-stereo", "1")] }
        return PayloadFormat(
            payloadType: payloadType, encoding: "opus", clockRate: 48_000, channels: 2,
            parameters: FormatParameters(pairs), feedback: feedback.intersection([.transportCC]))
    }
}
