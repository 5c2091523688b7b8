import Datagrams
import Glibc
import Testing
import Timebase

@testable import ICE

/// A TURN client on a real socket, in real time.
private final class LiveUser {
    var client: TURNClient
    let socket: LoopbackSocket
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let server: TransportAddress
    private var decoder = TURNStreamDecoder()
    private(set) var events: [TURNEvent] = []
    private(set) var data: [(from: TransportAddress, bytes: [UInt8])] = []
    private(set) var sent: [[UInt8]] = []
    private var due = Instant.zero

    init(_ server: TransportAddress, _ transport: TURNTransport, _ credentials: TURNCredentials) throws {
        self.server = server
        start = clock.now
        socket = try LoopbackSocket(transport == .udp ? .udp : .tcp(to: server))
        client = TURNClient(
            TURNConfiguration(server: server, base: socket.address, transport: transport, credentials: credentials),
            authenticator: TestAuthenticator(), random: SystemRandomNumberGenerator(), at: .zero)
        client.connected(at: .zero)
        drain()
    }

    var now: Instant { .zero + (clock.now - start) }

    func with(_ body: (inout TURNClient, Instant) -> Void) {
        body(&client, now)
        drain()
    }

    @discardableResult
    func send(_ payload: [UInt8], to peer: TransportAddress) -> TURNSending {
        var buffer: [UInt8] = []
        let result = client.wrap(payload, to: peer, into: &buffer, at: now)
        if result == .ready { transmit(buffer) }
        drain()
        return result
    }

    /// Receives and waits until something is so, for five seconds at most.
    func run(until isDone: () -> Bool) -> Bool {
        let end = now + .seconds(5)
        while !isDone() {
            if now >= end { return false }
            let pause = min(max(due - now, .zero), .milliseconds(20))
            if let (bytes, from) = socket.receive(within: pause) { receive(bytes, from) }
            if now >= due { client.advance(to: now) }
            drain()
        }
        return true
    }

    private func receive(_ bytes: [UInt8], _ from: TransportAddress) {
        guard client.configuration.transport == .stream else { return take(bytes, from) }
        decoder.append(bytes)
        while let message = (try? decoder.next()) ?? nil { take(message, server) }
    }

    private func take(_ message: [UInt8], _ from: TransportAddress) {
        let receipt = client.receive(message.span.bytes, local: socket.address, from: from, at: now)
        if case .data(let peer, let range) = receipt { data.append((peer, Array(message[range]))) }
    }

    private func transmit(_ bytes: [UInt8]) {
        sent.append(bytes)
        socket.send(bytes, to: server)
    }

    private func drain() {
        while true {
            switch client.nextOutput() {
            case .transmit(let bytes): transmit(bytes)
            case .event(let event): events.append(event)
            case .wait(let until, _):
                due = until
                return
            }
        }
    }
}

@Suite("A real TURN server", .serialized, .enabled(if: TurnServer.isInstalled, "\(TurnServer.skipNotice)"))
struct RealRelayTests {
    private func credentials(_ username: String = "user", _ password: String = "pass") throws -> TURNCredentials {
        try #require(TURNCredentials(username: username, password: password))
    }

    @Test("a datagram goes to a peer and back, first as an indication, then in a channel", arguments: [
        TURNTransport.udp, .stream,
    ])
    func echo(transport: TURNTransport) throws {
        let server = try TurnServer()
        let user = try LiveUser(server.address, transport, credentials())
        let peer = try LoopbackSocket(.udp)
        #expect(user.run { user.client.relayedAddress != nil })
        let relayed = try #require(user.client.relayedAddress)
        #expect(user.client.mappedAddress == user.socket.address)
        var number = 0
        // The channel is there once the server has answered; then so many in it.
        while user.sent.count(where: { $0.first == 0x40 }) < 20, number < 2000 {
            defer { number += 1 }
            // Lengths of every remainder, for the padding.
            let payload = [UInt8](repeating: UInt8(number % 256), count: 50 + number % 64)
            user.send(payload, to: peer.address)
            var arrived: (bytes: [UInt8], from: TransportAddress)?
            #expect(
                user.run {
                    arrived = arrived ?? peer.receive(within: .milliseconds(1))
                    return arrived != nil
                })
            #expect(arrived?.bytes == payload)
            #expect(arrived?.from == relayed)
            peer.send(payload.reversed() + [1], to: relayed)
            #expect(user.run { user.data.count == number + 1 })
            #expect(user.data.last?.bytes == payload.reversed() + [1])
            #expect(user.data.last?.from == peer.address)
        }
        #expect(user.sent.count { $0.first == 0x40 } == 20)
        #expect(user.sent.last?.first == 0x40)
        #expect(number > 20, "the first go as indications")
        user.with { $0.close(at: $1) }
        #expect(user.run { user.events.contains(.closed) })
        #expect(user.events == [.allocated(relayed: relayed, mapped: user.socket.address), .closed])
        user.send([1], to: peer.address)
        #expect(peer.receive(within: .milliseconds(50)) == nil)
    }

    @Test("allocation, permission and channel are renewed though the nonce has become stale")
    func refresh() throws {
        let server = try TurnServer(["--user=user:pass", "--lt-cred-mech", "--stale-nonce=1"])
        let user = try LiveUser(server.address, .udp, credentials())
        let peer = try LoopbackSocket(.udp)
        #expect(user.run { user.client.relayedAddress != nil })
        for _ in 0..<20 { user.send([1], to: peer.address) }
        #expect(user.run { user.client.channels[peer.address]?.boundUntil != nil })
        // Drained, while the nonce grows old.
        #expect(peer.receive(within: .milliseconds(1_500)) != nil)
        while peer.receive(within: .milliseconds(200)) != nil {}
        let before = user.sent.count
        let late = user.now + .seconds(2)
        _ = user.run { user.now >= late }
        user.client.request(.refresh)
        user.client.request(.permission(peer.address.ip))
        user.client.request(.channel(peer.address))
        user.with { $0.advance(to: $1) }
        #expect(user.run { user.client.transactions.isEmpty })
        #expect(user.sent.count >= before + 6)
        #expect(user.events.count == 1)
        #expect(user.send([7], to: peer.address) == .ready)
        #expect(peer.receive(within: .seconds(1))?.bytes == [7])
    }

    @Test("a wrong password is refused, and so is a user who has too many addresses")
    func refused() throws {
        let server = try TurnServer(["--user=user:pass", "--lt-cred-mech", "--user-quota=1"])
        let wrong = try LiveUser(server.address, .udp, credentials("user", "wrong"))
        #expect(wrong.run { wrong.events == [.failed(.credentialsRejected)] })
        let first = try LiveUser(server.address, .udp, credentials())
        #expect(first.run { first.client.relayedAddress != nil })
        let second = try LiveUser(server.address, .udp, credentials())
        #expect(second.run { second.events == [.failed(.quotaReached)] })
    }

    @Test("credentials made from the shared secret are taken, lapsed ones and ones of another secret are not")
    func sharedSecret() throws {
        let server = try TurnServer(["--use-auth-secret", "--static-auth-secret=north"])
        func credentials(_ secret: String, age: Int64) throws -> TURNCredentials {
            try #require(
                TURNCredentials.timeLimited(
                    secret: secret, name: "viewer", unixTime: Int64(time(nil)) - age, lifetime: 600,
                    with: TestAuthenticator()))
        }
        let user = try LiveUser(server.address, .udp, credentials("north", age: 0))
        #expect(user.run { user.client.relayedAddress != nil })
        let late = try LiveUser(server.address, .udp, credentials("north", age: 700))
        #expect(late.run { late.events == [.failed(.credentialsRejected)] })
        let stranger = try LiveUser(server.address, .udp, credentials("south", age: 0))
        #expect(stranger.run { stranger.events == [.failed(.credentialsRejected)] })
    }

    @Test("a peer the server's operator forbids is refused")
    func forbidden() throws {
        let server = try TurnServer([
            "--user=user:pass", "--lt-cred-mech", "--denied-peer-ip=127.0.0.5-127.0.0.9",
        ])
        let user = try LiveUser(server.address, .udp, credentials())
        #expect(user.run { user.client.relayedAddress != nil })
        let peer = TransportAddress(ip: .v4(0x7F00_0007), port: 4000)
        #expect(user.send([1], to: peer) == .held)
        #expect(user.run { user.events.last == .refusedPeer(peer.ip) })
    }

    @Test("to be asked for another allocation beside ours changes nothing")
    func beside() throws {
        let server = try TurnServer()
        let user = try LiveUser(server.address, .udp, credentials())
        let peer = try LoopbackSocket(.udp)
        #expect(user.run { user.client.relayedAddress != nil })
        let relayed = try #require(user.client.relayedAddress)
        user.client.request(.replace)
        user.with { $0.advance(to: $1) }
        let end = user.now + .seconds(1)
        _ = user.run { user.now >= end }
        #expect(user.events.count == 1)
        user.send([1], to: peer.address)
        var arrived: (bytes: [UInt8], from: TransportAddress)?
        #expect(
            user.run {
                arrived = arrived ?? peer.receive(within: .milliseconds(1))
                return arrived != nil
            })
        #expect(arrived?.from == relayed)
    }

    @Test("our port's allocation of before is deleted, and another is had")
    func again() throws {
        let server = try TurnServer()
        let user = try LiveUser(server.address, .udp, credentials())
        #expect(user.run { user.client.relayedAddress != nil })
        let first = user.client.relayedAddress
        user.client = TURNClient(
            user.client.configuration, authenticator: TestAuthenticator(), random: SystemRandomNumberGenerator(),
            at: user.now)
        user.with { $0.advance(to: $1) }
        #expect(user.run { user.client.relayedAddress != nil })
        #expect(user.client.relayedAddress != first)
        #expect(user.events.count == 2)
    }
}
