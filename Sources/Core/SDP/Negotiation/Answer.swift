/// What we answer an offer with.
package struct AnswerPlan: Sendable {
    /// One of the offer's.
    package var option: H264Option
    /// The level of the stream we send, as its sequence parameter set says.
    package var levelIDC: UInt8
    package var video: LocalStream
    /// Nil while there is no sound.
    package var audio: LocalStream?
    /// Routers may mark packets, where the offer takes that (RFC 6679).
    package var usesECN: Bool
    package var transport: LocalTransport
    /// Random (RFC 8829 § 5.2.1).
    package var sessionID: UInt64

    package init(
        option: H264Option, levelIDC: UInt8, video: LocalStream, audio: LocalStream? = nil, usesECN: Bool = true,
        transport: LocalTransport, sessionID: UInt64
    ) {
        self.option = option
        self.levelIDC = levelIDC
        self.video = video
        self.audio = audio
        self.usesECN = usesECN
        self.transport = transport
        self.sessionID = sessionID
    }
}

extension Offer {
    /// The answer (RFC 8829 § 5.3.1): the offer's sections in order, with its tags, payload types and extension ids.
    /// There is one transport: what the offer has on others is rejected.
    package func makeAnswer(_ plan: AnswerPlan) -> SessionDescription {
        let accepted = bundle.filter { part(of: $0, plan) != .rejected }
        var answer = SessionDescription(origin: Origin(sessionID: plan.sessionID))
        let tags = accepted.compactMap { description.media[$0].mid }
        if let mid = video.mid, description.groups("BUNDLE").contains(where: { $0.contains(mid) }) {
            answer.attributes.add("group", (["BUNDLE"] + tags).joined(separator: " "))
        }
        answer.attributes.append(LocalTransport.options)
        answer.media = description.media.indices.map { index in
            section(index, plan, isTagged: index == accepted.first)
        }
        return answer
    }

    /// What becomes of a section.
    private enum Part {
        case video
        case audio
        /// Accepted without media, to share the transport.
        case placeholder
        case rejected
    }

    private func part(of index: Int, _ plan: AnswerPlan) -> Part {
        if index == video.index { return .video }
        if index == audio?.index, plan.audio != nil { return .audio }
        return bundle.contains(index) && description.media[index].canBePlaceholder ? .placeholder : .rejected
    }

    private func section(_ index: Int, _ plan: AnswerPlan, isTagged: Bool) -> MediaDescription {
        let offered = description.media[index]
        var content: Content
        switch part(of: index, plan) {
        case .rejected: return rejection(of: offered, plan)
        case .placeholder: content = Content(direction: .inactive, formats: offered.placeholderFormats)
        case .audio: content = audioContent(plan)
        case .video: content = videoContent(plan)
        }
        content.usesECN = plan.usesECN && video.ecn != nil && offered.ecnCapability?.isServable == true
        return acceptance(of: offered, content, plan.transport.attributes(setup: localSetup, isTagged: isTagged))
    }

    /// What an accepted section says of its media.
    private struct Content {
        var direction: Direction
        var formats: [PayloadFormat]
        /// URIs of the extensions we would send.
        var extensions: [String] = []
        var stream: LocalStream?
        var usesECN = false
    }

    private func audioContent(_ plan: AnswerPlan) -> Content {
        Content(
            direction: .sendonly, formats: audio.map(\.opus.answers) ?? [], extensions: HeaderExtensionURI.audio,
            stream: plan.audio)
    }

    /// Retransmissions need both a payload type of the offerer's and an SSRC of ours.
    private func videoContent(_ plan: AnswerPlan) -> Content {
        let option = plan.option
        var stream = plan.video
        var formats = [
            PayloadFormat(
                payloadType: option.payloadType, encoding: "H264", clockRate: 90_000,
                parameters: option.answer(sendingLevel: plan.levelIDC), feedback: option.feedback)
        ]
        if let type = option.retransmissionPayloadType, stream.retransmissionSSRC != nil {
            formats.append(.retransmission(payloadType: type, of: option.payloadType))
        } else {
            stream.retransmissionSSRC = nil
        }
        if let type = video.flexFECPayloadType, stream.flexFECSSRC != nil {
            formats.append(.flexFEC(payloadType: type))
        } else {
            stream.flexFECSSRC = nil
        }
        return Content(direction: .sendonly, formats: formats, extensions: HeaderExtensionURI.video, stream: stream)
    }

    /// Port 0, and the tag so that the section is recognised (RFC 3264 § 6, RFC 8829 § 5.3.1). It names the transport
    /// and a format all the same, as browsers' rejections do: GStreamer and aiortc refuse an answer without.
    private func rejection(of offered: MediaDescription, _ plan: AnswerPlan) -> MediaDescription {
        var section = MediaDescription(
            kind: offered.kind, port: 0, transportProtocol: offered.transportProtocol,
            formats: Array(offered.formats.prefix(1)), lines: [Self.noAddress])
        if let mid = offered.mid { section.attributes.add("mid", mid) }
        section.attributes += plan.transport.attributes(setup: localSetup, isTagged: false)
        section.attributes.add("inactive")
        guard offered.isRTP else { return section }
        section.attributes.add("rtcp-mux")
        let format = offered.payloadFormats.first { String($0.payloadType) == section.formats.first }
        section.attributes += format?.attributes ?? []
        return section
    }

    private func acceptance(
        of offered: MediaDescription, _ content: Content, _ transport: [Attribute]
    ) -> MediaDescription {
        var section = MediaDescription(
            kind: offered.kind, port: 9, transportProtocol: offered.transportProtocol,
            formats: content.formats.map { String($0.payloadType) }, lines: [Self.noAddress])
        if let mid = offered.mid { section.attributes.add("mid", mid) }
        section.attributes.add("rtcp", "9 IN IP4 0.0.0.0")
        section.attributes += transport
        section.attributes += extensions(of: offered, content.extensions)
        section.attributes.add(content.direction.rawValue)
        section.attributes.add("rtcp-mux")
        if offered.attributes.has("rtcp-rsize") { section.attributes.add("rtcp-rsize") }
        section.attributes += content.formats.map { $0.telling(ofECN: content.usesECN) }.attributes
        if content.usesECN { section.attributes.append(ECNCapability().attribute) }
        if let stream = content.stream {
            section.attributes.add("msid", stream.id.text)
            section.attributes += stream.attributes
        }
        return section
    }

    /// Those that both sides know, with the offerer's ids, seen from our side.
    private func extensions(of offered: MediaDescription, _ uris: [String]) -> [Attribute] {
        offered.takenExtensions.compactMap { offered in
            guard uris.contains(offered.uri) else { return nil }
            return HeaderExtension(id: offered.id, direction: offered.direction?.reversed, uri: offered.uri).attribute
        }
    }

    /// Addresses stand in candidates (RFC 8840 § 4.1.1).
    private static let noAddress = Line("c", "IN IP4 0.0.0.0")
}

extension PayloadFormat {
    fileprivate func telling(ofECN usesECN: Bool) -> PayloadFormat {
        var format = self
        if !usesECN { format.feedback.remove(.ecn) }
        return format
    }

    /// RFC 8627 § 5.1.2.
    static func flexFEC(payloadType: UInt8) -> PayloadFormat {
        PayloadFormat(
            payloadType: payloadType, encoding: "flexfec", clockRate: 90_000,
            parameters: FormatParameters([("repair-window", "200000")]))
    }

    /// RFC 4588 § 8.6.
    static func retransmission(payloadType: UInt8, of repeated: UInt8) -> PayloadFormat {
        PayloadFormat(
            payloadType: payloadType, encoding: "rtx", clockRate: 90_000,
            parameters: FormatParameters([("apt", "\(repeated)")]))
    }
}
