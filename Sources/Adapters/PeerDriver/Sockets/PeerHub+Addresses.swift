import Datagrams
import ICE
import NIOCore
import NIOPosix
import PeerCore
import SystemClock

/// This machine's addresses come and go: another network, a cable, a tunnel. Sockets and candidates follow, and with them
/// the peers, without a word of signaling where the network allows it.
extension PeerHub {
    /// Every socket's; 0 while the system is to choose it.
    var port: UInt16 { listedSockets.first?.port ?? configuration.port }

    /// Binds a socket at this address, at the others' port where that is free or was asked for.
    func bind(_ ip: IPAddress) async throws {
        let receive: UDPSocket.Receiver = { [weak self] bytes, local, remote, ecn in
            self?.assumeIsolated { $0.receive(bytes, local: local, remote: remote, ecn: ecn) }
        }
        let socket: UDPSocket
        do { socket = try await UDPSocket.bind(ip, port: port, on: eventLoop, receive: receive) } catch {
            // Nobody has asked for the port that the system chose for the others.
            guard configuration.port == 0, (error as? IOError)?.errnoCode == EADDRINUSE else { throw error }
            socket = try await UDPSocket.bind(ip, port: 0, on: eventLoop, receive: receive)
        }
        if isClosed { return try await socket.channel.close() }
        sockets[socket.address] = socket
    }

    /// From now on, where the owner has not chosen the addresses itself.
    func watchAddresses() async {
        guard configuration.followsAddresses else { return }
        let watch = await AddressWatch.open(on: eventLoop) { [weak self] in
            self?.assumeIsolated { $0.addressesChanged() }
        }
        if isClosed { watch?.close(promise: nil) } else { addressWatch = watch }
    }

    /// Takes in what came while servers' names were looked up, before anything told of it.
    func catchUpOnAddresses() async {
        if addressWatch != nil { await followAddresses(asksRelays: false) }
    }

    /// Changes come in bursts; the last counts.
    private func addressesChanged() {
        guard !isClosed else { return }
        addressLook?.cancel()
        addressLook = eventLoop.scheduleTask(in: Limits.addressPause) { [weak self] in
            Task { await self?.followAddresses() }
        }
    }

    /// - Parameter asksRelays: a link may have come back, and left its address where it was.
    private func followAddresses(asksRelays: Bool = true) async {
        guard !isClosed, let known = try? LocalAddresses.known() else { return }
        let here = listedSockets.map(\.ip).sorted { "\($0)" < "\($1)" }
        let preferred = LocalAddresses.preferred()
        // Where there is no network at all, the old addresses may be those that come back.
        guard
            let change = LocalAddresses.change(of: here, to: known, preferred: preferred, isInUse: { isInUse($0) })
        else { return }
        rankedAddresses = LocalAddresses.rank(known, preferred: preferred)
        for address in sockets.keys.filter({ change.gone.contains($0.ip) }) { leave(address) }
        var bound: [IPAddress] = []
        for ip in change.come {
            // IPv6's are tentative at first; there is word when they are not any more.
            guard (try? await bind(ip)) != nil, !isClosed else { continue }
            bound.append(ip)
            await listen(at: ip)
        }
        guard !isClosed else { return }
        // What can't be bound is no change, however often the system tells of it.
        if !change.gone.isEmpty || !bound.isEmpty {
            let new = localCandidates().filter { candidate in candidate.base.map { bound.contains($0.ip) } == true }
            for candidate in new { announce(candidate, at: SystemClock.now()) }
            gatherAgain()
        }
        if asksRelays { relayAgain() }
    }

    /// Whether something goes out there: to a peer, or to a server that relays.
    private func isInUse(_ ip: IPAddress) -> Bool {
        peers.values.contains { $0.core.localAddress?.ip == ip }
            || relays.contains { $0.client?.configuration.base.ip == ip }
    }

    private func leave(_ address: TransportAddress) {
        sockets.removeValue(forKey: address)?.channel.close(promise: nil)
        var bases = [address, TransportAddress(ip: address.ip, port: Candidate.discardPort, transport: .tcp)]
        for local in listeners.keys where local.ip == address.ip {
            listeners.removeValue(forKey: local)?.close(promise: nil)
            bases.append(local)
        }
        let now = SystemClock.now()
        eachPeer(at: now) { core in
            for base in bases { core.removeLocalCandidates(at: base, at: now) }
        }
    }
}
