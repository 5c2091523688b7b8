import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("What a relay refuses, and what comes meanwhile")
struct RefusalTests {
    private static let base = address("192.168.1.10", 5000)
    private static let relayed = address("198.51.100.1", 50_000)

    private let server = RelayServer()
    private let user: RelayUser
    private let peer = Mailbox(address("203.0.113.9", 4000))
    private let other = Mailbox(address("203.0.113.10", 4000))
    private let wire: Wire

    init() throws {
        user = try RelayUser()
        wire = Wire(server, user, peer, other)
    }

    /// A datagram each five seconds.
    private func talk(for duration: Duration) {
        let end = wire.now + duration
        while wire.now < end {
            user.send([1], to: peer.address, on: wire)
            wire.run(for: .seconds(5))
        }
    }

    /// What the peer sends to the relayed address.
    private func receive(_ bytes: [UInt8]) {
        wire.send([Packet(bytes: bytes, source: peer.address, destination: Self.relayed)])
        wire.run(for: .milliseconds(10))
    }

    @Test("an unsigned 400 is no answer, and anybody's: the request is repeated (RFC 8489 § 9.2.5)")
    func unsignedBadRequest() {
        server.refuse = { $0.hasIntegrity ? nil : .badRequest }
        wire.run(for: .milliseconds(400))
        #expect(user.eventList.isEmpty)
        server.refuse = { _ in nil }
        wire.run(for: .seconds(1))
        #expect(user.eventList == [.allocated(relayed: Self.relayed, mapped: Self.base)])
    }

    @Test("requests that are refused together, for a nonce that is stale, are all repeated with the new one")
    func staleTogether() {
        server.nonceLifetime = .seconds(60)
        wire.run(for: .seconds(65))
        for mailbox in [peer, other] { user.send([1], to: mailbox.address, on: wire) }
        wire.run(for: .milliseconds(50))
        #expect(server.requests(.createPermission).count == 4)
        #expect(peer.received.count == 1 && other.received.count == 1)
    }

    @Test("data that comes before the answer to the request for its permission is taken")
    func earlyData() {
        wire.run(for: .seconds(1))
        let server = server.address
        wire.tap = { packet in
            let message = try? STUNMessage(packet.bytes)
            return packet.source == server && message?.header.method == .createPermission ? nil : packet
        }
        user.send([1], to: peer.address, on: wire)
        wire.run(for: .milliseconds(10))
        receive([7])
        #expect(user.data.map(\.bytes) == [[7]])
    }

    @Test("of a peer whose permission the server would not renew nothing is taken, be it that the server still has it")
    func refusedRenewal() {
        wire.run(for: .seconds(1))
        user.send([1], to: peer.address, on: wire)
        wire.run(for: .seconds(200))
        user.send([1], to: peer.address, on: wire)
        receive([7])
        #expect(user.data.map(\.bytes) == [[7]])
        server.refuse = { $0.header.method == .createPermission ? .forbidden : nil }
        wire.run(for: .seconds(50))
        #expect(user.eventList.last == .refusedPeer(peer.address.ip))
        receive([8])
        #expect(user.receipts.last == .handled)
        #expect(user.data.count == 1)
    }

    @Test("a channel that the server would not renew is not sent by any more: indications do")
    func refusedChannel() {
        wire.run(for: .seconds(1))
        talk(for: .seconds(300))
        var buffer: [UInt8] = []
        #expect(user.client.wrap([1], to: peer.address, into: &buffer, at: wire.now) == .ready)
        #expect(buffer.first == 0x40)
        server.refuse = { $0.header.method == .channelBind ? .badRequest : nil }
        // Renewed after eight minutes, and good for ten.
        talk(for: .seconds(300))
        buffer = []
        #expect(user.client.wrap([1], to: peer.address, into: &buffer, at: wire.now) == .ready)
        #expect(buffer.first == 0x00)
    }
}
