import Datagrams
import ICE
import NIOCore
import PeerCore
import SystemClock
import Timebase

/// TCP, where UDP does not get through (RFC 6544): a connection is one more way for a peer's packets, known by its
/// addresses as the others are.
extension PeerHub {
    // MARK: The beginning and the end

    /// Listens beside a socket, at the same port where it is free. An address where that can't be does without.
    func listen(at ip: IPAddress) async {
        guard configuration.tcp == .passive, configuration.transportPolicy == .all else { return }
        let channel = try? await TCPSocket.listen(ip, port: port, on: eventLoop) { [weak self] channel in
            self?.assumeIsolated { $0.accept(channel) }
        }
        guard let channel, let port = channel.localAddress?.port else { return }
        let local = TransportAddress(ip: ip, port: UInt16(clamping: port), transport: .tcp)
        if isClosed { channel.close(promise: nil) } else { listeners[local] = channel }
    }

    /// Where connections are taken, or made from.
    var tcpCandidates: [Candidate] {
        switch configuration.tcp {
        case .passive: candidates(.passive, at: Array(listeners.keys))
        case .active: candidates(.active, at: listedSockets)
        case .simultaneousOpen, nil: []
        }
    }

    private func candidates(_ type: TCPType, at addresses: [TransportAddress]) -> [Candidate] {
        byPreference(addresses).enumerated().map { index, address in
            .tcp(type, address, otherPreference: Candidate.otherPreference(index: index))
        }
    }

    func closeConnections() async {
        for listener in listeners.values { try? await listener.close() }
        listeners = [:]
        for connection in connections.all.values { finish(connection) }
    }

    // MARK: Connections come

    /// - Returns: who takes what comes; nil where there are too many already.
    private func accept(_ channel: any Channel) -> TCPSocket.Listener? {
        guard !isClosed, var local = channel.localAddress.flatMap(TransportAddress.init),
            var remote = channel.remoteAddress.flatMap(TransportAddress.init)
        else { return nil }
        (local.transport, remote.transport) = (.tcp, .tcp)
        let pair = AddressPair(local: local, remote: remote)
        let now = SystemClock.now()
        if let surplus = connections.surplus(before: pair) { lose(surplus, at: now) }
        guard connections.accepts(pair) else { return nil }
        let serial = connections.nextSerial()
        connections.insert(TCPConnection(pair, serial: serial, channel: channel, owner: nil, at: now))
        schedule(connections.due)
        return listener(pair, serial)
    }

    private func listener(_ pair: AddressPair, _ serial: UInt64) -> TCPSocket.Listener {
        { [weak self] event in self?.assumeIsolated { $0.handle(event, pair, serial) } }
    }

    /// A check that an active candidate sends wants a connection.
    private func connect(_ pair: AddressPair, for id: PeerID, at now: Instant) -> TCPConnection? {
        guard configuration.tcp == .active, pair.local.port == Candidate.discardPort, !isClosed,
            connections.mayConnect(pair, at: now)
        else { return nil }
        let serial = connections.nextSerial()
        let future = try? TCPSocket.connect(
            from: pair.local.ip, to: pair.remote, on: eventLoop, tell: listener(pair, serial))
        guard let future else { return nil }
        let connection = TCPConnection(pair, serial: serial, channel: nil, owner: id, at: now)
        connections.insert(connection)
        schedule(connections.due)
        future.whenComplete { [weak self] result in
            self?.assumeIsolated { $0.connected(pair, serial, result) }
        }
        return connection
    }

    private func connected(_ pair: AddressPair, _ serial: UInt64, _ result: Result<any Channel, any Error>) {
        switch (result, connections[pair, serial]) {
        case (.success(let channel), let connection?): connection.begin(channel)
        case (.success(let channel), nil): channel.close(promise: nil)
        case (.failure, let connection?): lose(connection, at: SystemClock.now())
        case (.failure, nil): return
        }
        flush()
    }

    // MARK: In

    private func handle(_ event: TCPSocket.Event, _ pair: AddressPair, _ serial: UInt64) {
        guard let connection = connections[pair, serial] else { return }
        let now = SystemClock.now()
        switch event {
        case .received(let bytes):
            connection.append(bytes, at: now)
            if !dispatch(connection, at: now) { lose(connection, at: now) }
        case .closed: lose(connection, at: now)
        }
        flush()
    }

    /// - Returns: false where something came that no peer would send.
    private func dispatch(_ connection: TCPConnection, at now: Instant) -> Bool {
        do throws(FrameError) {
            // A packet may end its peer, and the connection with it.
            while connections[connection.pair] === connection, let packet = try connection.next() {
                guard connection.allows(packet) else { return false }
                dispatch(packet, local: connection.pair.local, remote: connection.pair.remote, at: now)
            }
            return true
        } catch {
            return false
        }
    }

    /// A check there was authenticated: the connection is that peer's.
    func authenticated(_ pair: AddressPair, by id: PeerID, at now: Instant) {
        guard let surplus = connections.authenticated(pair, by: id, at: now) else { return }
        lose(surplus, at: now)
    }

    // MARK: Out

    /// Into the connection; what has none, and can't have one, goes nowhere.
    func connectionSend(_ transmit: Transmit, for id: PeerID, at now: Instant) {
        let pair = AddressPair(local: transmit.from, remote: transmit.to)
        let isCheck = transmit.bytes.read(DatagramKind.init) == .stun
        guard let connection = connections[pair] ?? (isCheck ? connect(pair, for: id, at: now) : nil) else { return }
        connection.send(transmit.bytes)
        connections.wrote(pair)
    }

    // MARK: Connections go

    func advanceConnections(to now: Instant) {
        for connection in connections.expired(at: now) { lose(connection, at: now) }
        schedule(connections.due)
    }

    /// It is of no more use: whoever has it goes another way.
    private func lose(_ connection: TCPConnection, at now: Instant) {
        connections.remove(connection)
        connection.close()
        guard let id = connection.owner, let peer = peers[id] else { return }
        peer.core.connectionLost(local: connection.pair.local, remote: connection.pair.remote, at: now)
        drain(id, peer, at: now)
    }

    /// Its peer has left, or we do.
    func finish(_ connection: TCPConnection) {
        connections.remove(connection)
        connection.finish()
    }
}
