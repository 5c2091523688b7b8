import Datagrams
import ICE
import RTP
import Timebase

/// What offer and answer agreed on for one peer.
package struct PeerSetup: Sendable {
    package var iceRole: ICERole
    /// Which of our addresses the peer may learn.
    package var transportPolicy = ICETransportPolicy.all
    package var handshakeRole: HandshakeRole
    /// Nil for a viewer that has not had its answer yet.
    package var remote: RemoteParameters?
    /// What we send, if we do.
    package var send: SendParameters?
    /// The sound beside it.
    package var sendAudio: AudioSendParameters?
    /// What we take, if we do.
    package var receive: ReceiveParameters?

    package init(
        iceRole: ICERole, handshakeRole: HandshakeRole, remote: RemoteParameters? = nil, send: SendParameters? = nil,
        sendAudio: AudioSendParameters? = nil, receive: ReceiveParameters? = nil
    ) {
        self.iceRole = iceRole
        self.handshakeRole = handshakeRole
        self.remote = remote
        self.send = send
        self.sendAudio = sendAudio
        self.receive = receive
    }
}

/// The other side's half of the SDP, as far as transport goes.
package struct RemoteParameters: Sendable {
    package var credentials: ICECredentials
    package var fingerprint: Fingerprint
    package var candidates: [Candidate]

    package init(credentials: ICECredentials, fingerprint: Fingerprint, candidates: [Candidate]) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.candidates = candidates
    }
}

/// One outgoing video stream (RFC 3550 § 5.1), with the numbers the viewer's offer chose.
package struct SendParameters: Sendable {
    package var payloadType: UInt8
    package var ssrc: UInt32
    /// Retransmission (RFC 4588); nil: the viewer did not offer it, and a lost packet is not sent again.
    package var retransmission: RepairStreamParameters?
    package var canonicalName: String
    package var mid: String?
    package var extensions: ExtensionMap
    /// The encoder's bit rate at most, from which pacing and the repair budget follow.
    package var bitsPerSecond: Int
    /// What the viewer asks us to keep to (RFC 8829 § 5.10); nil where it says nothing.
    package var viewerMaximum: Int?
    package var playout: PlayoutWish
    /// How the viewer tells which packets came and when.
    package var feedback: PathFeedback
    /// Repair packets (RFC 8627), where the viewer takes them.
    package var flexFEC: RepairStreamParameters?
    /// ECT(0) or ECT(1), where the viewer tells what became of it (RFC 6679); nil: packets are not to be marked.
    package var ecn: ECN?

    package init(
        payloadType: UInt8, ssrc: UInt32, retransmission: RepairStreamParameters?, canonicalName: String,
        mid: String?, extensions: ExtensionMap, bitsPerSecond: Int, viewerMaximum: Int? = nil,
        playout: PlayoutWish = PlayoutWish(),
        givesTransportFeedback: Bool = false, givesCongestionFeedback: Bool = false,
        flexFEC: RepairStreamParameters? = nil, ecn: ECN? = nil
    ) {
        self.payloadType = payloadType
        self.ssrc = ssrc
        self.retransmission = retransmission
        self.canonicalName = canonicalName
        self.mid = mid
        self.extensions = extensions
        self.viewerMaximum = viewerMaximum
        self.bitsPerSecond = Self.kept(bitsPerSecond, to: viewerMaximum)
        self.playout = playout
        self.flexFEC = flexFEC
        self.ecn = ecn
        feedback = PathFeedback(
            extensions: extensions, takesTransportWide: givesTransportFeedback, takesPerStream: givesCongestionFeedback)
    }

    /// Less than pictures take at the very least is not kept to.
    static func kept(_ bitsPerSecond: Int, to viewerMaximum: Int?) -> Int {
        min(bitsPerSecond, max(Limits.leastForPictures, viewerMaximum ?? .max))
    }
}

extension ExtensionMap {
    /// Transport-wide numbers tell the same, and in fewer bytes.
    var needsSendTime: Bool { id(of: .transportSequenceNumber) == nil }
}

/// A stream beside the pictures: of what is sent once more, or of repair packets.
package struct RepairStreamParameters: Sendable {
    package var payloadType: UInt8
    package var ssrc: UInt32

    package init(payloadType: UInt8, ssrc: UInt32) {
        self.payloadType = payloadType
        self.ssrc = ssrc
    }
}

/// One incoming video stream: its payload types, known from the answer.
package struct ReceiveParameters: Sendable {
    package var payloadTypes: Set<UInt8>
    /// Of packets that are sent again (RFC 4588 § 8.1).
    package var retransmissionPayloadTypes: Set<UInt8>
    /// Of repair packets (RFC 8627); nil where none come.
    package var flexFECPayloadType: UInt8?
    /// SPS and PPS that the answer tells; streams that have them there may bring none.
    package var parameterSets: [[UInt8]]
    package var extensions: ExtensionMap
    /// Our own SSRC in reports and feedback.
    package var ssrc: UInt32
    package var canonicalName: String
    /// The sharer sends again what it is asked for (generic NACK, RFC 4585 § 6.2.1).
    package var takesRequests: Bool
    /// The sharer takes `ccfb`; transport-wide numbers go before it.
    package var givesCongestionFeedback: Bool
    /// The sharer takes ECN feedback beside transport-wide numbers (`nack ecn`, RFC 6679).
    package var givesECNFeedback: Bool
    /// Feedback may come by itself (RFC 5506).
    package var takesReducedSizeRTCP: Bool

    package init(
        payloadTypes: Set<UInt8>, retransmissionPayloadTypes: Set<UInt8>, flexFECPayloadType: UInt8? = nil,
        parameterSets: [[UInt8]] = [], extensions: ExtensionMap, ssrc: UInt32, canonicalName: String,
        takesRequests: Bool = true, givesCongestionFeedback: Bool = false, givesECNFeedback: Bool = false,
        takesReducedSizeRTCP: Bool = true
    ) {
        self.payloadTypes = payloadTypes
        self.retransmissionPayloadTypes = retransmissionPayloadTypes
        self.flexFECPayloadType = flexFECPayloadType
        self.parameterSets = parameterSets
        self.extensions = extensions
        self.ssrc = ssrc
        self.canonicalName = canonicalName
        self.takesRequests = takesRequests
        self.givesCongestionFeedback = givesCongestionFeedback
        self.givesECNFeedback = givesECNFeedback
        self.takesReducedSizeRTCP = takesReducedSizeRTCP
    }

    /// The sharer is ours: it takes for one what it is told twice of a packet, and its reports are exact. Others (libwebrtc,
    /// mediasoup) reckon a lost packet as another one each time that they are told of it. Repair packets come from none but
    /// our own sharer, as yet.
    var isFromOwnSharer: Bool { flexFECPayloadType != nil }

    /// How we tell what comes.
    var feedback: PathFeedback { PathFeedback(extensions: extensions, takesPerStream: givesCongestionFeedback) }
}
