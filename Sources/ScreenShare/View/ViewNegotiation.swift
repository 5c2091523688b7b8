import ICE
import PeerCore
import PeerDriver
import RTP
import SDP
import SignalingClient

/// A viewer's offer and what becomes of the answer.
struct ViewNegotiation {
    /// The SDP to send.
    var offer: String { local.description.description }
    private let hub: PeerHub
    private let peer: PeerID
    private let local: LocalOffer
    private let transport: LocalTransport
    private let ssrc = UInt32.random(in: 1...(.max))
    private let canonicalName: String

    /// - Parameter wanted: says whether sound is asked for, and how much; and whether routers may mark what comes.
    init(hub: PeerHub, peer: PeerID, wanted: ViewConfiguration) async throws {
        self.hub = hub
        self.peer = peer
        var random = SystemRandomNumberGenerator()
        canonicalName = SourceDescription.randomName(using: &random)
        let receive = ReceiveParameters(
            payloadTypes: [], retransmissionPayloadTypes: [], extensions: ExtensionMap(), ssrc: ssrc,
            canonicalName: canonicalName)
        let setup = PeerSetup(iceRole: .controlling, handshakeRole: .passive, receive: receive)
        var transport = try await hub.transport(of: peer, setup, lane: nil)
        // The answer may name servers that find more.
        transport.isComplete = false
        self.transport = transport
        local = LocalOffer.receiving(
            transport: transport, sessionID: UInt64.random(in: 0...UInt64(Int64.max)),
            setup: wanted.beginsHandshake ? .active : .actpass, audio: wanted.receivesAudio,
            maximumAudioBitrate: wanted.maximumAudioBitrate,
            ecn: wanted.network.marksPackets ? ECNCapability() : nil, perStream: false)
    }

    /// A fragment with a candidate that is not in the offer; nil for one that is.
    func fragment(with candidate: Candidate) async -> String? {
        let text = candidate.attributeValue
        guard !transport.candidates.contains(text), let present = await hub.localCredentials(of: peer) else { return nil }
        return fragment(present, [text])
    }

    private func fragment(_ credentials: ICE.ICECredentials, _ candidates: [String]) -> String {
        var later = transport
        later.credentials = SDP.ICECredentials(credentials)
        later.candidates = candidates
        return TrickleFragment(of: local.description, transport: later).description
    }

    /// For how long the sharer has not answered, and sent nothing; nil where there is no connection.
    func lostTime() async -> Duration? { await hub.lostTime(of: peer) }

    func askSharer() async { await hub.with(peer) { core, now in core.askPeer(at: now) } }

    /// ICE begins anew, where the server agrees; where not, all stays as it was.
    func restart(by session: WHEPSession) async throws(SignalingError) {
        var random = SystemRandomNumberGenerator()
        let credentials = ICE.ICECredentials.random(using: &random)
        let candidates = await hub.listedCandidates().map(\.attributeValue)
        let reply = try await session.restart(fragment(credentials, candidates))
        guard let theirs = try? TrickleFragment(reply.fragment),
            let remote = theirs.credentials.flatMap({ ICE.ICECredentials($0) })
        else { throw .unreadable("restart") }
        await hub.restart(
            peer, local: credentials, remote: remote, candidates: theirs.candidates.compactMap { try? Candidate($0) },
            isLast: theirs.isComplete)
        await session.follow(reply)
    }

    struct Accepted {
        let hasSound: Bool
    }

    /// Nil where the answer can't be used.
    func accept(answer text: String) async -> Accepted? {
        guard let description = try? SessionDescription(text),
            let answer = try? AcceptedAnswer(description, to: local),
            let remote = try? RemoteParameters(answer.transport)
        else { return nil }
        let option = answer.video.option
        let receive = ReceiveParameters(
            payloadTypes: Set(answer.video.options.map(\.payloadType)),
            retransmissionPayloadTypes: Set(answer.video.options.compactMap(\.retransmissionPayloadType)),
            flexFECPayloadType: answer.video.flexFECPayloadType, parameterSets: option.parameterSets,
            extensions: ExtensionMap(answer.video.extensions), ssrc: ssrc, canonicalName: canonicalName,
            takesRequests: option.feedback.contains(.nack) || option.retransmissionPayloadType != nil,
            givesCongestionFeedback: option.feedback.contains(.ccfb),
            givesECNFeedback: answer.video.takesECNFeedback, takesReducedSizeRTCP: answer.video.takesReducedSizeRTCP)
        let audio = answer.opus.map {
            AudioReceiveParameters(payloadType: $0.payloadType, redundancyPayloadType: $0.redundancyPayloadType)
        }
        let role: HandshakeRole = answer.localSetup == .active ? .active : .passive
        let isThere = await hub.with(peer) { core, now in
            core.setRemote(remote, receive: receive, receiveAudio: audio, handshakeRole: role, at: now)
        }
        return isThere ? Accepted(hasSound: audio != nil) : nil
    }
}
