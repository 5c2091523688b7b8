import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("Datagrams through a relay")
struct RelayingTests {
    private static let relayed = address("198.51.100.1", 50_000)
    private static let peer = address("203.0.113.9", 4000)

    private struct Scene {
        let server = RelayServer()
        let user: RelayUser
        let peer = Mailbox(RelayingTests.peer)
        let wire: Wire

        init(transport: TURNTransport = .udp) throws {
            user = try RelayUser(transport: transport)
            wire = Wire(server, user, peer)
            user.with(wire) { $0.connected(at: $1) }
            wire.run(for: .seconds(1))
        }

        /// A datagram in each interval.
        func talk(for duration: Duration, every interval: Duration = .seconds(5)) {
            let end = wire.now + duration
            while wire.now < end {
                user.send([1, 2, 3], to: peer.address, on: wire)
                wire.run(for: interval)
            }
        }
    }

    @Test("the first datagram waits for its permission, and nothing is lost")
    func held() throws {
        let scene = try Scene()
        #expect(scene.user.send([1], to: Self.peer, on: scene.wire) == .held)
        #expect(scene.user.send([2], to: Self.peer, on: scene.wire) == .held)
        scene.wire.run(for: .milliseconds(10))
        #expect(scene.user.send([3], to: Self.peer, on: scene.wire) == .ready)
        scene.wire.run(for: .milliseconds(10))
        #expect(scene.peer.received.map(\.bytes) == [[1], [2], [3]])
        #expect(scene.peer.received.allSatisfy { $0.from == Self.relayed })
        #expect(scene.server.requests(.createPermission).count == 1)
        #expect(scene.server.refusedData == 0)
    }

    @Test("what is held has a bound, and the newest stay")
    func heldBound() throws {
        let scene = try Scene()
        for number in 0..<100 { scene.user.send([UInt8(number)], to: Self.peer, on: scene.wire) }
        scene.wire.run(for: .milliseconds(10))
        #expect(scene.peer.received.map(\.bytes.first) == (36..<100).map { UInt8($0) })
    }

    @Test("after sixteen datagrams the peer has a channel, and the overhead falls from 36 bytes to 4, both ways")
    func channel() throws {
        let scene = try Scene()
        scene.peer.echoes = true
        scene.talk(for: .seconds(3), every: .milliseconds(100))
        #expect(scene.server.requests(.channelBind).count == 1)
        #expect(scene.peer.received.count == 30)
        #expect(scene.user.data.map(\.bytes) == [[UInt8]](repeating: [1, 2, 3], count: 30))
        var buffer: [UInt8] = [9]
        #expect(scene.user.client.wrap([1, 2, 3, 4], to: Self.peer, into: &buffer, at: scene.wire.now) == .ready)
        #expect(buffer == [9, 0x40, 0x00, 0, 4, 1, 2, 3, 4])
        let other = TransportAddress(ip: Self.peer.ip, port: 4001)
        buffer = []
        #expect(scene.user.client.wrap([1, 2, 3, 4], to: other, into: &buffer, at: scene.wire.now) == .ready)
        #expect(buffer.count == 40)
        let answers = scene.wire.log.filter { $0.packet.destination == scene.user.client.configuration.base }
        #expect(answers.last?.packet.bytes == [0x40, 0x00, 0, 3, 1, 2, 3])
    }

    @Test("over a stream ChannelData is padded, over UDP it is not", arguments: [TURNTransport.udp, .stream])
    func padding(transport: TURNTransport) throws {
        let scene = try Scene(transport: transport)
        scene.talk(for: .seconds(3), every: .milliseconds(100))
        for count in 0..<9 {
            var buffer: [UInt8] = []
            let payload = [UInt8](repeating: 5, count: count)
            #expect(scene.user.client.wrap(payload, to: Self.peer, into: &buffer, at: scene.wire.now) == .ready)
            let padding = transport == .stream ? (4 - count % 4) % 4 : 0
            #expect(buffer == [0x40, 0, 0, UInt8(count)] + payload + [UInt8](repeating: 0, count: padding))
        }
    }

    @Test("for two hours permission and channel never end while they are used, whatever becomes of nonces")
    func hours() throws {
        let scene = try Scene()
        scene.server.nonceLifetime = .seconds(600)
        scene.peer.echoes = true
        scene.talk(for: .seconds(7_200))
        #expect(scene.peer.received.count == 1_440)
        #expect(scene.user.data.count == 1_440)
        #expect(scene.server.refusedData == 0)
        let permissions = scene.server.requests(.createPermission).map(\.at)
        #expect(permissions.count <= 31 + 12)
        let binds = scene.server.requests(.channelBind).map(\.at)
        #expect(binds.count >= 14 && binds.count <= 15 + 12)
        // A refresh comes before the end even where the first tries are lost.
        #expect(zip(binds, binds.dropFirst()).allSatisfy { $1 - $0 < .seconds(490) })
        let renewals = (permissions + binds).sorted()
        #expect(zip(renewals, renewals.dropFirst()).allSatisfy { $1 - $0 < .seconds(245) })
        #expect(scene.user.eventList.count == 1)
    }

    @Test("with every fourth packet lost, one in four datagrams each way is all that is missing")
    func lossy() throws {
        let scene = try Scene()
        var random = SeededGenerator(seed: 5)
        scene.wire.tap = { Int.random(in: 0..<4, using: &random) == 0 ? nil : $0 }
        scene.talk(for: .seconds(3_600))
        // Two legs of 75 %.
        #expect(scene.peer.received.count > 350 && scene.peer.received.count < 460)
        #expect(scene.server.refusedData == 0)
        #expect(scene.user.eventList.count == 1)
    }

    @Test("what is not used is not refreshed, and comes back with the next datagram")
    func idle() throws {
        let scene = try Scene()
        scene.talk(for: .seconds(100))
        let before = scene.server.requests(.createPermission).count + scene.server.requests(.channelBind).count
        #expect(before == 2)
        scene.wire.run(for: .seconds(650))
        #expect(scene.server.requests(.createPermission).count + scene.server.requests(.channelBind).count == before)
        let received = scene.peer.received.count
        scene.user.send([9], to: Self.peer, on: scene.wire)
        scene.wire.run(for: .milliseconds(20))
        scene.talk(for: .seconds(10))
        #expect(scene.peer.received.count == received + 3)
        #expect(scene.peer.received[received].bytes == [9])
        // The address gets the same number again, as it must for five minutes.
        let binds = scene.server.requests(.channelBind).map(\.message.channelNumber)
        #expect(binds == [0x4000, 0x4000])
        #expect(scene.server.refusedData == 0)
    }

    @Test("a number is given to no other address before fifteen minutes are over")
    func quarantine() throws {
        let scene = try Scene()
        scene.talk(for: .seconds(105))
        scene.wire.run(for: .seconds(1_000))
        let other = address("203.0.113.10", 4000)
        #expect(scene.user.client.channels[Self.peer] == nil)
        for _ in 0..<24 {
            scene.user.send([1], to: other, on: scene.wire)
            scene.wire.run(for: .seconds(1))
        }
        #expect(scene.server.requests(.channelBind).count == 2)
        #expect(scene.server.requests(.channelBind).last?.message.channelNumber != 0x4000)
    }

    @Test("a peer the server refuses is told of, gets nothing, and is asked for again after a minute at the earliest")
    func refusedPeer() throws {
        let scene = try Scene()
        scene.server.refuse = { $0.header.method == .createPermission ? STUNErrorCode(403, "Forbidden IP") : nil }
        #expect(scene.user.send([1], to: Self.peer, on: scene.wire) == .held)
        scene.wire.run(for: .seconds(1))
        #expect(scene.user.send([1], to: Self.peer, on: scene.wire) == .dropped)
        #expect(scene.user.eventList.last == .refusedPeer(Self.peer.ip))
        scene.wire.run(for: .seconds(50))
        #expect(scene.server.requests(.createPermission).count == 1)
        scene.server.refuse = { _ in nil }
        scene.user.send([1], to: Self.peer, on: scene.wire)
        scene.wire.run(for: .seconds(10))
        #expect(scene.user.send([2], to: Self.peer, on: scene.wire) == .ready)
        scene.wire.run(for: .seconds(1))
        #expect(scene.peer.received.map(\.bytes) == [[2]])
    }

    @Test("where the server refuses a channel, indications do, and no allocation is given up")
    func refusedChannel() throws {
        let scene = try Scene()
        scene.server.refuse = { $0.header.method == .channelBind ? .badRequest : nil }
        scene.talk(for: .seconds(300))
        #expect(scene.peer.received.count == 60)
        #expect(scene.user.eventList.count == 1)
        let binds = scene.server.requests(.channelBind).map(\.at)
        #expect(zip(binds, binds.dropFirst()).allSatisfy { $1 - $0 >= .seconds(60) })
        // Whoever the number stands for at the server, it is not for us to guess.
        let configuration = scene.user.client.configuration
        let data = Packet(
            bytes: [0x40, 0, 0, 1, 7], source: configuration.server, destination: configuration.base)
        scene.wire.send([data])
        scene.wire.run(for: .milliseconds(10))
        #expect(scene.user.receipts.last == .handled)
        #expect(scene.user.data.isEmpty)
    }

    @Test(
        "nobody is relayed to who can't be",
        arguments: [
            address("0.0.0.0", 4000), address("224.0.0.1", 4000), address("203.0.113.9", 0),
            address("2001:db8::1", 4000), relayed, RelayServer.standardAddress,
        ])
    func unreachable(_ peer: TransportAddress) throws {
        let scene = try Scene()
        let before = scene.wire.log.count
        #expect(scene.user.send([1], to: peer, on: scene.wire) == .dropped)
        #expect(scene.wire.log.count == before)
    }

    @Test("nothing is sent without an allocation, and no datagram that is too long")
    func dropped() throws {
        let scene = try Scene()
        scene.user.send([1], to: Self.peer, on: scene.wire)
        scene.wire.run(for: .seconds(1))
        let long = [UInt8](repeating: 0, count: 2_000)
        #expect(scene.user.send(long, to: Self.peer, on: scene.wire) == .ready)
        #expect(scene.user.send(long + [0], to: Self.peer, on: scene.wire) == .dropped)
        scene.user.with(scene.wire) { $0.close(at: $1) }
        #expect(scene.user.send([1], to: Self.peer, on: scene.wire) == .dropped)
        let other = try RelayUser()
        #expect(other.send([1], to: Self.peer, on: Wire(other)) == .dropped)
    }

    @Test("where datagrams go out and nothing comes back, the server is asked whether it still knows us")
    func probe() throws {
        let scene = try Scene()
        scene.peer.echoes = true
        scene.talk(for: .seconds(100), every: .seconds(1))
        #expect(scene.server.requests(.refresh).isEmpty)
        scene.peer.echoes = false
        scene.talk(for: .seconds(60), every: .milliseconds(100))
        // The peer is gone, not the server: a request in five seconds, and the allocation stays.
        #expect((10...12).contains(scene.server.requests(.refresh).count))
        #expect(scene.user.eventList.count == 1)
        scene.server.restart()
        scene.talk(for: .seconds(7), every: .milliseconds(100))
        #expect(scene.user.eventList.dropFirst().first == .lost(.allocationMismatch))
        scene.wire.run(for: .seconds(2))
        #expect(scene.user.client.relayedAddress != nil)
    }

    @Test("a second without an answer has the server asked; where it is the peer that is gone, once, then every five seconds")
    func doubt() throws {
        let scene = try Scene()
        scene.peer.echoes = true
        scene.talk(for: .seconds(20), every: .milliseconds(100))
        // Two seconds between datagrams are no silence, as long as each is answered.
        scene.talk(for: .seconds(20), every: .seconds(2))
        #expect(scene.server.requests(.refresh).isEmpty)
        scene.peer.echoes = false
        scene.talk(for: .milliseconds(1_200), every: .milliseconds(100))
        #expect(scene.server.requests(.refresh).count == 1)
        scene.talk(for: .seconds(4), every: .milliseconds(100))
        #expect(scene.server.requests(.refresh).count == 1)
        scene.peer.echoes = true
        scene.talk(for: .seconds(1), every: .milliseconds(100))
        scene.peer.echoes = false
        scene.talk(for: .milliseconds(1_200), every: .milliseconds(100))
        #expect(scene.server.requests(.refresh).count == 2)
        #expect(scene.user.eventList.count == 1)
    }

    @Test("a server that says nothing over a connection is asked after five seconds, as before")
    func doubtOverStream() throws {
        let scene = try Scene(transport: .stream)
        // The last that is heard of the server is that the channel stands, behind twenty datagrams.
        scene.talk(for: .seconds(3), every: .milliseconds(100))
        scene.talk(for: .milliseconds(3_900), every: .milliseconds(100))
        #expect(scene.server.requests(.refresh).isEmpty)
        scene.talk(for: .milliseconds(300), every: .milliseconds(100))
        #expect(scene.server.requests(.refresh).count == 1)
    }

    @Test("a peer that became quiet has the server asked at once and only once, unless that was heard just now")
    func quietPeer() throws {
        let scene = try Scene()
        scene.peer.echoes = true
        scene.talk(for: .seconds(2), every: .milliseconds(100))
        scene.user.with(scene.wire) { $0.peerBecameQuiet(at: $1) }
        scene.wire.run(for: .milliseconds(10))
        #expect(scene.server.requests(.refresh).isEmpty)
        scene.peer.echoes = false
        for _ in 0..<5 {
            scene.talk(for: .milliseconds(300), every: .milliseconds(100))
            scene.user.with(scene.wire) { $0.peerBecameQuiet(at: $1) }
            scene.wire.run(for: .milliseconds(10))
            #expect(scene.server.requests(.refresh).count == 1)
        }
        scene.peer.echoes = true
        scene.talk(for: .milliseconds(100), every: .milliseconds(100))
        scene.wire.run(for: .milliseconds(300))
        scene.user.with(scene.wire) { $0.peerBecameQuiet(at: $1) }
        scene.wire.run(for: .milliseconds(10))
        #expect(scene.server.requests(.refresh).count == 2)
        let other = try RelayUser()
        other.client.peerBecameQuiet(at: .zero)
        #expect(other.client.allocation == nil)
    }

    @Test("a server that knows us no more, and has no word for that, gives another address within ten seconds")
    func taciturn() throws {
        let scene = try Scene()
        scene.server.isTaciturn = true
        scene.peer.echoes = true
        scene.talk(for: .seconds(5), every: .milliseconds(100))
        scene.server.restart()
        scene.talk(for: .seconds(10), every: .milliseconds(100))
        let second = TURNEvent.allocated(
            relayed: address("198.51.100.1", 50_001), mapped: scene.user.client.configuration.base)
        #expect(scene.user.eventList.dropFirst() == [.lost(.allocationMismatch), second])
        let before = scene.user.data.count
        scene.talk(for: .seconds(1), every: .milliseconds(100))
        #expect(scene.user.data.count == before + 10)
    }

    @Test("a line that is dead for twenty-five seconds costs no allocation that the server still has")
    func deadLine() throws {
        for isTaciturn in [false, true] {
            let scene = try Scene()
            scene.server.isTaciturn = isTaciturn
            scene.peer.echoes = true
            scene.talk(for: .seconds(5), every: .milliseconds(100))
            let start = scene.wire.now
            scene.wire.tap = { _ in nil }
            scene.talk(for: .seconds(25), every: .milliseconds(100))
            let asked = scene.wire.log.filter { $0.at >= start }.compactMap { try? STUNMessage($0.packet.bytes) }
            #expect(asked.contains { $0.header.method == .allocate })
            scene.wire.tap = { $0 }
            let before = scene.user.data.count
            scene.talk(for: .seconds(20), every: .milliseconds(100))
            #expect(scene.user.data.count == before + 200)
            #expect(scene.user.eventList.count == 1)
        }
    }

    @Test("nor does one that is dead for twenty seconds behind a minute in which nothing was relayed")
    func deadLineBehindRest() throws {
        let scene = try Scene()
        scene.wire.run(for: .seconds(60))
        scene.wire.tap = { _ in nil }
        scene.wire.run(for: .seconds(10))
        scene.user.with(scene.wire) { $0.peerBecameQuiet(at: $1) }
        scene.wire.run(for: .seconds(10))
        scene.wire.tap = { $0 }
        scene.wire.run(for: .seconds(120))
        #expect(scene.user.eventList.count == 1)
    }

    @Test("an address that was given while answers got lost is known once they come again")
    func unheardReplacement() throws {
        let scene = try Scene()
        scene.peer.echoes = true
        scene.talk(for: .seconds(5), every: .milliseconds(100))
        let server = scene.server.address
        scene.server.forget()
        scene.wire.tap = { $0.source == server ? nil : $0 }
        scene.talk(for: .seconds(17), every: .milliseconds(100))
        let given = try #require(scene.server.allocations.values.first?.relayed)
        scene.wire.tap = { $0 }
        scene.talk(for: .seconds(5), every: .milliseconds(100))
        #expect(scene.user.client.relayedAddress == given)
        let before = scene.user.data.count
        scene.talk(for: .seconds(1), every: .milliseconds(100))
        #expect(scene.user.data.count == before + 10)
    }

    @Test("fifteen hundred peers leave permissions, channels and requests within their bounds")
    func bounds() throws {
        let scene = try Scene()
        for index in 0..<1_500 {
            let peer = TransportAddress(ip: .v4(0x0B00_0000 + UInt32(index)), port: 4000)
            scene.user.send([1], to: peer, on: scene.wire)
            #expect(scene.user.client.transactions.count <= 32)
            if index % 10 == 0 { scene.wire.run(for: .milliseconds(3)) }
        }
        scene.wire.run(for: .seconds(1))
        let user = scene.user.client
        #expect(user.held.count <= 64)
        let permissions = (0..<1_500).count { user.permissions[.v4(0x0B00_0000 + UInt32($0))] != nil }
        #expect(permissions == 1_024)
        let channels = Limits.channelNumbers.count { user.channels.peer(of: $0) != nil }
        #expect(channels <= 1_024)
        #expect(user.transactions.isEmpty)
        scene.wire.run(for: .seconds(600))
        #expect((0..<1_500).allSatisfy { scene.user.client.permissions[.v4(0x0B00_0000 + UInt32($0))] == nil })
    }
}
