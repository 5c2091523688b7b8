import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Relayed addresses when the network returns")
struct NetworkReturnTests {
    private func joined(_ user: RelayUser? = nil) throws -> (Wire, RelayServer, RelayUser) {
        let server = RelayServer()
        let user = try user ?? RelayUser()
        return (Wire(server, user), server, user)
    }

    @Test("a request that would be repeated in twelve seconds is repeated at once")
    func repetition() throws {
        let (wire, _, user) = try joined()
        wire.tap = { _ in nil }
        // Repeated at 15.5 s, and next at 31.5 s.
        wire.run(for: .seconds(19))
        wire.tap = { $0 }
        user.with(wire) { $0.hasten(at: $1) }
        wire.run(for: .milliseconds(10))
        #expect(user.client.relayedAddress != nil)
    }

    @Test("however often a network changes, a server that answers nothing is given up")
    func silentServer() throws {
        let (wire, _, user) = try joined()
        wire.tap = { _ in nil }
        for _ in 0..<90 {
            wire.run(for: .seconds(1))
            user.with(wire) { $0.hasten(at: $1) }
        }
        #expect(user.eventList == [.failed(.noAnswer)])
    }

    @Test("a request that waits for half a minute, behind others that had no answer, leaves at once")
    func pause() throws {
        let (wire, _, user) = try joined()
        wire.tap = { _ in nil }
        wire.run(for: .seconds(250))
        for _ in 0..<100 where user.waitReason != .allocation { wire.run(for: .seconds(1)) }
        #expect(user.due - wire.now > .seconds(10))
        wire.tap = { $0 }
        user.with(wire) { $0.hasten(at: $1) }
        wire.run(for: .milliseconds(10))
        #expect(user.client.relayedAddress != nil)
    }

    @Test("an allocation that waits for its server to have room goes on waiting, and one that was refused for good is left")
    func refused() throws {
        for (error, isPermanent) in [(STUNErrorCode.insufficientCapacity, false), (STUNErrorCode.forbidden, true)] {
            let (wire, server, user) = try joined()
            server.refuse = { $0.hasIntegrity ? error : nil }
            wire.run(for: .seconds(5))
            server.refuse = { _ in nil }
            user.with(wire) { $0.hasten(at: $1) }
            wire.run(until: .zero + .seconds(59))
            #expect(server.requests(.allocate).count == 2)
            wire.run(for: .seconds(20))
            #expect((user.client.relayedAddress == nil) == isPermanent)
        }
    }

    @Test("a hundred changes in a second send no more than the first repetitions do")
    func flood() throws {
        let (wire, _, user) = try joined()
        wire.tap = { _ in nil }
        for _ in 0..<100 {
            user.with(wire) { $0.hasten(at: $1) }
            wire.run(for: .milliseconds(10))
        }
        #expect(wire.log.count <= 3)
    }

    @Test("an allocation that stands is left as it is, and over a connection nothing is repeated")
    func standing() throws {
        for transport in [TURNTransport.udp, .stream] {
            let (wire, _, user) = try joined(RelayUser(transport: transport))
            user.with(wire) { $0.connected(at: $1) }
            if transport == .stream { wire.tap = { _ in nil } }
            wire.run(for: .seconds(2))
            let before = wire.log.count
            user.with(wire) { $0.hasten(at: $1) }
            wire.run(for: .seconds(2))
            #expect(wire.log.count == before)
        }
    }

    @Test("an allocation that stands is asked for when the network changes, twice a second at most")
    func asked() throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(60))
        for _ in 0..<100 {
            user.with(wire) { $0.networkChanged(hasOtherWay: false, at: $1) }
            wire.run(for: .milliseconds(10))
        }
        #expect((1...3).contains(server.requests(.refresh).count))
        #expect(user.eventList.count == 1)
        wire.run(for: .seconds(1))
        server.restart()
        user.with(wire) { $0.networkChanged(hasOtherWay: false, at: $1) }
        wire.run(for: .seconds(1))
        #expect(user.eventList.dropFirst().first == .lost(.allocationMismatch))
        #expect(user.client.relayedAddress != nil)
    }

    @Test("where nothing answers then, it is given up for another way if there is one, and else the line is waited for")
    func otherWay() throws {
        for hasOtherWay in [false, true] {
            let (wire, server, user) = try joined()
            wire.run(for: .seconds(60))
            wire.tap = { $0.destination == server.address ? nil : $0 }
            user.with(wire) { $0.networkChanged(hasOtherWay: hasOtherWay, at: $1) }
            wire.run(for: .seconds(17))
            #expect((user.eventList.dropFirst().first == .lost(.noAnswer)) == hasOtherWay)
        }
    }

    @Test("an answer shows that the old way is good, and a line that dies later is waited for")
    func oldWay() throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(60))
        user.with(wire) { $0.networkChanged(hasOtherWay: true, at: $1) }
        wire.run(for: .seconds(5))
        #expect(server.requests(.refresh).count == 1)
        wire.tap = { _ in nil }
        user.with(wire) { $0.peerBecameQuiet(at: $1) }
        wire.run(for: .seconds(20))
        #expect(user.eventList.count == 1)
    }

    @Test("a connection that is dead since the network changed is noticed within sixteen seconds, though nobody uses it")
    func deadConnection() throws {
        let (wire, server, user) = try joined(RelayUser(transport: .stream))
        user.with(wire) { $0.connected(at: $1) }
        wire.run(for: .seconds(60))
        wire.tap = { $0.destination == server.address ? nil : $0 }
        user.with(wire) { $0.networkChanged(hasOtherWay: true, at: $1) }
        wire.run(for: .seconds(16))
        #expect(user.eventList.dropFirst().first == .lost(.noAnswer))
    }
}
