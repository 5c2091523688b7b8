/// The way in which an offer takes Opus (RFC 7587 § 7), and copies of it (RFC 2198).
package struct OpusOption: Hashable, Sendable {
    package var payloadType: UInt8
    /// Of RED over it; nil where that is not offered.
    package var redundancyPayloadType: UInt8?
    /// `stereo=1`: the offerer prefers two channels. Chromium decodes to one unless it said so.
    package var prefersStereo: Bool
    package var usesInbandFEC: Bool
    /// `usedtx=1`: the offerer prefers that silence is not sent.
    package var usesDTX: Bool
    /// `maxaveragebitrate` in bits per second, of an offer also what its section's bandwidth allows; nil where the offerer
    /// leaves it to us.
    package var maximumBitrate: Int?
    package var feedback: Feedback

    /// The first Opus of a section; nil where there is none.
    init?(among formats: [PayloadFormat]) {
        guard let format = formats.lazy.compactMap(OpusOption.init).first else { return nil }
        self = format
        redundancyPayloadType = formats.first { $0.isRedundancy(of: format.payloadType) }?.payloadType
    }

    /// RFC 7587 § 7: the rtpmap is always `opus/48000/2`.
    init?(_ format: PayloadFormat) {
        guard format.isEncoding("opus"), format.clockRate == 48_000, format.channels == 2 else { return nil }
        payloadType = format.payloadType
        prefersStereo = format.parameters["stereo"] == "1"
        usesInbandFEC = format.parameters["useinbandfec"] == "1"
        usesDTX = format.parameters["usedtx"] == "1"
        maximumBitrate = format.parameters["maxaveragebitrate"]?.decimal()
        feedback = format.feedback
    }

    /// The answer's formats: both sides' wish for error correction and silence, and the truth about the channels.
    var answers: [PayloadFormat] {
        var pairs = [(key: "minptime", value: "10")]
        if usesInbandFEC { pairs.append(("useinbandfec", "1")) }
        if usesDTX { pairs.append(("usedtx", "1")) }
        if prefersStereo { pairs += [("stereo", "1"), ("sprop-stereo", "1")] }
        let opus = PayloadFormat(
            payloadType: payloadType, encoding: "opus", clockRate: 48_000, channels: 2,
            parameters: FormatParameters(pairs), feedback: feedback.intersection([.transportCC, .ccfb, .ecn]))
        return [opus] + (redundancyPayloadType.map { [.redundancy(payloadType: $0, of: payloadType)] } ?? [])
    }
}

extension PayloadFormat {
    /// RFC 2198 § 5: the parameters name the payload types of the primary and of the copies.
    static func redundancy(payloadType: UInt8, of opus: UInt8) -> PayloadFormat {
        PayloadFormat(
            payloadType: payloadType, encoding: "red", clockRate: 48_000, channels: 2,
            parameters: FormatParameters([("\(opus)/\(opus)", "")]))
    }

    fileprivate func isRedundancy(of opus: UInt8) -> Bool {
        guard isEncoding("red"), clockRate == 48_000 else { return false }
        let types = parameters.pairs.first?.key.split(at: UInt8(ascii: "/")) ?? []
        return !types.isEmpty && types.allSatisfy { $0.decimal() == opus }
    }
}
