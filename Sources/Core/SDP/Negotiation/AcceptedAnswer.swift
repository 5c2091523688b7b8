/// Why an answer to our offer cannot be used.
package enum AnswerFault: Error, Hashable, Sendable {
    /// Other sections than were offered, or in another order (RFC 3264 § 6).
    case mismatchedMedia
    /// The video section was rejected.
    case rejected
    /// The peer does not do its half: send to us, or receive from us.
    case wrongDirection
    /// No payload type of ours, or changed into something else.
    case noCommonFormat
    case noRTCPMux
    /// Several sections were accepted, but not on one transport.
    case notBundled
    case transport(TransportFault)
}

/// An answer to an offer of ours, understood.
package struct AcceptedAnswer: Hashable, Sendable {
    package let transport: RemoteTransport
    /// Who we are in the DTLS handshake: the other one than the answerer chose.
    package let localSetup: SetupRole
    package let video: AcceptedVideo
    /// The sound's payload type; nil where the answer has none.
    package let opus: OpusOption?

    package init(_ answer: SessionDescription, to offer: LocalOffer) throws(AnswerFault) {
        let answer = answer.withOneCongestionFeedback()
        let offered = offer.description.media
        guard answer.media.count == offered.count,
            zip(answer.media, offered).allSatisfy({ $0.kind == $1.kind && ($0.mid == nil || $0.mid == $1.mid) })
        else { throw .mismatchedMedia }
        video = try AcceptedVideo(answer, to: offer.description)
        guard let bundle = Bundle(answer, holding: video.index) else { throw .notBundled }
        do {
            // The answer's group begins with the tagged section (RFC 9143 § 7.3.1).
            let tagged = bundle.sections.first { !answer.media[$0].isRejected } ?? video.index
            transport = try RemoteTransport(answer.media[tagged], in: answer, sharedBy: bundle)
            try bundle.checkFingerprints(in: answer, are: transport.fingerprint)
        } catch {
            throw .transport(error)
        }
        switch (transport.setup, offer.setup) {
        case (.active, .actpass): localSetup = .passive
        case (.passive, _): localSetup = .active
        default: throw .transport(.contradictorySetup)
        }
        let audio = answer.media.indices.first { index in
            let section = answer.media[index]
            return section.kind == "audio" && !section.isRejected && answer.direction(of: section).sends
        }
        if let audio, !bundle.sections.contains(audio) { throw .notBundled }
        opus = audio.flatMap { OpusOption(accepted: answer.media[$0], of: offered[$0]) }
    }
}

extension MediaDescription {
    /// Those of what was offered that this answer took, with the offer's ids.
    fileprivate func extensions(of offered: MediaDescription) -> [HeaderExtension] {
        let ours = offered.headerExtensions
        return headerExtensions.filter { taken in ours.contains { $0.id == taken.id && $0.uri == taken.uri } }
    }
}

extension OpusOption {
    /// Nil where the answer has Opus as something that was not offered.
    fileprivate init?(accepted section: MediaDescription, of offered: MediaDescription) {
        guard var option = OpusOption(among: section.payloadFormats),
            let ours = OpusOption(among: offered.payloadFormats), option.payloadType == ours.payloadType
        else { return nil }
        if option.redundancyPayloadType != ours.redundancyPayloadType { option.redundancyPayloadType = nil }
        self = option
    }
}

/// The picture's part of an answer.
package struct AcceptedVideo: Hashable, Sendable {
    let index: Int
    package let mid: String?
    /// The formats that may come, with the answer's parameters (RFC 3264 § 7); never empty, the preferred first.
    package let options: [H264Option]
    package var option: H264Option { options[0] }
    /// Of the repair packets that come (RFC 8627).
    package let flexFECPayloadType: UInt8?
    /// Those of our extensions that the answerer took, with our ids.
    package let extensions: [HeaderExtension]
    package let takesReducedSizeRTCP: Bool
    /// Bits per second the answerer asks us to keep to; nil where it says nothing.
    package let bandwidth: Int?
    /// Packets may come marked, and the sharer wants to know (RFC 6679).
    package let takesECNFeedback: Bool

    fileprivate init(_ answer: SessionDescription, to offer: SessionDescription) throws(AnswerFault) {
        guard let index = offer.media.firstIndex(where: { $0.kind == "video" }) else { throw .mismatchedMedia }
        let (section, offered) = (answer.media[index], offer.media[index])
        if section.isRejected { throw .rejected }
        let direction = answer.direction(of: section)
        let doesItsPart = offer.direction(of: offered).receives ? direction.sends : direction.receives
        guard doesItsPart else { throw .wrongDirection }
        guard section.attributes.has("rtcp-mux") else { throw .noRTCPMux }
        options = Self.options(of: section, among: offered)
        if options.isEmpty { throw .noCommonFormat }
        flexFECPayloadType = section.flexFECPayloadType.flatMap { $0 == offered.flexFECPayloadType ? $0 : nil }
        self.index = index
        bandwidth = section.bandwidth
        // A section without a tag is the one that was offered here.
        mid = section.mid ?? offered.mid
        extensions = section.extensions(of: offered)
        takesReducedSizeRTCP = section.attributes.has("rtcp-rsize")
        takesECNFeedback = section.ecnCapability != nil && options[0].feedback.contains(.ecn)
    }

    /// The answer's formats with a payload type of ours that mean the same configuration: profile and mode (RFC 6184
    /// § 8.2.2). Retransmissions count only with our payload type.
    ///
    /// GStreamer does not repeat a profile that it agrees to. By § 8.1 that would be plain Baseline, which was not offered
    /// under this payload type: it is what was.
    private static func options(of section: MediaDescription, among offered: MediaDescription) -> [H264Option] {
        let ours = offered.h264Options
        let formats = section.payloadFormats
        let retransmissions = MediaDescription.retransmissions(formats)
        return formats.compactMap { format in
            guard let mine = ours.first(where: { $0.payloadType == format.payloadType }),
                var option = H264Option(format, retransmittedBy: retransmissions[format.payloadType])
            else { return nil }
            if format.parameters["profile-level-id"] == nil { option.profileLevel = mine.profileLevel }
            guard option.profile == mine.profile, option.packetizationMode == mine.packetizationMode else { return nil }
            if option.retransmissionPayloadType != mine.retransmissionPayloadType {
                option.retransmissionPayloadType = nil
            }
            option.feedback.formIntersection(mine.feedback)
            return option
        }
    }
}
