/// An offer to watch, understood: the sharer's side of offer and answer (RFC 3264, RFC 8829).
package struct Offer: Hashable, Sendable {
    /// But for the congestion feedback that is not taken.
    package let description: SessionDescription
    package let transport: RemoteTransport
    /// Who we are in the DTLS handshake: `active`, unless the offerer insists on that itself (RFC 8842 § 5.3).
    package let localSetup: SetupRole
    package let video: OfferedVideo
    /// Sound that could be sent; nil where none is wanted, or no Opus is.
    package let audio: OfferedAudio?
    /// The bundle's sections, in the group's order; the picture's alone where no group has it.
    let bundle: [Int]

    /// Tags of the sections on other transports than the picture's, which nothing is sent by.
    package var foreignTags: Set<String> {
        Set(description.media.indices.filter { !bundle.contains($0) }.compactMap { description.media[$0].mid })
    }

    package init(_ description: SessionDescription) throws(AnswerRefusal) {
        let description = description.withOneCongestionFeedback()
        let video = try OfferedVideo.find(in: description)
        guard let bundle = Bundle(description, holding: video.index) else { throw .unusableTags }
        let audio = OfferedAudio.find(in: description, among: bundle.sections)
        self.description = description
        self.video = video
        self.audio = audio
        self.bundle = bundle.sections
        do {
            let index = Self.transportSection(of: bundle, in: description, video: video.index)
            transport = try RemoteTransport(description.media[index], in: description, sharedBy: bundle)
            try bundle.checkFingerprints(in: description, are: transport.fingerprint)
        } catch {
            throw .transport(error)
        }
        // RFC 4145 § 4: an offer without `a=setup` means `active`.
        localSetup = (transport.setup ?? .active) == .active ? .passive : .active
    }

    /// The tagged section: the first of the group (RFC 9143 § 7.2.1). If it is one we must reject, the video's own,
    /// unless that has no transport of its own.
    private static func transportSection(of bundle: Bundle, in description: SessionDescription, video: Int) -> Int {
        let usable = bundle.sections.first { !description.media[$0].isRejected } ?? video
        let section = description.media[usable]
        let hasOwn = !description.media[video].attributes.has("bundle-only")
        return hasOwn && !section.canBePlaceholder ? video : usable
    }
}

/// The section our picture goes to.
package struct OfferedVideo: Hashable, Sendable {
    package let index: Int
    package let mid: String?
    /// Never empty; best first.
    package let options: [H264Option]
    /// Of repair packets for whichever of them (RFC 8627); nil where none are taken.
    package let flexFECPayloadType: UInt8?
    package let extensions: [HeaderExtension]
    /// `a=rtcp-rsize` (RFC 5506 § 5).
    package let takesReducedSizeRTCP: Bool
    /// Bits per second the viewer asks us to keep to; nil where it says nothing.
    package let bandwidth: Int?
    /// How packets may be marked (RFC 6679); nil where the viewer takes no marks, or does not tell of them.
    package let ecn: ECNCapability?

    static func find(in description: SessionDescription) throws(AnswerRefusal) -> OfferedVideo {
        if description.media.isEmpty { throw .noMedia }
        var refusal = AnswerRefusal.noVideo
        for (index, section) in description.media.enumerated() where section.kind == "video" && !section.isRejected {
            do {
                return try OfferedVideo(section, at: index, in: description)
            } catch {
                // The first section's reason is told, unless that section did not want to receive.
                if refusal == .noVideo || refusal == .nothingToReceive { refusal = error }
            }
        }
        throw refusal
    }

    private init(
        _ section: MediaDescription, at index: Int, in description: SessionDescription
    ) throws(AnswerRefusal) {
        guard description.direction(of: section).receives else { throw .nothingToReceive }
        guard section.isRTP else { throw .unsupportedProtocol }
        let options = section.h264Options
        if options.isEmpty { throw .noH264 }
        guard section.attributes.has("rtcp-mux") else { throw .noRTCPMux }
        self.index = index
        mid = section.mid
        self.options = options
        flexFECPayloadType = section.flexFECPayloadType
        extensions = section.takenExtensions
        takesReducedSizeRTCP = section.attributes.has("rtcp-rsize")
        bandwidth = section.bandwidth
        let tells = options.allSatisfy { !$0.feedback.isDisjoint(with: [.ecn, .ccfb]) }
        ecn = section.ecnCapability.flatMap { $0.isServable && tells ? $0 : nil }
    }
}

/// A section our sound could go to.
package struct OfferedAudio: Hashable, Sendable {
    package let index: Int
    package let mid: String?
    package let opus: OpusOption
    package let extensions: [HeaderExtension]
    package let takesReducedSizeRTCP: Bool

    static func find(in description: SessionDescription, among bundle: [Int]) -> OfferedAudio? {
        for index in bundle.sorted() {
            let section = description.media[index]
            guard section.kind == "audio", !section.isRejected, section.isRTP, section.attributes.has("rtcp-mux"),
                description.direction(of: section).receives,
                var opus = OpusOption(among: section.payloadFormats)
            else { continue }
            // Some bound it by the section's bandwidth, which browsers keep to as well.
            opus.maximumBitrate = [opus.maximumBitrate, section.bandwidth].compactMap { $0 }.min()
            return OfferedAudio(
                index: index, mid: section.mid, opus: opus, extensions: section.takenExtensions,
                takesReducedSizeRTCP: section.attributes.has("rtcp-rsize"))
        }
        return nil
    }
}

extension MediaDescription {
    var flexFECPayloadType: UInt8? {
        payloadFormats.first { $0.isEncoding("flexfec") && $0.clockRate == 90_000 }?.payloadType
    }

    /// A bundled section can be accepted without media (`inactive`) while there is nothing to send in it. That is
    /// better than port 0: if it is the tagged section it holds the transport of all others, and aiortc waits for ever
    /// for a rejected section's own transport.
    var canBePlaceholder: Bool {
        !isRejected && isRTP && attributes.has("rtcp-mux") && !payloadFormats.isEmpty
    }

    /// The profiles a WebRTC peer must take for the same (RFC 8829 § 5.1.2).
    var isRTP: Bool {
        [
            "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP",
            "RTP/SAVPF", "RTP/SAVP", "RTP/AVPF", "RTP/AVP",
        ].contains(transportProtocol)
    }
}
