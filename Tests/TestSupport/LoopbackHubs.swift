import Datagrams
import ICE
import NIOCore
import NIOPosix
import PeerCore
import PeerDriver

extension HubConfiguration {
    /// On loopback, without servers, and with a security that has no keys.
    ///
    /// - Parameter name: of its security; hubs that meet have one each.
    package static func loopback(
        name: UInt8 = 1, hear: @escaping @Sendable (PeerEvent) -> Void = { _ in }
    ) -> HubConfiguration {
        HubConfiguration(
            addresses: [.loopback], port: 0, stunServers: [], makeSecurity: { TransparentSecurity(name: name) },
            makeAuthenticator: { TestAuthenticator() }, onEvent: { _, _, event in hear(event) })
    }
}

extension PeerHub {
    package static func opened(
        _ configuration: HubConfiguration, on eventLoop: any EventLoop = NIOSingletons.posixEventLoopGroup.next()
    ) async throws -> PeerHub {
        let hub = PeerHub(configuration, eventLoop: eventLoop)
        try await hub.open()
        return hub
    }

    /// A sharer's hub and a viewer's: each adds the other as a peer, and they are introduced.
    ///
    /// - Parameter isTold: which candidates they tell each other.
    package nonisolated func meet(
        _ viewer: PeerHub, as id: PeerID = PeerID(1), send: SendParameters? = nil, lane: LaneKey? = nil,
        telling isTold: @Sendable (Candidate) -> Bool = { _ in true }
    ) async throws {
        _ = try await add(id, PeerSetup(iceRole: .controlled, handshakeRole: .active, send: send), lane: lane)
        _ = try await viewer.add(id, PeerSetup(iceRole: .controlling, handshakeRole: .passive), lane: nil)
        try await introduce(to: viewer, as: id, telling: isTold)
    }

    /// Does what signaling would, for a peer that both have added: each is told of the other.
    package nonisolated func introduce(
        to viewer: PeerHub, as id: PeerID, receiveAudio: AudioReceiveParameters? = nil,
        telling isTold: @Sendable (Candidate) -> Bool = { _ in true }
    ) async throws {
        let toViewer = try await parameters(of: id, isTold)
        let toSharer = try await viewer.parameters(of: id, isTold)
        await with(id) { core, now in core.setRemote(toSharer, at: now) }
        await viewer.with(id) { core, now in core.setRemote(toViewer, receiveAudio: receiveAudio, at: now) }
    }

    private func parameters(of id: PeerID, _ isTold: @Sendable (Candidate) -> Bool) throws -> RemoteParameters {
        guard let credentials = localCredentials(of: id) else { throw HubError.closed }
        return RemoteParameters(
            credentials: credentials, fingerprint: try localFingerprint(), candidates: listedCandidates().filter(isTold))
    }
}
