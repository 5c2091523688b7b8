import Datagrams
import Glibc
import ICE
import NIOCore
import PeerCore
import RTP
import SystemClock
import Timebase

package enum HubError: Error, Hashable, Sendable {
    /// No address to bind, or the port is taken; the text says which.
    case cannotBind(String)
    case closed
    case tooManyPeers
}

/// What a hub tells of a peer.
package struct HubPeerStatistics: Sendable {
    package var peer: PeerID
    package var statistics: PeerStatistics
}

extension PeerHub {
    /// Binds the sockets and asks the STUN and TURN servers.
    ///
    /// - Throws: `HubError.cannotBind`.
    package func open() async throws(HubError) {
        guard !configuration.addresses.isEmpty else { throw .cannotBind("this machine has no usable address") }
        authenticator = configuration.makeAuthenticator()
        do { security = try configuration.makeSecurity() } catch { throw .cannotBind("no certificate: \(error)") }
        try await bindAll()
        gather(from: configuration.stunServers)
        relay(by: configuration.turnServers)
    }

    /// What is not ready yet is bound when it is, where addresses are followed, and left out where others of its interface
    /// do: IPv6's are tentative for a second or two (RFC 4862 § 5.4), and never ready where another machine has the same.
    private func bindAll() async throws(HubError) {
        await watchAddresses()
        var notReady: HubError?
        for ip in configuration.addresses {
            do {
                try await bind(ip)
            } catch {
                let refusal = HubError.cannotBind(Self.words(error, ip, port))
                let mayBeMissing = configuration.followsAddresses || configuration.expendableAddresses.contains(ip)
                guard mayBeMissing, (error as? IOError)?.errnoCode == EADDRNOTAVAIL else { throw refusal }
                notReady = refusal
                continue
            }
            await listen(at: ip)
        }
        if sockets.isEmpty, let notReady { throw notReady }
        for ip in configuration.unlistedAddresses { try? await bind(ip) }
        await catchUpOnAddresses()
    }

    private static func words(_ error: any Error, _ ip: IPAddress, _ port: UInt16) -> String {
        let place = port == 0 ? "address \(ip)" : "UDP port \(port) of \(ip)"
        switch (error as? IOError)?.errnoCode {
        case EADDRNOTAVAIL: return "can't use \(place): this machine has no such address"
        case EADDRINUSE: return "can't use \(place): another program has it"
        case EACCES: return "can't use \(place): only root may"
        case let code?: return "can't use \(place): \(String(cString: strerror(code)))"
        case nil: return "can't use \(place): \(error)"
        }
    }

    /// The fingerprint of this hub's certificate.
    package func localFingerprint() throws(HubError) -> Fingerprint {
        guard let security else { throw .closed }
        return security.localFingerprint
    }

    /// Adds a peer; its checks begin as soon as it knows the other side.
    /// - Returns: our ICE credentials for its SDP.
    package func add(_ id: PeerID, _ setup: PeerSetup, lane: LaneKey?) throws -> ICECredentials {
        guard !isClosed, let security, let authenticator else { throw HubError.closed }
        guard peers.count < Limits.peers else { throw HubError.tooManyPeers }
        let now = SystemClock.now()
        var setup = setup
        setup.transportPolicy = configuration.transportPolicy
        let core = PeerCore(
            setup, localCandidates: localCandidates(), security: security,
            authenticator: authenticator, wallClock: SystemClock.wallClockAnchor(),
            random: SystemRandomNumberGenerator(), at: now)
        let peer = Peer(core: core, lane: lane, at: now)
        peers[id] = peer
        let credentials = peer.core.localCredentials
        router.register(fragments: peer.core.localFragments, for: id)
        drain(id, peer, at: now)
        flush()
        return credentials
    }

    /// Changes a peer and sends what follows from it; false where it is gone.
    @discardableResult
    package func with(_ id: PeerID, _ body: (inout PeerCore, Instant) -> Void) -> Bool {
        guard let peer = peers[id] else { return false }
        let now = SystemClock.now()
        body(&peer.core, now)
        drain(id, peer, at: now)
        flush()
        return true
    }

    /// Changes all peers, each before the next is looked at; `flush` must follow.
    func eachPeer(at now: Instant, _ body: (inout PeerCore) -> Void) {
        for (id, peer) in peers {
            body(&peer.core)
            drain(id, peer, at: now)
        }
    }

    /// New credentials after an ICE restart of the other side; nil where the peer is gone.
    package func restart(_ id: PeerID, remote: ICECredentials) -> ICECredentials? {
        var credentials: ICECredentials?
        with(id) { core, now in
            credentials = core.restartICE(remote: remote, at: now)
            router.register(fragments: core.localFragments, for: id)
        }
        return credentials
    }

    /// ICE begins anew, as the other side has agreed to.
    ///
    /// - Parameter local: what it was told of us.
    package func restart(
        _ id: PeerID, local: ICECredentials, remote: ICECredentials, candidates: [Candidate], isLast: Bool
    ) {
        with(id) { core, now in
            core.restartICE(local: local, remote: remote, candidates: candidates, isLast: isLast, at: now)
            router.register(fragments: core.localFragments, for: id)
        }
    }

    /// What the other side knows of us; nil where the peer is gone.
    package func localCredentials(of id: PeerID) -> ICECredentials? { peers[id]?.core.localCredentials }

    /// For how long a peer has not answered, and sent nothing; nil where there is no connection.
    package func lostTime(of id: PeerID) -> Duration? { peers[id]?.core.lostTime(at: SystemClock.now()) }

    /// Says goodbye and forgets.
    package func remove(_ id: PeerID) {
        with(id) { core, now in core.close(at: now) }
        forget(id)
    }

    /// Sends a packet of sound to all who take it.
    func deliver(_ unit: AudioUnit) {
        let now = SystemClock.now()
        for (id, peer) in peers where peer.core.takesAudio {
            peer.core.send(unit, at: now)
            drain(id, peer, at: now)
        }
        flush()
    }

    /// What each viewer's video may use from now on.
    package func setBitrate(_ bitsPerSecond: Int) {
        let now = SystemClock.now()
        eachPeer(at: now) { $0.setBitrate(bitsPerSecond, at: now) }
        flush()
    }

    /// Bytes that may wait to leave at a socket: the least that the kernel gave, and what it was asked for.
    package var sendBuffer: (granted: Int, asked: Int)? {
        sockets.values.map(\.sendBuffer).min().map { ($0, Limits.socketBuffer) }
    }

    package func statistics() -> [HubPeerStatistics] {
        peers.map { HubPeerStatistics(peer: $0.key, statistics: $0.value.core.statistics) }
    }

    /// A peer's, also where it was the last to leave.
    package func statistics(of id: PeerID) -> PeerStatistics? {
        peers[id]?.core.statistics ?? (lastToLeave?.peer == id ? lastToLeave?.statistics : nil)
    }
}
