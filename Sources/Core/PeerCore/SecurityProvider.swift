/// Who sends the ClientHello (`a=setup`, RFC 5763 § 5).
package enum HandshakeRole: Hashable, Sendable {
    case active
    case passive
}

package enum HandshakeError: Error, Hashable, Sendable {
    /// The peer's certificate is not the one its SDP announced (RFC 5763 § 5); no key was used.
    case fingerprintMismatch
    /// The peer offers no SRTP profile of ours.
    case noCommonProfile
    /// The peer sent a fatal alert or closed.
    case closed
    case failed(String)
}

/// A DTLS handshake with one peer. Not shared between threads; fed and drained by `PeerCore`.
///
/// The engine keeps its own retransmission timer, because OpenSSL reads the clock itself: `timeout` says how long until
/// `handleTimeout()` is due.
package protocol HandshakeEngine: AnyObject {
    /// The active side makes its first flight; the passive side waits.
    func start() throws(HandshakeError)
    /// One datagram that begins with a DTLS byte (20…63, RFC 7983). Garbage is dropped in silence.
    func receive(_ datagram: RawSpan) throws(HandshakeError)
    /// The next datagram to send, or nil.
    func nextDatagram() -> [UInt8]?
    /// Time until the present flight must be sent again; nil when no timer runs.
    var timeout: Duration? { get }
    func handleTimeout() throws(HandshakeError)
    /// Set once the handshake finished and the peer's fingerprint was checked.
    var keys: SRTPKeys? { get }
    /// Makes a close_notify alert, to be drained by `nextDatagram()`.
    func close()
}

package enum ProtectionError: Error, Hashable, Sendable {
    case authenticationFailed
    case replayed
    case malformed
    /// The profile's packet limit is reached, or the library failed.
    case exhausted
}

/// SRTP and SRTCP for one peer (RFC 3711, RFC 7714), both directions. Packets are changed in place.
package protocol PacketProtector: AnyObject {
    func protectRTP(_ packet: inout [UInt8]) throws(ProtectionError)
    func protectRTCP(_ packet: inout [UInt8]) throws(ProtectionError)
    func unprotectRTP(_ packet: inout [UInt8]) throws(ProtectionError)
    func unprotectRTCP(_ packet: inout [UInt8]) throws(ProtectionError)
}

/// What a peer needs of cryptography; `SecureTransport` has the real one, the simulation a transparent one.
package protocol SecurityProvider: AnyObject {
    /// The certificate's fingerprint that goes into our SDP.
    var localFingerprint: Fingerprint { get }
    func makeHandshake(role: HandshakeRole, remoteFingerprint: Fingerprint) throws(HandshakeError) -> any HandshakeEngine
    func makeProtector(keys: SRTPKeys) throws(ProtectionError) -> any PacketProtector
}
