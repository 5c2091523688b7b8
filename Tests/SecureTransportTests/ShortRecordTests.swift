import COpenSSL
import PeerCore
import Testing

@testable import SecureTransport

/// Protected records that are shorter than what their suite adds. OpenSSL before the mend of CVE-2026-75806 ends the
/// session over one, without any authentication.
@Suite("Short protected records")
struct ShortRecordTests {
    /// As garbage brought them forth: epoch 1, bodies of 18, 8 and 21 bytes where AES-GCM adds 24.
    static let found = [
        hex("14 fefd 0001 012d51ed3c8c 0012 7a1c2e51c81771ffb173226128555b3096fa"),
        hex("14 fefd 0001 526b049b3a05 0008 0640fccc0719f0d9"),
        hex("16 fefd 0001 701390c2a1b3 0015 48323cb5d915c8b2e23af8d25f108eb601668540f9"),
    ]

    static func record(type: UInt8, epoch: UInt8 = 1, sequence: UInt8 = 200, count: Int) -> [UInt8] {
        [type, 0xFE, 0xFD, 0, epoch, 0, 0, 0, 0, 0, sequence, 0, UInt8(count)] + [UInt8](repeating: 0xA5, count: count)
    }

    /// Every type, every length up to one that can be decrypted, and the epoch after the present one too.
    static let all = (20...24 as ClosedRange<UInt8>).flatMap { type in
        (1...2 as ClosedRange<UInt8>).flatMap { epoch in
            (0...30).map { record(type: type, epoch: epoch, count: $0) }
        }
    }

    static func established() throws -> HandshakePair {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange()
        return pair
    }

    /// What one side says when it closes still reaches the other, so the session was alive.
    static func expectClose(from closing: any HandshakeEngine, to other: any HandshakeEngine) throws {
        closing.close()
        let notice = try #require(closing.nextDatagram())
        #expect(throws: HandshakeError.closed) { try other.receive(notice) }
    }

    @Test("after the handshake they are dropped, and no alert goes out", arguments: HandshakePair.Side.allCases, found)
    func afterwards(side: HandshakePair.Side, datagram: [UInt8]) throws {
        let pair = try Self.established()
        let (hit, other) = side == .active ? (pair.active, pair.passive) : (pair.passive, pair.active)
        try hit.receive(datagram)
        #expect(hit.nextDatagram() == nil)
        try Self.expectClose(from: other, to: hit)
    }

    @Test("no type and no length ends a session", arguments: HandshakePair.Side.allCases)
    func everyLength(side: HandshakePair.Side) throws {
        let pair = try Self.established()
        let (hit, other) = side == .active ? (pair.active, pair.passive) : (pair.passive, pair.active)
        for datagram in Self.all {
            try hit.receive(datagram)
            #expect(hit.nextDatagram() == nil)
        }
        try Self.expectClose(from: other, to: hit)
    }

    @Test("before a handshake they do not wait for it, and it succeeds", arguments: found)
    func before(datagram: [UInt8]) throws {
        let pair = try HandshakePair()
        try pair.active.start()
        for engine in [pair.active, pair.passive] { try engine.receive(datagram) }
        try pair.exchange()
        #expect(pair.isDone)
        try Self.expectClose(from: pair.active, to: pair.passive)
    }

    @Test("ahead of each datagram of a handshake they do not hinder it", arguments: found)
    func between(datagram: [UInt8]) throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange { _, _, receiver in
            try receiver.receive(datagram)
            return true
        }
        #expect(pair.isDone && pair.flights == 4)
        try Self.expectClose(from: pair.passive, to: pair.active)
    }

    @Test("the records beside one in the same datagram count", arguments: HandshakePair.Side.allCases, found)
    func besideTrueOnes(side: HandshakePair.Side, datagram: [UInt8]) throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange { _, trueOne, receiver in
            try receiver.receive(datagram + trueOne + datagram)
            return false
        }
        #expect(pair.isDone)
        let (closing, other) = side == .active ? (pair.active, pair.passive) : (pair.passive, pair.active)
        closing.close()
        let notice = try #require(closing.nextDatagram())
        #expect(throws: HandshakeError.closed) { try other.receive(datagram + notice) }
    }

    /// Its close_notify has 18 bytes, less than AES-GCM adds to nothing.
    @Test("with ChaCha20-Poly1305 the true short records still count", arguments: PeerIdentityTests.roles)
    func chaCha(role: HandshakeRole) throws {
        let security = try TransportSecurity()
        let peer = RawPeer(
            role: PeerIdentityTests.other(role), RawPeer.Habits(ciphers: "ECDHE-ECDSA-CHACHA20-POLY1305:@SECLEVEL=0"))
        let engine = try security.makeHandshake(role: role, remoteFingerprint: peer.fingerprint)
        try peer.exchange(with: engine)
        #expect(engine.keys != nil)
        for datagram in Self.found + Self.all {
            try engine.receive(datagram)
            #expect(engine.nextDatagram() == nil)
        }
        SSL_shutdown(peer.handle)
        let notice = peer.drain()
        #expect(notice.map(\.count) == [13 + 18])
        #expect(throws: HandshakeError.closed) { for datagram in notice { try engine.receive(datagram) } }
    }
}
