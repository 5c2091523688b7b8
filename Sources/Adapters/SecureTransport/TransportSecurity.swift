import PeerCore

/// The real cryptography behind Core's ports: DTLS by OpenSSL, SRTP by libsrtp2. One per run; make it at start, because
/// generating the certificate and libsrtp's self-tests take tens of milliseconds.
///
/// It may be shared between threads; what it makes belongs to one thread at a time.
package final class TransportSecurity: SecurityProvider, Sendable {
    private let identity: Identity
    private let context: DTLSContext

    /// - Parameter identity: a new one, unless several providers shall share it.
    package init(identity: Identity? = nil) throws(HandshakeError) {
        guard SRTPLibrary.isReady else { throw .failed("libsrtp2 cannot be initialised") }
        let identity = if let identity { identity } else { try Identity() }
        self.identity = identity
        context = try DTLSContext(identity: identity)
    }

    package var localFingerprint: Fingerprint { identity.fingerprint }

    package func makeHandshake(
        role: HandshakeRole, remoteFingerprint: Fingerprint
    ) throws(HandshakeError) -> any HandshakeEngine {
        try DTLSHandshake(context: context, role: role, remoteFingerprint: remoteFingerprint)
    }

    package func makeProtector(keys: SRTPKeys) throws(ProtectionError) -> any PacketProtector {
        try SRTPSession(keys: keys)
    }
}
