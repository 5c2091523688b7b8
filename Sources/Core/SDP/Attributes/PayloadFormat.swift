/// What a payload type stands for: `a=rtpmap`, `a=fmtp` and `a=rtcp-fb` of one format, put together.
struct PayloadFormat: Hashable, Sendable {
    var payloadType: UInt8
    /// `H264`, `opus`, `rtx`, …; names are case-insensitive (RFC 8866 § 6.6).
    var encoding: String
    var clockRate: UInt32
    /// The rtpmap's last part; 1 where it is missing.
    var channels: UInt8
    var parameters: FormatParameters
    var feedback: Feedback

    init(
        payloadType: UInt8, encoding: String, clockRate: UInt32, channels: UInt8 = 1,
        parameters: FormatParameters = FormatParameters(), feedback: Feedback = []
    ) {
        self.payloadType = payloadType
        self.encoding = encoding
        self.clockRate = clockRate
        self.channels = channels
        self.parameters = parameters
        self.feedback = feedback
    }

    /// `<payload type> <encoding>/<clock rate>[/<channels>]`.
    init?(rtpmap text: String) {
        guard let (format, name) = text.trimmed.halves(at: UInt8(ascii: " ")),
            let payloadType: UInt8 = format.decimal(), payloadType < 128
        else { return nil }
        let parts = name.trimmed.split(at: UInt8(ascii: "/"), maxSplits: 2)
        guard parts.count >= 2, let clockRate: UInt32 = parts[1].decimal() else { return nil }
        self.init(payloadType: payloadType, encoding: parts[0], clockRate: clockRate)
        if parts.count == 3 { channels = parts[2].decimal() ?? 1 }
    }

    /// With RTP and RTCP on one port these would look like RTCP (RFC 5761 § 4).
    fileprivate var collidesWithRTCP: Bool { (64...95).contains(payloadType) }

    func isEncoding(_ name: String) -> Bool { encoding.isEqual(ignoringCase: name) }

    /// Something to see or to hear, and not what only goes with that.
    fileprivate var isMedia: Bool {
        !["rtx", "red", "ulpfec", "flexfec", "flexfec-03", "CN", "telephone-event"].contains(where: isEncoding)
    }

    var attributes: [Attribute] {
        let channelText = channels > 1 ? "/\(channels)" : ""
        var attributes = [Attribute("rtpmap", "\(payloadType) \(encoding)/\(clockRate)\(channelText)")]
        attributes += feedback.subtracting(.ccfb).texts.map { Attribute("rtcp-fb", "\(payloadType) \($0)") }
        if !parameters.pairs.isEmpty { attributes.add("fmtp", "\(payloadType) \(parameters.text)") }
        return attributes
    }
}

extension [PayloadFormat] {
    /// Of a whole section: RFC 8888 § 6 wants its feedback for all formats at once.
    var attributes: [Attribute] {
        let ccfb = contains { $0.feedback.contains(.ccfb) }
        return flatMap(\.attributes) + (ccfb ? Feedback.ccfb.texts : []).map { Attribute("rtcp-fb", "* \($0)") }
    }
}

extension MediaDescription {
    /// The section's formats in the order of its `m=` line, which is the order of preference (RFC 3264 § 5.1). Read in
    /// one pass; formats without an rtpmap are left out, and those that RTCP could be taken for; of formats that stand twice
    /// the first counts.
    var payloadFormats: [PayloadFormat] {
        var known: [UInt8: PayloadFormat] = [:]
        var parameters: [UInt8: FormatParameters] = [:]
        var feedback: [UInt8: Feedback] = [:]
        var feedbackForAll: Feedback = []
        for attribute in attributes {
            guard let value = attribute.value else { continue }
            switch attribute.name {
            case "rtpmap":
                guard let format = PayloadFormat(rtpmap: value), !format.collidesWithRTCP,
                    known[format.payloadType] == nil
                else { continue }
                known[format.payloadType] = format
            case "fmtp":
                guard let (format, text) = Self.split(value), let type: UInt8 = format.decimal() else { continue }
                if parameters[type] == nil { parameters[type] = FormatParameters(parsing: text) }
            case "rtcp-fb":
                guard let (format, text) = Self.split(value) else { continue }
                if format == "*" { feedbackForAll.formUnion(Feedback(parsing: text)) }
                if let type: UInt8 = format.decimal() { feedback[type, default: []].formUnion(Feedback(parsing: text)) }
            default:
                continue
            }
        }
        return formats.compactMap { text in
            guard let type: UInt8 = text.decimal(), var format = known.removeValue(forKey: type) else { return nil }
            format.parameters = parameters[type] ?? FormatParameters()
            format.feedback = (feedback[type] ?? []).union(feedbackForAll)
            return format
        }
    }

    /// What an answer names where there is nothing to send: Chromium takes no video section of RED or FEC alone, which may
    /// stand first in its own.
    var placeholderFormats: [PayloadFormat] {
        let formats = payloadFormats
        return Array((formats.filter(\.isMedia) + formats).prefix(1))
    }

    private static func split(_ value: String) -> (String, String)? { value.halves(at: UInt8(ascii: " ")) }
}
