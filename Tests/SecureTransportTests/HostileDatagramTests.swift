import PeerCore
import TestSupport
import Testing

@testable import SecureTransport

@Suite("Hostile datagrams")
struct HostileDatagramTests {
    /// Bytes that begin like DTLS and are not.
    static func garbage(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = random.bytes(Int(random.next() % 300))
        if bytes.isEmpty { return bytes }
        bytes[0] = 20 + bytes[0] % 44
        // Half of them have a plausible header and a true length.
        if bytes.count > 13, random.next() % 2 == 0 {
            bytes[0] = 20 + bytes[0] % 4
            bytes.replaceSubrange(1..<5, with: [0xFE, 0xFD, 0, UInt8(random.next() % 2)])
            bytes.replaceSubrange(11..<13, with: [0, UInt8(truncatingIfNeeded: bytes.count - 13)])
        }
        return bytes
    }

    @Test("garbage before a handshake changes nothing for the passive side", arguments: [11, 12, 13] as [UInt64])
    func garbageBefore(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try HandshakePair()
        for _ in 0..<2000 { try pair.passive.receive(Self.garbage(&random)) }
        _ = HandshakePair.drain(pair.passive)
        try pair.active.start()
        try pair.exchange()
        #expect(pair.isDone)
    }

    @Test("garbage of every length after the handshake ends nothing", arguments: [21, 22, 23] as [UInt64])
    func garbageAfter(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange()
        for engine in [pair.active, pair.passive] {
            for _ in 0..<2000 { try engine.receive(Self.garbage(&random)) }
        }
        pair.active.close()
        let notice = HandshakePair.drain(pair.active)
        #expect(throws: HandshakeError.closed) { for datagram in notice { try pair.passive.receive(datagram) } }
    }

    /// So much of it that on a slow machine a timer may fire meanwhile.
    @Test("garbage in the midst of a handshake does not hinder it", arguments: [41, 42, 43, 44] as [UInt64])
    func garbageBetween(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let pair = try HandshakePair()
        try await pair.run { _, _, _ in
            for engine in [pair.active, pair.passive] {
                for _ in 0..<500 { try engine.receive(Self.garbage(&random)) }
            }
            return true
        }
        #expect(pair.isDone)
    }

    @Test("copies that are cut, of another version or of a later epoch are dropped in the midst of a handshake")
    func brokenRecordsBetween() throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange { _, datagram, receiver in
            for count in [0, 1, 12, 13, 14, datagram.count - 1] { try receiver.receive(Array(datagram.prefix(count))) }
            try receiver.receive([datagram[0], 0x7F, 0x7F] + datagram.dropFirst(3))
            try receiver.receive(Array(datagram.prefix(3)) + [0, 7] + datagram.dropFirst(5))
            return true
        }
        #expect(pair.isDone)
    }

    @Test("a ClientHello damaged at any byte never ends a passive session", arguments: [31, 32] as [UInt64])
    func damagedClientHello(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try HandshakePair()
        try pair.active.start()
        let hello = try #require(pair.active.nextDatagram())
        for index in 13..<hello.count {
            let engine = try HandshakePair().passive
            var damaged = hello
            damaged[index] ^= UInt8(1 + random.next() % 255)
            #expect(throws: Never.self, "byte \(index)") { try engine.receive(damaged) }
            #expect(throws: Never.self) { try engine.receive(Array(damaged.prefix(index))) }
        }
    }

    @Test("a bad ClientHello first, in any of its forms, and the true one is answered")
    func badHelloFirst() throws {
        for cut in [14, 25, 30, 60, 90] {
            let pair = try HandshakePair()
            try pair.active.start()
            let hello = try #require(pair.active.nextDatagram())
            // A whole record whose body ends early, and one that claims to be a fragment of a larger message.
            var short = Array(hello.prefix(cut))
            short.replaceSubrange(11..<13, with: [0, UInt8(cut - 13)])
            var fragment = hello
            fragment[15] &+= 1
            for bad in [short, fragment] {
                try pair.passive.receive(bad)
                #expect(pair.passive.nextDatagram() == nil, "a bad hello is not answered, not even by an alert")
            }
            try pair.passive.receive(hello)
            try pair.exchange()
            #expect(pair.isDone, "cut at \(cut)")
        }
    }

    @Test("a ClientHello without a suite of ours is not answered, and the true one is")
    func unanswerableHelloFirst() throws {
        let (one, other) = (try TransportSecurity(), try TransportSecurity())
        let passive = try other.makeHandshake(role: .passive, remoteFingerprint: one.localFingerprint)
        let stranger = RawPeer(role: .active, RawPeer.Habits(ciphers: "AES128-GCM-SHA256:@SECLEVEL=0"))
        try stranger.exchange(with: passive)
        let active = try one.makeHandshake(role: .active, remoteFingerprint: other.localFingerprint)
        let pair = HandshakePair(active: active, passive: passive)
        try pair.active.start()
        try pair.exchange()
        #expect(pair.isDone)
    }

    /// alert(21), 1.2, epoch 0, sequence 9, length 2: fatal, handshake_failure.
    static let plainAlert = hex("15 fefd 0000 000000000009 0002 02 28")

    @Test("an alert in the clear ends nothing if the peer goes on", arguments: HandshakePair.Side.allCases)
    func forgedAlert(side: HandshakePair.Side) throws {
        let pair = try HandshakePair()
        try pair.active.start()
        try pair.exchange { _, _, _ in
            for engine in [pair.active, pair.passive] { try engine.receive(Self.plainAlert) }
            return true
        }
        #expect(pair.isDone)
        for engine in [pair.active, pair.passive] { try engine.receive(Self.plainAlert) }
    }

    @Test("a peer that says no in the clear and then stays silent has closed")
    func honestAlert() async throws {
        let active = try HandshakePair().active
        try active.start()
        try active.receive(Self.plainAlert)
        let wait = try #require(active.timeout)
        #expect(wait <= .milliseconds(50))
        try await Task.sleep(for: wait + .milliseconds(1))
        #expect(throws: HandshakeError.closed) { try active.handleTimeout() }
        #expect(active.timeout == nil)
    }

    @Test("a thousand hellos of strangers cost no memory that stays, and the true peer gets in")
    func manyHellos() throws {
        let pair = try HandshakePair()
        try pair.active.start()
        let hello = try #require(pair.active.nextDatagram())
        for index in 0..<1000 {
            var bad = hello
            bad[13 + 12 + 34] = UInt8(33 + index % 200)  // a session id longer than 32 bytes
            try pair.passive.receive(bad)
        }
        #expect(pair.passive.nextDatagram() == nil)
        try pair.passive.receive(hello)
        try pair.exchange()
        #expect(pair.isDone)
    }
}
