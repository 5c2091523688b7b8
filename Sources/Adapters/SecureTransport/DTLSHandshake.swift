import Datagrams
import PeerCore

/// A DTLS 1.2 handshake with one peer, and what remains of it afterwards: repeating the last flight, and closing.
///
///     handshaking ──finished, fingerprint right──► established ──close, close_notify, alert──► ended
///        │   ▲ └─────── mismatch, no profile, timeouts, malformed peer, close ───────────────────▲
///        └───┘ passive: a ClientHello that cannot be answered, or a newer one before the answer
///
/// Datagrams must come from an address whose ICE check was authenticated. That is why the passive side asks for no
/// cookie (HelloVerifyRequest, RFC 6347 § 4.2.1): the return path is proven already, and a round trip is saved.
/// Even so nothing that is unauthenticated and senseless ends a handshake: bad records are dropped, a bad ClientHello
/// is forgotten, and an alert in the clear counts only if the peer stays silent until the next timeout.
///
/// OpenSSL takes its timer from the wall clock. `timeout` never says more than two seconds, so after a jump back of
/// that clock we look again and again until it is due.
final class DTLSHandshake: HandshakeEngine {
    private enum State {
        case handshaking(DTLSConnection)
        case established(DTLSConnection)
        case ended
    }

    private let context: DTLSContext
    private let role: HandshakeRole
    private let remoteFingerprint: Fingerprint
    private let pipe = DatagramPipe()
    private var state: State
    /// A ClientHello, or a part of one, was given to the present connection (passive).
    private var heardClientHello = false
    private var heardUnauthenticatedAlert = false
    private(set) var keys: SRTPKeys?

    init(context: DTLSContext, role: HandshakeRole, remoteFingerprint: Fingerprint) throws(HandshakeError) {
        self.context = context
        self.role = role
        self.remoteFingerprint = remoteFingerprint
        state = .handshaking(try DTLSConnection(context: context, role: role, pipe: pipe))
    }

    func start() throws(HandshakeError) {
        guard case .handshaking(let connection) = state, role == .active else { return }
        try advance(connection)
    }

    func receive(_ datagram: RawSpan) throws(HandshakeError) {
        guard datagram.byteCount <= Limits.receivedDatagramBytes else { return }
        switch state {
        case .handshaking(let connection):
            let received = filter(datagram, for: connection)
            heardUnauthenticatedAlert = received.hasUnauthenticatedAlert
            if received.bytes.isEmpty { return }
            let current = try startAfresh(instead: connection, for: received)
            pipe.deliver(received.bytes)
            try advance(current)
        case .established(let connection):
            let received = filter(datagram, for: connection)
            if received.bytes.isEmpty { return }
            pipe.deliver(received.bytes)
            try read(connection)
        case .ended:
            return
        }
    }

    func nextDatagram() -> [UInt8]? { pipe.popOutgoing() }

    var timeout: Duration? {
        switch state {
        case .handshaking(let connection): connection.timeout
        case .established, .ended: nil
        }
    }

    func handleTimeout() throws(HandshakeError) {
        guard case .handshaking(let connection) = state else { return }
        if heardUnauthenticatedAlert, connection.timeout == .zero { throw end(.closed) }
        if case .failed(let error) = connection.handleTimeout() { throw end(error) }
    }

    func close() {
        switch state {
        case .handshaking(let connection), .established(let connection): connection.shutDown()
        case .ended: break
        }
        state = .ended
    }
}

extension DTLSHandshake {
    private func filter(_ datagram: RawSpan, for connection: DTLSConnection) -> ReceivedDatagram {
        ReceivedDatagram(datagram, for: role, leastProtectedBytes: connection.leastProtectedBytes)
    }

    private func advance(_ connection: DTLSConnection) throws(HandshakeError) {
        switch connection.handshake() {
        case .waiting: return
        case .finished: try establish(connection)
        case .failed(let error): try giveUp(error)
        }
    }

    /// The handshake is cryptographically done: now the peer must be the announced one, before any key is exported.
    private func establish(_ connection: DTLSConnection) throws(HandshakeError) {
        state = .established(connection)
        guard connection.peerMatches(remoteFingerprint) else { throw refuse(connection, .fingerprintMismatch) }
        guard let profile = connection.profile else { throw refuse(connection, .noCommonProfile) }
        guard let keys = connection.exportKeys(profile: profile, role: role) else {
            throw refuse(connection, .failed("keys cannot be exported"))
        }
        self.keys = keys
        try read(connection)  // what came in the same datagram after the last flight
    }

    private func read(_ connection: DTLSConnection) throws(HandshakeError) {
        if case .failed(let error) = connection.read() {
            connection.shutDown()
            throw end(error)
        }
        connection.releaseBuffers()
    }

    /// While no ServerHello was sent, the first fragment of a ClientHello finds a connection that knows of no other: so
    /// a forged or cut one cannot stand in the way of the true one.
    private func startAfresh(
        instead connection: DTLSConnection, for received: ReceivedDatagram
    ) throws(HandshakeError) -> DTLSConnection {
        guard role == .passive, received.beginsClientHello, !pipe.sentHandshake else { return connection }
        defer { heardClientHello = true }
        guard heardClientHello else { return connection }
        return try renew()
    }

    /// A ClientHello that cannot be answered is as good as none; its alert is not sent either, because it could reach a
    /// peer that said nothing of the kind.
    private func giveUp(_ error: HandshakeError) throws(HandshakeError) {
        guard role == .passive, !pipe.sentHandshake else { throw end(error) }
        _ = try renew()
        heardClientHello = false
    }

    private func renew() throws(HandshakeError) -> DTLSConnection {
        pipe.discardOutgoing()
        let connection = try DTLSConnection(context: context, role: role, pipe: pipe)
        state = .handshaking(connection)
        return connection
    }

    private func refuse(_ connection: DTLSConnection, _ error: HandshakeError) -> HandshakeError {
        connection.shutDown()
        return end(error)
    }

    private func end(_ error: HandshakeError) -> HandshakeError {
        state = .ended
        return error
    }
}
