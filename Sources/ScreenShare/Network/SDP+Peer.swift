import Datagrams
import ICE
import PeerCore
import PeerDriver
import RTP
import SDP

/// From what SDP says to what a peer needs, and back. SDP knows no ICE, RTP or DTLS types; this is where they meet.

/// A description that parses, but whose parts make no peer.
struct UnusableDescription: Error, CustomStringConvertible {
    let description: String
}

extension RemoteParameters {
    init(_ transport: RemoteTransport) throws {
        guard let credentials = ICE.ICECredentials(transport.credentials) else {
            throw UnusableDescription(description: "its ICE credentials are malformed")
        }
        self.init(
            credentials: credentials, fingerprint: Fingerprint(sha256: transport.fingerprint),
            candidates: transport.candidates.compactMap { try? Candidate($0) })
    }
}

extension ICE.ICECredentials {
    init?(_ credentials: SDP.ICECredentials) {
        self.init(ufrag: credentials.usernameFragment, password: credentials.password)
    }
}

extension SDP.ICECredentials {
    init(_ credentials: ICE.ICECredentials) {
        self.init(usernameFragment: credentials.ufrag, password: credentials.password)
    }
}

extension ExtensionMap {
    init(_ extensions: [SDP.HeaderExtension]) {
        self.init()
        for known in extensions { map(known.id, toURI: known.uri) }
    }
}

extension OfferedVideo {
    /// What we send: High where the viewer takes it, for it takes constrained baseline as well; nil where we have nothing
    /// for it.
    var choice: H264Option? { options.first(where: \.takesHigh) ?? options.first(where: \.isServable) }
}

extension H264Option {
    /// Everything but High gets constrained baseline, which all decoders of these profiles take.
    fileprivate var isServable: Bool {
        switch profile {
        case .constrainedBaseline, .baseline, .main, .high, .constrainedHigh: true
        case .other: false
        }
    }

    /// Our High has neither B-frames nor fields: constrained High is enough. With packetization-mode 0 slices are so
    /// small that High gains nothing.
    var takesHigh: Bool { packetizationMode == 1 && (profile == .high || profile == .constrainedHigh) }

    var lane: LaneKey { LaneKey(packetizationMode: packetizationMode == 1 ? .nonInterleaved : .singleNALUnit) }
}

extension LocalStream {
    /// Random SSRCs and names (RFC 3550 § 8.1, RFC 7022); they tell nothing about the machine.
    static func random(retransmits: Bool) -> LocalStream {
        var random = SystemRandomNumberGenerator()
        let ssrc = UInt32.random(in: 1...(.max))
        return LocalStream(
            ssrc: ssrc, retransmissionSSRC: retransmits ? ssrc ^ UInt32.random(in: 1...(.max)) : nil,
            flexFECSSRC: retransmits ? UInt32.random(in: 1...(.max)) : nil,
            cname: SourceDescription.randomName(using: &random),
            // A name in Base64 may have a slash, which a track's can't (RFC 8830 § 2).
            id: MediaStreamID(stream: "screen", track: "screen-\(ssrc)"))
    }

    /// Another stream of the same source: the same name and media stream, so that both are played in step.
    func sibling(_ track: String) -> LocalStream {
        let ssrc = UInt32.random(in: 1...(.max))
        return LocalStream(
            ssrc: ssrc, cname: cname, id: MediaStreamID(stream: id.stream, track: "\(track)-\(ssrc)"))
    }
}

extension SendParameters {
    /// What a viewer's offer lets us send.
    ///
    /// - Parameter sound: what goes the same way and is none of the video's.
    init(
        _ video: OfferedVideo, _ option: H264Option, _ stream: LocalStream, bitsPerSecond: Int, besides sound: Int
    ) {
        self.init(
            option, stream, mid: video.mid, extensions: video.extensions, bitsPerSecond: bitsPerSecond,
            viewerMaximum: video.bandwidth.map { min($0, .max - sound) + sound })
        ecn = video.ecn.map { wanted in
            // To give way in proportion takes a report of each packet (RFC 9331 § 4.2).
            wanted.preference == .one && feedback == .perStream ? .capable1 : .capable0
        }
        guard let type = video.flexFECPayloadType, let ssrc = stream.flexFECSSRC else { return }
        flexFEC = RepairStreamParameters(payloadType: type, ssrc: ssrc)
    }

    /// What a viewer's answer to our offer lets us send.
    init(_ video: AcceptedVideo, _ stream: LocalStream, bitsPerSecond: Int) {
        self.init(
            video.option, stream, mid: video.mid, extensions: video.extensions, bitsPerSecond: bitsPerSecond,
            viewerMaximum: video.bandwidth)
    }

    private init(
        _ option: H264Option, _ stream: LocalStream, mid: String?, extensions: [SDP.HeaderExtension],
        bitsPerSecond: Int, viewerMaximum: Int?
    ) {
        var retransmission: RepairStreamParameters?
        if let type = option.retransmissionPayloadType, let ssrc = stream.retransmissionSSRC {
            retransmission = RepairStreamParameters(payloadType: type, ssrc: ssrc)
        }
        self.init(
            payloadType: option.payloadType, ssrc: stream.ssrc, retransmission: retransmission,
            canonicalName: stream.cname, mid: mid, extensions: ExtensionMap(extensions), bitsPerSecond: bitsPerSecond,
            viewerMaximum: viewerMaximum, givesTransportFeedback: option.feedback.contains(.transportCC),
            givesCongestionFeedback: option.feedback.contains(.ccfb))
    }
}

extension AudioSendParameters {
    /// What a viewer's offer lets us send.
    init(_ audio: OfferedAudio, _ stream: LocalStream) {
        self.init(
            payloadType: audio.opus.payloadType, redundancyPayloadType: audio.opus.redundancyPayloadType,
            maximumBitrate: audio.opus.maximumBitrate, ssrc: stream.ssrc, canonicalName: stream.cname, mid: audio.mid,
            extensions: ExtensionMap(audio.extensions))
    }
}

extension PeerHub {
    /// Adds a peer and gives our half of its transport for SDP.
    func transport(of peer: PeerID, _ setup: PeerSetup, lane: LaneKey?) async throws -> LocalTransport {
        let credentials = try add(peer, setup, lane: lane)
        return LocalTransport(
            credentials: SDP.ICECredentials(credentials), fingerprint: try localFingerprint().sha256,
            candidates: listedCandidates().map(\.attributeValue))
    }
}
