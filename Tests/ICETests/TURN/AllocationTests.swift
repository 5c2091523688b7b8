import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Relayed addresses")
struct AllocationTests {
    private static let base = address("192.168.1.10", 5000)
    private static let relayed = address("198.51.100.1", 50_000)
    private static let allocated = TURNEvent.allocated(relayed: relayed, mapped: base)

    private func joined(_ user: RelayUser? = nil) throws -> (Wire, RelayServer, RelayUser) {
        let server = RelayServer()
        let user = try user ?? RelayUser()
        return (Wire(server, user), server, user)
    }

    @Test("the first request goes without credentials, the second answers the challenge, and there is an address")
    func allocate() throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(1))
        let requests = server.requests(.allocate).map(\.message)
        #expect(requests.map(\.username) == [nil, "user"])
        #expect(requests.map(\.hasIntegrity) == [false, true])
        #expect(requests.map(\.attributes.first) == [.requestedTransport(17), .requestedTransport(17)])
        #expect(Set(requests.map(\.transactionID)).count == 2)
        #expect(user.eventList == [Self.allocated])
        #expect(user.client.relayedAddress == Self.relayed)
        #expect(user.client.mappedAddress == Self.base)
    }

    @Test("an IPv6 address must be asked for")
    func family() throws {
        let (wire, server, user) = try joined(RelayUser(relaysIPv6: true))
        wire.run(for: .seconds(1))
        #expect(server.requests(.allocate).allSatisfy { $0.message.attributes.contains(.requestedAddressFamily(2)) })
        #expect(user.client.relayedAddress == address("2001:db8:9::1", 50_000))
    }

    @Test("a server that sees us by the other family relays all the same", arguments: [
        (address("2001:db8::10", 5000), address("203.0.113.10", 6000)),
        (address("192.168.1.10", 5000), address("2001:db8::10", 6000)),
    ])
    func otherFamily(base: TransportAddress, mapped: TransportAddress) throws {
        let (wire, server, user) = try joined(RelayUser(base: base))
        server.alter = { message in
            guard let index = message.attributes.firstIndex(where: { $0.type == .xorMappedAddress }) else { return }
            message.attributes[index] = .xorMappedAddress(mapped)
        }
        wire.run(for: .seconds(1))
        #expect(user.eventList == [.allocated(relayed: Self.relayed, mapped: mapped)])
        #expect(server.requests(.refresh).isEmpty)
    }

    @Test("lost requests and answers are made up for after 0.5 s and 1.5 s, and two of a request make one allocation")
    func loss() throws {
        let (wire, server, user) = try joined()
        var count = 0
        wire.tap = { packet in
            count += 1
            return [1, 4].contains(count) ? nil : packet  // the first request, and the answer to the second repetition
        }
        wire.run(for: .seconds(3))
        #expect(server.allocations.count == 1)
        #expect(user.eventList == [Self.allocated])
        #expect(user.events.first.map { $0.at > .zero + .milliseconds(500) } == true)
    }

    @Test("a silent server is asked seven times, given up after 39.5 s, and asked again later and later")
    func silent() throws {
        let (wire, _, user) = try joined()
        wire.tap = { _ in nil }
        wire.run(for: .seconds(1_200))
        let times = [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500].map { Instant.zero + .milliseconds($0) }
        #expect(wire.log.prefix(7).map(\.at) == times)
        #expect(user.eventList.allSatisfy { $0 == .failed(.noAnswer) })
        let firsts = stride(from: 0, to: wire.log.count, by: 7).map { wire.log[$0].at }
        let pauses = zip(firsts, firsts.dropFirst()).map { ($1 - $0 - .milliseconds(39_500)).inSeconds }
        #expect(pauses.count >= 6)
        for (index, pause) in pauses.enumerated() {
            let expected = min(Double(1 << index), 30)
            #expect(pause >= expected * 0.79 && pause <= expected * 1.21)
        }
    }

    @Test("where there is another address to ask, one that is silent is given up after 2.5 s, and one that has answered is not")
    func otherAddress() throws {
        let (wire, _, user) = try joined(RelayUser(hasOtherAddress: true))
        wire.tap = { _ in nil }
        wire.run(until: .zero + .milliseconds(2_600))
        let times = [0, 500, 1_500].map { Instant.zero + .milliseconds($0) }
        #expect(wire.log.map(\.at) == times)
        #expect(user.eventList == [.failed(.noAnswer)])
        let (other, _, challenged) = try joined(RelayUser(hasOtherAddress: true))
        other.run(for: .milliseconds(2))
        other.tap = { _ in nil }
        other.run(until: .zero + .seconds(39))
        #expect(challenged.eventList.isEmpty)
        other.run(for: .seconds(1))
        #expect(challenged.eventList == [.failed(.noAnswer)])
    }

    @Test("a wrong password ends it at once; other credentials begin anew")
    func credentials() throws {
        let (wire, server, user) = try joined(RelayUser(password: "wrong"))
        wire.run(for: .seconds(7_200))
        #expect(user.eventList == [.failed(.credentialsRejected)])
        #expect(wire.log.count == 4)
        #expect(user.due == .distantFuture && user.waitReason == .nothing)
        let credentials = try #require(TURNCredentials(username: "user", password: "pass"))
        user.with(wire) { $0.update(credentials, at: $1) }
        wire.run(for: .seconds(1))
        #expect(user.eventList == [.failed(.credentialsRejected), Self.allocated])
        #expect(server.allocations.count == 1)
    }

    @Test("for two hours the allocation is kept, over stale nonces, and the NAT's binding with it")
    func refresh() throws {
        let (wire, server, user) = try joined()
        server.nonceLifetime = .seconds(420)
        wire.run(for: .seconds(7_200))
        #expect(user.eventList == [Self.allocated])
        #expect(server.allocations.count == 1)
        let refreshes = server.requests(.refresh)
        #expect(refreshes.count >= 23 && refreshes.count <= 23 + 18)
        let sent = wire.log.filter { $0.packet.source == Self.base }.map(\.at)
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $1 - $0 <= .milliseconds(25_001) })
        let indications = server.requests.filter { $0.message.messageClass == .indication }
        #expect(indications.allSatisfy { $0.message.header.method == .binding })
        #expect(indications.count > 250 && indications.count < 500)
    }

    @Test("where neither a refresh nor a request beside it is answered, the allocation counts as lost after 47 s")
    func silentRefresh() throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(1))
        wire.tap = { $0.source == Self.base ? nil : $0 }
        wire.run(until: .zero + .seconds(346))
        #expect(user.eventList == [Self.allocated])
        wire.run(until: .zero + .seconds(348))
        #expect(user.eventList == [Self.allocated, .lost(.noAnswer)])
        #expect(user.client.relayedAddress == nil)
        wire.tap = { $0 }
        wire.run(for: .seconds(60))
        #expect(server.allocations.count == 1)
        #expect(user.eventList.count == 3)
    }

    @Test("a server that is in passing trouble at a refresh is asked again, until the allocation's time is up (RFC 8489 § 14.8)")
    func troubledRefresh() throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(1))
        server.refuse = { $0.header.method == .refresh && $0.hasIntegrity ? STUNErrorCode(500) : nil }
        wire.run(until: .zero + .seconds(340))
        #expect(user.eventList == [Self.allocated] && server.allocations.count == 1)
        #expect((4...6).contains(server.requests(.refresh).count))
        server.refuse = { _ in nil }
        wire.run(until: .zero + .seconds(900))
        #expect(user.eventList == [Self.allocated] && server.allocations.count == 1)
        server.refuse = { $0.header.method == .refresh && $0.hasIntegrity ? STUNErrorCode(500) : nil }
        wire.run(for: .seconds(700))
        #expect(user.eventList.dropFirst().first == .lost(.noAnswer))
    }

    @Test("a server that lost everything and has no word for whom it does not know is asked for another after 39.5 s")
    func taciturnServer() throws {
        let (wire, server, user) = try joined()
        server.isTaciturn = true
        wire.run(for: .seconds(100))
        server.restart()
        wire.run(until: .zero + .seconds(342))
        let second = TURNEvent.allocated(relayed: address("198.51.100.1", 50_001), mapped: Self.base)
        #expect(user.eventList == [Self.allocated, .lost(.allocationMismatch), second])
    }

    @Test("or within eleven seconds, where the first viewer since then is waited for")
    func taciturnServerAndViewer() throws {
        let (server, user) = (RelayServer(), try RelayUser())
        let viewer = Mailbox(address("203.0.113.9", 4000))
        let wire = Wire(server, user, viewer)
        server.isTaciturn = true
        wire.run(for: .seconds(60))
        server.restart()
        // As a check is repeated.
        for pause: Int64 in [500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000] {
            user.send([1], to: viewer.address, on: wire)
            wire.run(for: .milliseconds(pause))
        }
        let another = address("198.51.100.1", 50_001)
        let second = TURNEvent.allocated(relayed: another, mapped: Self.base)
        #expect(user.eventList == [Self.allocated, .lost(.allocationMismatch), second])
        #expect(user.events.last.map { $0.at < .zero + .seconds(71) } == true)
        #expect(viewer.received.last?.from == another)
    }

    @Test("over a stream, where nothing gets lost, a refresh without an answer is the end of it")
    func silentStream() throws {
        let (wire, _, user) = try joined(RelayUser(transport: .stream))
        user.with(wire) { $0.connected(at: $1) }
        wire.run(for: .seconds(1))
        #expect(user.eventList == [Self.allocated])
        wire.tap = { $0.source == Self.base ? nil : $0 }
        wire.run(until: .zero + .seconds(400))
        #expect(user.eventList.prefix(2) == [Self.allocated, .lost(.noAnswer)])
        #expect(user.client.relayedAddress == nil)
    }

    @Test("a connection that died without a word is noticed in half the time that consent lasts")
    func brokenStream() throws {
        let (wire, _, user) = try joined(RelayUser(transport: .stream))
        let peer = address("192.0.2.7", 4000)
        user.with(wire) { $0.connected(at: $1) }
        wire.run(for: .seconds(1))
        user.send([1], to: peer, on: wire)
        wire.run(for: .seconds(1))
        wire.tap = { $0.source == Self.base ? nil : $0 }
        for _ in 0..<20 {
            user.send([1], to: peer, on: wire)
            wire.run(for: .seconds(1))
        }
        let lost = try #require(user.events.last)
        #expect(lost.event == .lost(.noAnswer))
        #expect(lost.at < .zero + .seconds(19))
    }

    @Test("a server that lost everything says so at the next request, and gives another address")
    func restartedServer() throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(100))
        server.restart()
        wire.run(until: .zero + .seconds(310))
        let second = TURNEvent.allocated(relayed: address("198.51.100.1", 50_001), mapped: Self.base)
        #expect(user.eventList == [Self.allocated, .lost(.allocationMismatch), second])
    }

    @Test("a lost allocation is asked for again at once, and after a pause where the next is lost within a minute")
    func lostAgain() throws {
        let (wire, server, user) = try joined()
        let peer = address("192.0.2.7", 4000)
        wire.run(for: .seconds(1))
        for round in 1...2 {
            server.restart()
            user.send([1], to: peer, on: wire)
            wire.run(for: .milliseconds(20))
            #expect(user.eventList.filter { $0 == .lost(.allocationMismatch) }.count == round)
            #expect((user.client.relayedAddress != nil) == (round == 1))
        }
        wire.run(for: .milliseconds(1_500))
        #expect(user.client.relayedAddress == nil)
        wire.run(for: .seconds(1))
        #expect(user.client.relayedAddress != nil)
    }

    @Test(
        "what an earlier run left on our port is deleted once, then there is a new allocation",
        arguments: [false, true])
    func leftOver(isHasty: Bool) throws {
        let (wire, server, user) = try joined()
        server.isHasty = isHasty
        wire.run(for: .seconds(1))
        let next = try RelayUser(seed: 2)
        let again = Wire(server, next)
        again.run(for: .seconds(1))
        #expect(user.eventList == [Self.allocated])
        #expect(next.eventList == [.allocated(relayed: address("198.51.100.1", 50_001), mapped: Self.base)])
        #expect(server.requests(.refresh).allSatisfy { $0.message.lifetime == 0 })
        #expect(server.requests(.refresh).count == (isHasty ? 2 : 1))
    }

    @Test("so it is where the server's word of it is not signed")
    func unsignedLeftOver() throws {
        let (wire, server, _) = try joined()
        server.isTaciturn = true
        wire.run(for: .seconds(1))
        let next = try RelayUser(seed: 2)
        let again = Wire(server, next)
        again.run(for: .seconds(1))
        #expect(next.eventList == [.allocated(relayed: address("198.51.100.1", 50_001), mapped: Self.base)])
        let deletions = server.requests(.refresh).map(\.message)
        #expect(deletions.count == 1)
        #expect(deletions.allSatisfy { $0.lifetime == 0 && $0.hasIntegrity })
    }

    @Test("a port that stays taken is left alone for two minutes")
    func taken() throws {
        let (wire, server, user) = try joined()
        server.refuse = { $0.hasIntegrity ? .allocationMismatch : nil }
        wire.run(for: .seconds(110))
        #expect(user.eventList == [.failed(.allocationMismatch)])
        #expect(server.requests(.allocate).count == 3)
        server.refuse = { _ in nil }
        wire.run(for: .seconds(60))
        #expect(user.eventList.last == Self.allocated)
    }

    @Test(
        "a full server is asked again after a minute at the earliest",
        arguments: [
            (STUNErrorCode.quotaReached, TURNFailure.quotaReached), (.insufficientCapacity, .insufficientCapacity),
        ])
    func full(error: STUNErrorCode, failure: TURNFailure) throws {
        let (wire, server, user) = try joined()
        server.refuse = { $0.hasIntegrity ? STUNErrorCode(error.code, "No room") : nil }
        wire.run(for: .seconds(59))
        #expect(user.eventList == [.failed(failure)])
        #expect(server.requests(.allocate).count == 2)
        server.refuse = { _ in nil }
        wire.run(for: .seconds(5))
        #expect(user.eventList.last == Self.allocated)
    }

    @Test(
        "what will not change is not tried again",
        arguments: [
            (STUNErrorCode(300), TURNFailure.redirected), (.forbidden, .refused(403)),
            (STUNErrorCode(440), .refused(440)), (STUNErrorCode(442), .refused(442)), (.unknownAttribute, .refused(420)),
        ])
    func permanent(error: STUNErrorCode, failure: TURNFailure) throws {
        let (wire, server, user) = try joined()
        server.refuse = { $0.hasIntegrity ? error : nil }
        wire.run(for: .seconds(3_600))
        #expect(user.eventList == [.failed(failure)])
        #expect(server.requests.count == 2)
    }

    @Test(
        "a server that names another says whom, where that one can be reached as this one is and is not this machine",
        arguments: [
            (address("198.51.100.9", 3479), true), (address("2001:db8::9", 3478), false),
            (address("127.0.0.1", 3478), false), (address("198.51.100.9", 0), false),
        ])
    func redirected(other: TransportAddress, isUsable: Bool) throws {
        for isSigned in [false, true] {
            let (wire, server, user) = try joined()
            server.refuse = { $0.hasIntegrity == isSigned ? STUNErrorCode(300) : nil }
            server.alter = { message in
                guard message.errorCode?.code == 300 else { return }
                message.attributes.append(.alternateServer(other))
            }
            wire.run(for: .seconds(1))
            #expect(user.eventList == [.failed(.redirected)])
            #expect(user.client.alternateServer == (isUsable ? other : nil))
        }
    }

    @Test("an allocation is given back on closing, whether the server still has it or not", arguments: [false, true])
    func close(isGone: Bool) throws {
        let (wire, server, user) = try joined()
        wire.run(for: .seconds(1))
        if isGone { server.restart() }
        user.with(wire) { $0.close(at: $1) }
        wire.run(for: .seconds(3_600))
        #expect(server.allocations.isEmpty)
        #expect(server.requests(.refresh).last?.message.lifetime == 0)
        #expect(user.eventList == [Self.allocated, .closed])
        #expect(user.due == .distantFuture)
    }

    @Test("closing while the server is silent ends after 39.5 s")
    func closeInVain() throws {
        let (wire, _, user) = try joined()
        wire.run(for: .seconds(1))
        wire.tap = { _ in nil }
        user.with(wire) { $0.close(at: $1) }
        wire.run(for: .seconds(41))
        #expect(user.eventList.last == .closed)
        #expect(user.due == .distantFuture)
    }

    @Test("over a stream nothing is sent before it stands, nothing is repeated, and a new one makes a new allocation")
    func stream() throws {
        let (wire, server, user) = try joined(RelayUser(transport: .stream))
        wire.run(for: .seconds(10))
        #expect(wire.log.isEmpty)
        user.with(wire) { $0.connected(at: $1) }
        wire.run(for: .seconds(1))
        #expect(user.eventList == [Self.allocated])
        server.restart()
        user.with(wire) { $0.disconnected(at: $1) }
        wire.run(for: .seconds(100))
        #expect(user.eventList == [Self.allocated, .lost(.disconnected)])
        #expect(user.due == .distantFuture)
        wire.tap = { _ in nil }
        let before = wire.log.count
        user.with(wire) { $0.connected(at: $1) }
        wire.run(for: .seconds(39))
        #expect(wire.log.count == before + 1)
        wire.run(for: .seconds(1))
        #expect(user.eventList.last == .failed(.noAnswer))
    }
}
