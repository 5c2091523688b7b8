/// A way in which an offer takes H.264: one of its payload types (RFC 6184 § 8.2.2).
package struct H264Option: Hashable, Sendable {
    package var payloadType: UInt8
    /// 0: single NAL units only; 1: also STAP-A and FU-A.
    package var packetizationMode: UInt8
    package var profileLevel: H264ProfileLevel
    /// The offerer takes other levels than it would send.
    package var levelAsymmetryAllowed: Bool
    /// The retransmissions' payload type (`apt`, RFC 4588 § 8.1).
    package var retransmissionPayloadType: UInt8?
    package var feedback: Feedback
    /// All of the offer's parameters, `max-fs` and the like among them.
    package var parameters: FormatParameters

    /// Nil for what is not H.264, for interleaved mode, and for malformed parameters.
    init?(_ format: PayloadFormat, retransmittedBy retransmission: UInt8?) {
        guard format.isEncoding("H264"), format.clockRate == 90_000 else { return nil }
        switch format.parameters["packetization-mode"] {
        case nil, "0": packetizationMode = 0
        case "1": packetizationMode = 1
        default: return nil
        }
        if let text = format.parameters["profile-level-id"] {
            guard let value = H264ProfileLevel(parsing: text) else { return nil }
            profileLevel = value
        } else {
            profileLevel = .whenAbsent
        }
        payloadType = format.payloadType
        levelAsymmetryAllowed = format.parameters["level-asymmetry-allowed"] == "1"
        retransmissionPayloadType = retransmission
        feedback = format.feedback
        parameters = format.parameters
    }

    package var profile: H264Profile { profileLevel.profile }

    /// The parameter sets that the sender of the stream tells by SDP (RFC 6184 § 8.1). What can't be read is left out.
    package var parameterSets: [[UInt8]] {
        (parameters["sprop-parameter-sets"]?.split(at: UInt8(ascii: ",")) ?? []).compactMap(\.base64Decoded)
    }

    /// The answer's parameters. They name the same configuration as the offer, or the payload type could not be the
    /// same (RFC 6184 § 8.2.2): what the offer left unsaid stays unsaid, and the level is ours only if levels may
    /// differ.
    func answer(sendingLevel levelIDC: UInt8) -> FormatParameters {
        var pairs: [(key: String, value: String)] = []
        if levelAsymmetryAllowed { pairs.append(("level-asymmetry-allowed", "1")) }
        if parameters["packetization-mode"] != nil { pairs.append(("packetization-mode", "\(packetizationMode)")) }
        if parameters["profile-level-id"] != nil {
            let stated = levelAsymmetryAllowed ? profileLevel.at(levelIDC: levelIDC) : profileLevel
            pairs.append(("profile-level-id", stated.text))
        }
        return FormatParameters(pairs)
    }
}

extension MediaDescription {
    /// The section's usable H.264 options, best first: mode 1 before mode 0, which needs an encoder of its own; within
    /// a mode constrained baseline, which everyone decodes, then baseline, High, and Main.
    var h264Options: [H264Option] {
        let formats = payloadFormats
        let retransmissions = Self.retransmissions(formats)
        let options = formats.compactMap { H264Option($0, retransmittedBy: retransmissions[$0.payloadType]) }
        let ranked = options.enumerated().compactMap { index, option in
            option.profile.rank.map { rank in
                (rank: option.packetizationMode == 1 ? rank : rank + 10, index: index, option: option)
            }
        }
        return ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.option)
    }

    /// Payload types of retransmissions, by the payload type they repeat.
    static func retransmissions(_ formats: [PayloadFormat]) -> [UInt8: UInt8] {
        var types: [UInt8: UInt8] = [:]
        for format in formats where format.isEncoding("rtx") {
            guard let repeated: UInt8 = format.parameters["apt"]?.decimal(), types[repeated] == nil else { continue }
            types[repeated] = format.payloadType
        }
        return types
    }
}

extension H264Profile {
    /// Lower is better; nil for what we cannot serve.
    fileprivate var rank: Int? {
        switch self {
        case .constrainedBaseline: 0
        case .baseline: 1
        case .high: 2
        case .constrainedHigh: 3
        case .main: 4
        case .other: nil
        }
    }
}
