import PeerCore
import TestSupport
import Testing

@testable import SecureTransport

/// Needs the `openssl` command; skipped, and reported as skipped, where it is missing.
@Suite("DTLS with the openssl command over loopback", .enabled(if: CommandLinePeer.isInstalled), .serialized)
struct InteropTests {
    static let keys = [["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["rsa:2048"]]

    /// Runs the engine on a socket until it has keys, or for five seconds.
    static func run(_ engine: any HandshakeEngine, on socket: LoopbackSocket) throws -> SRTPKeys? {
        let end = ContinuousClock.now + .seconds(5)
        while engine.keys == nil, ContinuousClock.now < end {
            for datagram in HandshakePair.drain(engine) { socket.send(datagram) }
            if let datagram = socket.receive(within: 10) { try engine.receive(datagram) }
            if engine.timeout == .zero { try engine.handleTimeout() }
        }
        for datagram in HandshakePair.drain(engine) { socket.send(datagram) }
        return engine.keys
    }

    /// RFC 5764 § 4.2: client key, server key, client salt, server salt.
    static func split(_ material: [UInt8]) -> (client: [UInt8], server: [UInt8]) {
        (Array(material[..<16] + material[32..<44]), Array(material[16..<32] + material[44..<56]))
    }

    static func expectClose(of engine: any HandshakeEngine, on socket: LoopbackSocket) {
        #expect(throws: HandshakeError.closed) {
            while let datagram = socket.receive(within: 3000) { try engine.receive(datagram) }
        }
    }

    @Test("we are the client of s_server, and export the same keys", arguments: keys)
    func client(key: [String]) throws {
        // Another program may take the port in between.
        let (peer, found) = try bestOf(3) { () -> (CommandLinePeer, SRTPKeys?) in
            let (security, peer, socket) = (try TransportSecurity(), try CommandLinePeer(key: key), try LoopbackSocket())
            let port = try LoopbackSocket().port
            try peer.start(["s_server", "-accept", "127.0.0.1:\(port)", "-Verify", "1", "-naccept", "1"])
            socket.send(to: port)
            let engine = try security.makeHandshake(role: .active, remoteFingerprint: peer.fingerprint)
            try engine.start()
            return (peer, try Self.run(engine, on: socket))
        } isRight: { $0.1 != nil }
        let keys = try #require(found)
        let (client, server) = Self.split(try peer.keyingMaterial())
        #expect(keys.profile == .aeadAES128GCM && keys.local == client && keys.remote == server)
    }

    @Test("we are the server of s_client: same keys, and its close ends the association", arguments: keys)
    func server(key: [String]) throws {
        let (security, peer, socket) = (try TransportSecurity(), try CommandLinePeer(key: key), try LoopbackSocket())
        let engine = try security.makeHandshake(role: .passive, remoteFingerprint: peer.fingerprint)
        try peer.start(["s_client", "-connect", "127.0.0.1:\(socket.port)"])
        let keys = try #require(try Self.run(engine, on: socket))
        let (client, server) = Self.split(try peer.keyingMaterial())
        #expect(keys.profile == .aeadAES128GCM && keys.local == server && keys.remote == client)
        peer.quit()
        Self.expectClose(of: engine, on: socket)
    }
}
