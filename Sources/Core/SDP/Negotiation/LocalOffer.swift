/// An offer of ours: a viewer's, or the one with which a sharer counters an offer it cannot serve.
package struct LocalOffer: Hashable, Sendable {
    package let description: SessionDescription
    /// What it says of who begins the DTLS handshake.
    let setup: SetupRole

    /// A viewer's offer: H.264 in mode 1, constrained baseline first, then constrained High; Opus if sound is wanted.
    ///
    /// - Parameters:
    ///   - setup: `actpass`, as RFC 8842 § 5.2 has it, or `active` where the server is known to take that.
    ///   - maximumAudioBitrate: the most that sound may take, in bits per second, with its copies (`maxaveragebitrate`, RFC
    ///     7587 § 6.1); nil: as much as the sharer likes.
    ///   - ecn: how routers may mark what comes; nil: not at all.
    ///   - perStream: `ccfb` is offered as well, in a line for all payload types (RFC 8888 § 6): there are servers that read
    ///     no such line, and refuse all of the offer.
    package static func receiving(
        transport: LocalTransport, sessionID: UInt64, setup: SetupRole = .actpass, audio: Bool = false,
        maximumAudioBitrate: Int? = nil, ecn: ECNCapability? = ECNCapability(), perStream: Bool = true
    ) -> LocalOffer {
        let known = perStream ? given : given.subtracting(.ccfb)
        let feedback = ecn == nil ? known : known.union(.ecn)
        let formats = videoFormats(levelIDC: 31, high: true, feedback) + [.flexFEC(payloadType: 100)]
        var sections = [videoSection(.recvonly, formats: formats)]
        if audio {
            let told = feedback.intersection([.transportCC, .ccfb, .ecn])
            sections.append(audioSection(.recvonly, told, maximumBitrate: maximumAudioBitrate))
        }
        if let ecn {
            for index in sections.indices { sections[index].attributes.append(ecn.attribute) }
        }
        return LocalOffer(sections, transport: transport, setup: setup, sessionID: sessionID)
    }

    /// A sharer's counter-offer (the WHEP draft's 406): constrained baseline, at the level of what it sends.
    package static func sending(
        _ stream: LocalStream, levelIDC: UInt8, transport: LocalTransport, sessionID: UInt64
    ) -> LocalOffer {
        var stream = stream
        // It has no payload type here.
        stream.flexFECSSRC = nil
        var section = videoSection(.sendonly, formats: videoFormats(levelIDC: levelIDC, high: false, heeded))
        section.attributes.add("msid", stream.id.text)
        section.attributes += stream.attributes
        return LocalOffer([section], transport: transport, setup: .actpass, sessionID: sessionID)
    }

    private init(_ sections: [MediaDescription], transport: LocalTransport, setup: SetupRole, sessionID: UInt64) {
        self.setup = setup
        var description = SessionDescription(origin: Origin(sessionID: sessionID))
        let tags = sections.indices.map(String.init)
        description.attributes.add("group", (["BUNDLE"] + tags).joined(separator: " "))
        description.attributes.append(LocalTransport.options)
        description.media = sections.enumerated().map { index, section in
            var section = section
            section.attributes.insert(
                contentsOf: [Attribute("mid", tags[index])]
                    + transport.attributes(setup: setup, isTagged: index == 0),
                at: 0)
            return section
        }
        self.description = description
    }
}

extension LocalOffer {
    /// What a viewer of ours offers: it makes no estimate of its own (REMB), and asks for keyframes by PLI alone, not FIR.
    private static let given: Feedback = [.nack, .pli, .transportCC, .ccfb]
    /// What a sharer of ours goes by.
    private static let heeded = given.union([.remb, .fir])

    private static func videoFormats(levelIDC: UInt8, high: Bool, _ feedback: Feedback) -> [PayloadFormat] {
        let baseline = H264ProfileLevel(profileIDC: 0x42, constraints: 0xE0, levelIDC: levelIDC)
        let constrainedHigh = H264ProfileLevel(profileIDC: 0x64, constraints: 0x0C, levelIDC: levelIDC)
        return h264(96, baseline, feedback) + (high ? h264(98, constrainedHigh, feedback) : [])
    }

    /// A payload type, and the next one for its retransmissions.
    private static func h264(
        _ payloadType: UInt8, _ profileLevel: H264ProfileLevel, _ feedback: Feedback
    ) -> [PayloadFormat] {
        let parameters = FormatParameters([
            ("level-asymmetry-allowed", "1"), ("packetization-mode", "1"), ("profile-level-id", profileLevel.text),
        ])
        let format = PayloadFormat(
            payloadType: payloadType, encoding: "H264", clockRate: 90_000, parameters: parameters, feedback: feedback)
        return [format, .retransmission(payloadType: payloadType + 1, of: payloadType)]
    }

    private static func videoSection(_ direction: Direction, formats: [PayloadFormat]) -> MediaDescription {
        section("video", direction, formats, HeaderExtensionURI.video)
    }

    private static func audioSection(
        _ direction: Direction, _ feedback: Feedback, maximumBitrate: Int?
    ) -> MediaDescription {
        var pairs: [(key: String, value: String)] = [
            ("minptime", "10"), ("stereo", "1"), ("usedtx", "1"), ("useinbandfec", "1"),
        ]
        if let maximumBitrate { pairs.append(("maxaveragebitrate", String(maximumBitrate))) }
        let opus = PayloadFormat(
            payloadType: 111, encoding: "opus", clockRate: 48_000, channels: 2, parameters: FormatParameters(pairs),
            feedback: feedback)
        return section(
            "audio", direction, [opus, .redundancy(payloadType: 112, of: 111)], HeaderExtensionURI.audio)
    }

    /// An extension has the same id in all sections of a bundle (RFC 9143 § 15).
    private static func section(
        _ kind: String, _ direction: Direction, _ formats: [PayloadFormat], _ extensions: [String]
    ) -> MediaDescription {
        var section = MediaDescription(
            kind: kind, port: 9, transportProtocol: "UDP/TLS/RTP/SAVPF",
            formats: formats.map { String($0.payloadType) }, lines: [Line("c", "IN IP4 0.0.0.0")])
        section.attributes.add("rtcp", "9 IN IP4 0.0.0.0")
        for (index, uri) in HeaderExtensionURI.video.enumerated() where extensions.contains(uri) {
            section.attributes.append(HeaderExtension(id: UInt8(index + 1), uri: uri).attribute)
        }
        section.attributes.add(direction.rawValue)
        for name in ["rtcp-mux", "rtcp-mux-only", "rtcp-rsize"] { section.attributes.add(name) }
        section.attributes += formats.attributes
        return section
    }
}
