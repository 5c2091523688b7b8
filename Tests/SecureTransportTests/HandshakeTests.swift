import PeerCore
import TestSupport
import Testing

@testable import SecureTransport

@Suite("DTLS handshakes")
struct HandshakeTests {
    @Test("two engines agree on GCM and on crossed keys, without any timer")
    func agrees() throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange()
        let (active, passive) = (try #require(pair.active.keys), try #require(pair.passive.keys))
        #expect(active.profile == .aeadAES128GCM && passive.profile == .aeadAES128GCM)
        #expect(active.local == passive.remote && active.remote == passive.local && active.local != active.remote)
        #expect(active.local.count == 28 && active.remote.count == 28)
        #expect(pair.active.timeout == nil && pair.passive.timeout == nil)
        #expect(pair.flights == 4, "a full handshake is two round trips: no cookie is asked for")
    }

    @Test("the exported keys make sessions that understand each other")
    func sessions() throws {
        let (one, other) = (try TransportSecurity(), try TransportSecurity())
        let pair = HandshakePair(
            active: try one.makeHandshake(role: .active, remoteFingerprint: other.localFingerprint),
            passive: try other.makeHandshake(role: .passive, remoteFingerprint: one.localFingerprint))
        try pair.active.start()
        try pair.exchange()
        let sender = try one.makeProtector(keys: try #require(pair.active.keys))
        let receiver = try other.makeProtector(keys: try #require(pair.passive.keys))
        let plain = TestPacket.rtp(sequence: 1)
        var packet = plain
        try sender.protectRTP(&packet)
        try receiver.unprotectRTP(&packet)
        #expect(packet == plain)
        var report = TestPacket.rtcp()
        try receiver.protectRTCP(&report)
        try sender.unprotectRTCP(&report)
        #expect(report == TestPacket.rtcp())
    }

    @Test("datagrams keep to 1200 bytes, and a flight is packed into few of them")
    func datagramSizes() throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange()
        #expect(pair.datagrams.allSatisfy { (20...63).contains($0[0]) && $0.count <= 1200 })
        #expect(pair.datagrams.count <= 6)
    }

    @Test("one provider serves many handshakes at once")
    func manyHandshakes() throws {
        let (sharer, viewer) = (try TransportSecurity(), try TransportSecurity())
        let pairs = try (0..<20).map { _ in
            HandshakePair(
                active: try sharer.makeHandshake(role: .active, remoteFingerprint: viewer.localFingerprint),
                passive: try viewer.makeHandshake(role: .passive, remoteFingerprint: sharer.localFingerprint))
        }
        for pair in pairs { try pair.active.start() }
        for pair in pairs { try pair.exchange() }
        #expect(pairs.filter(\.isDone).count == 20)
        #expect(Set(pairs.compactMap { $0.active.keys?.local }).count == 20)
    }

    @Test("the passive side waits without a timer and sends nothing by itself")
    func passiveWaits() throws {
        let passive = try HandshakePair().passive
        try passive.start()
        #expect(passive.timeout == nil && passive.nextDatagram() == nil && passive.keys == nil)
        try passive.handleTimeout()
        #expect(passive.nextDatagram() == nil)
    }

    @Test("each run has its own certificate, valid for thirty days, that names nobody")
    func certificates() throws {
        let (one, other) = (try Identity(), try Identity())
        #expect(one.fingerprint != other.fingerprint && one.fingerprint.sha256.count == 32)
        let shared = try TransportSecurity(identity: one)
        #expect(shared.localFingerprint == one.fingerprint)
        let text = try CertificateText(one)
        #expect(text.subject == "/CN=WebRTC" && text.issuer == "/CN=WebRTC")
        #expect(text.days == 31, "thirty from now, and one before")
        let second = try CertificateText(other)
        #expect(text.serial != second.serial)
    }

    @Test("the retransmission timer starts below 50 ms and doubles, and each time the flight leaves again")
    func timer() async throws {
        let active = try HandshakePair().active
        #expect(active.timeout == nil)
        try active.start()
        var expected = Duration.milliseconds(50)
        for _ in 0..<3 {
            let timeout = try #require(active.timeout)
            #expect(timeout <= expected)
            #expect(HandshakePair.drain(active).count == 1)
            try await Task.sleep(for: timeout + .milliseconds(1))
            try active.handleTimeout()
            expected *= 2
        }
    }

    @Test("flights that stay without an answer leave at twice the distance each time, up to two seconds")
    func backoff() {
        var timeouts: [UInt32] = []
        for _ in 0..<8 { timeouts.append(DTLSConnection.nextTimeout(nil, timeouts.last ?? 0)) }
        #expect(timeouts == [50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000, 2_000_000, 2_000_000])
    }

    @Test("a timer that is not due sends nothing")
    func earlyTimeout() throws {
        // Held up for 50 ms a test comes when it is due.
        let sent = try bestOf(3) { () -> [UInt8]? in
            let active = try HandshakePair().active
            try active.start()
            _ = HandshakePair.drain(active)
            try active.handleTimeout()
            return active.nextDatagram()
        } isRight: { $0 == nil }
        #expect(sent == nil)
    }
}

@Suite("DTLS closing")
struct HandshakeClosingTests {
    @Test("close_notify ends the other side and is answered", arguments: HandshakePair.Side.allCases)
    func closes(side: HandshakePair.Side) throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange()
        let (closing, other) = side == .active ? (pair.active, pair.passive) : (pair.passive, pair.active)
        closing.close()
        let notice = try #require(closing.nextDatagram())
        #expect(throws: HandshakeError.closed) { try other.receive(notice) }
        let answer = try #require(other.nextDatagram())
        try closing.receive(answer)
        try other.receive(notice)
        #expect(closing.nextDatagram() == nil && other.nextDatagram() == nil)
    }

    @Test("closing an unfinished handshake says nothing and stops the timer")
    func closesEarly() throws {
        let pair = try HandshakePair()
        try pair.active.start()
        let hello = try #require(pair.active.nextDatagram())
        pair.active.close()
        #expect(pair.active.nextDatagram() == nil && pair.active.timeout == nil)
        try pair.passive.receive(hello)
        try pair.active.receive(try #require(pair.passive.nextDatagram()))
        #expect(pair.active.nextDatagram() == nil && pair.active.keys == nil)
        try pair.active.handleTimeout()
    }

    @Test("trouble of OpenSSL's own is not taken for a peer that closed")
    func ownTrouble() {
        // ERR_R_INTERNAL_ERROR, with the flags of OpenSSL 3 for what is fatal and common to all its libraries.
        let reason: Int32 = 3 << 18 | 259
        #expect(OpenSSLFailure.handshakeError(reason, "internal error") == .failed("internal error"))
        // The alerts close_notify and handshake_failure, and the last that there can be.
        for alert in [0, 40, 255] as [Int32] { #expect(OpenSSLFailure.handshakeError(1000 + alert, "") == .closed) }
    }

    @Test("a replayed close_notify of another association ends nothing")
    func foreignClose() throws {
        let (pair, other) = (try HandshakePair(), try HandshakePair())
        for pair in [pair, other] {
            try pair.active.start()
            try pair.exchange()
        }
        other.active.close()
        let notice = try #require(other.active.nextDatagram())
        try pair.passive.receive(notice)
        pair.active.close()
        let trueNotice = try #require(pair.active.nextDatagram())
        #expect(throws: HandshakeError.closed) { try pair.passive.receive(trueNotice) }
    }
}
