import ICE
import PeerCore
import PeerDriver
import RTP
import SDP

/// A viewer's offer and what becomes of the answer.
struct ViewNegotiation {
    /// The SDP to send.
    var offer: String { local.description.description }
    private let hub: PeerHub
    private let peer: PeerID
    private let local: LocalOffer
    private let ssrc = UInt32.random(in: 1...(.max))
    private static let canonicalName = "viewer"

    init(hub: PeerHub, peer: PeerID, audio: Bool) async throws {
        self.hub = hub
        self.peer = peer
        let receive = ReceiveParameters(
            payloadTypes: [], retransmissionPayloadTypes: [:], extensions: ExtensionMap(), ssrc: ssrc,
            canonicalName: Self.canonicalName)
        let setup = PeerSetup(iceRole: .controlling, handshakeRole: .passive, receive: receive)
        let transport = try await hub.transport(of: peer, setup, lane: nil)
        local = LocalOffer.receiving(
            transport: transport, sessionID: UInt64.random(in: 0...UInt64(Int64.max)), audio: audio)
    }

    /// What the sharer sends.
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
        var retransmissions: [UInt8: UInt8] = [:]
        if let type = option.retransmissionPayloadType { retransmissions[type] = option.payloadType }
        let receive = ReceiveParameters(
            payloadTypes: [option.payloadType], retransmissionPayloadTypes: retransmissions,
            parityPayloadType: answer.video.parityPayloadType,
            extensions: ExtensionMap(answer.video.extensions), ssrc: ssrc, canonicalName: Self.canonicalName)
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
