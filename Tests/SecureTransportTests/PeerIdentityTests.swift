import COpenSSL
import PeerCore
import Testing

@testable import SecureTransport

@Suite("Who the peer is")
struct PeerIdentityTests {
    /// Announced digests that are not the peer's certificate's.
    enum Announced: CaseIterable {
        case another
        case oneBitOff
        case zeros
        case empty
        case truncated
        case longer

        func fingerprint(of digest: [UInt8]) -> Fingerprint {
            switch self {
            case .another: Fingerprint(sha256: digest.reversed())
            case .oneBitOff: Fingerprint(sha256: digest.dropLast() + [digest[31] ^ 1])
            case .zeros: Fingerprint(sha256: [UInt8](repeating: 0, count: 32))
            case .empty: Fingerprint(sha256: [])
            case .truncated: Fingerprint(sha256: Array(digest.prefix(20)))
            case .longer: Fingerprint(sha256: digest + [0])
            }
        }
    }

    static let roles: [HandshakeRole] = [.active, .passive]

    static func other(_ role: HandshakeRole) -> HandshakeRole { role == .active ? .passive : .active }

    @Test(
        "a certificate that was not announced gives no keys, and the peer hears of it",
        arguments: Announced.allCases, roles)
    func mismatch(announced: Announced, role: HandshakeRole) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: Self.other(role))
        let engine = try security.makeHandshake(
            role: role, remoteFingerprint: announced.fingerprint(of: peer.fingerprint.sha256))
        #expect(throws: HandshakeError.fingerprintMismatch) { try peer.exchange(with: engine) }
        #expect(engine.keys == nil && engine.timeout == nil)
        for datagram in HandshakePair.drain(engine) { peer.take(datagram) }
        #expect(SSL_get_shutdown(peer.handle) & SSL_RECEIVED_SHUTDOWN != 0)
    }

    @Test("a peer without a certificate is refused")
    func noCertificate() throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: .active, RawPeer.Habits(certificate: .none))
        let engine = try security.makeHandshake(role: .passive, remoteFingerprint: peer.fingerprint)
        #expect(throws: HandshakeError.fingerprintMismatch) { try peer.exchange(with: engine) }
        #expect(engine.keys == nil)
    }

    @Test("a peer with an RSA certificate is served in both roles", arguments: roles)
    func rsaCertificate(role: HandshakeRole) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: Self.other(role), RawPeer.Habits(certificate: .rsa2048))
        let engine = try security.makeHandshake(role: role, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        #expect(engine.keys != nil)
    }

    @Test("after a mismatch nothing that arrives gives keys any more")
    func staysRefused() throws {
        let (one, other) = (try TransportSecurity(), try TransportSecurity())
        let pair = HandshakePair(
            active: try one.makeHandshake(role: .active, remoteFingerprint: one.localFingerprint),
            passive: try other.makeHandshake(role: .passive, remoteFingerprint: one.localFingerprint))
        try pair.active.start()
        #expect(throws: HandshakeError.fingerprintMismatch) { try pair.exchange() }
        for datagram in pair.datagrams { try pair.active.receive(datagram) }
        #expect(pair.active.keys == nil)
    }
}

@Suite("What is agreed on")
struct NegotiationTests {
    @Test("AES-CM with SHA-1 where the peer has no GCM", arguments: PeerIdentityTests.roles)
    func fallback(role: HandshakeRole) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(
            role: PeerIdentityTests.other(role), RawPeer.Habits(profiles: "SRTP_AES128_CM_SHA1_80"))
        let engine = try security.makeHandshake(role: role, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        let keys = try #require(engine.keys)
        #expect(keys.profile == .aes128CMSHA1_80 && keys.local.count == 30 && keys.remote.count == 30)
    }

    @Test("as the server we take GCM, even if the client prefers AES-CM")
    func serverPrefersGCM() throws {
        let security = try TransportSecurity()
        let habits = RawPeer.Habits(profiles: "SRTP_AES128_CM_SHA1_80:SRTP_AEAD_AES_128_GCM")
        let peer = RawPeer(role: .active, habits)
        let engine = try security.makeHandshake(role: .passive, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        #expect(engine.keys?.profile == .aeadAES128GCM)
    }

    @Test(
        "no SRTP profile in common, or none at all, gives no keys", arguments: PeerIdentityTests.roles,
        ["SRTP_AES128_CM_SHA1_32", nil])
    func noProfile(role: HandshakeRole, profiles: String?) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: PeerIdentityTests.other(role), RawPeer.Habits(profiles: profiles))
        let engine = try security.makeHandshake(role: role, remoteFingerprint: peer.fingerprint)
        #expect(throws: HandshakeError.noCommonProfile) { try peer.exchange(with: engine) }
        #expect(engine.keys == nil)
    }

    @Test("suites without forward secrecy or authenticated encryption are not spoken", arguments: [
        "AES128-GCM-SHA256:@SECLEVEL=0", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0", "ECDHE-RSA-AES256-SHA384:@SECLEVEL=0",
    ])
    func weakSuites(ciphers: String) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: .active, RawPeer.Habits(certificate: .rsa2048, ciphers: ciphers))
        let engine = try security.makeHandshake(role: .passive, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        #expect(engine.keys == nil && !peer.isFinished)
    }

    @Test("DTLS 1.0 is not spoken")
    func oldVersion() throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: .active, RawPeer.Habits(version: DTLS1_VERSION))
        let engine = try security.makeHandshake(role: .passive, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        #expect(engine.keys == nil && !peer.isFinished)
    }

    @Test("a ClientHello that offers DTLS 1.3 as well is answered with 1.2")
    func newVersion() throws {
        let pair = try HandshakePair()
        try pair.active.start()
        // supported_versions (43) with 1.3 and 1.2, RFC 9147 § 5.3; key_share (51) with an empty list.
        let offers = hex("002b 0005 04 fefc fefd  0033 0002 0000")
        let hello = ClientHello.adding(offers, to: try #require(pair.active.nextDatagram()))
        try pair.passive.receive(hello)
        let answer = try #require(pair.passive.nextDatagram())
        #expect(answer[0] == 22 && answer[13] == 2, "a ServerHello")
        #expect(answer[25..<27] == [0xFE, 0xFD], "of version 1.2")
    }

    @Test("renegotiation is refused and does not end the association", arguments: PeerIdentityTests.roles)
    func renegotiation(role: HandshakeRole) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: PeerIdentityTests.other(role))
        let engine = try security.makeHandshake(role: role, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        let keys = try #require(engine.keys)
        SSL_renegotiate(peer.handle)
        SSL_do_handshake(peer.handle)
        let request = peer.drain()
        #expect(!request.isEmpty)
        for datagram in request { try engine.receive(datagram) }
        for datagram in HandshakePair.drain(engine) { #expect(datagram[0] == 21, "an alert, and no handshake") }
        #expect(engine.keys?.local == keys.local)
    }

    @Test("application data is thrown away")
    func applicationData() throws {
        let security = try TransportSecurity()
        let peer = RawPeer(role: .active)
        let engine = try security.makeHandshake(role: .passive, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        for _ in 0..<100 {
            let data = [UInt8](repeating: 1, count: 1000)
            SSL_write(peer.handle, data, 1000)
            for datagram in peer.drain() { try engine.receive(datagram) }
        }
        #expect(engine.nextDatagram() == nil && engine.keys != nil)
    }
}
