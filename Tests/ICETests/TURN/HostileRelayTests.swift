import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("A hostile relay, or somebody in its place")
struct HostileRelayTests {
    private static let base = address("192.168.1.10", 5000)
    private static let server = RelayServer.standardAddress
    private static let relayed = address("198.51.100.1", 50_000)
    private static let peer = address("203.0.113.9", 4000)
    private static let success: [STUNAttribute] = [
        .xorRelayedAddress(relayed), .xorMappedAddress(base), .lifetime(600),
    ]

    private static func answer(
        to request: STUNMessage, _ attributes: [STUNAttribute], _ messageClass: STUNClass = .success,
        password: String? = nil
    ) -> [UInt8] {
        let message = STUNMessage(STUNHeader(messageClass, request.header.method, request.transactionID), attributes)
        guard let password else { return message.encoded(fingerprint: false) }
        let key = STUNMessage.longTermKey(
            username: "user", realm: "example.org", password: password, with: TestAuthenticator())
        return message.encoded(key: key, with: TestAuthenticator(), fingerprint: false)
    }

    /// A client whose second request, the one with credentials, is in the air and was not answered.
    private func asking() throws -> (Wire, RelayUser, STUNMessage) {
        let (server, user) = (RelayServer(), try RelayUser())
        let wire = Wire(server, user)
        wire.tap = { packet in
            let isSigned = (try? STUNMessage(packet.bytes))?.hasIntegrity == true
            return isSigned && packet.source == Self.base ? nil : packet
        }
        wire.run(for: .milliseconds(100))
        let last = try #require(wire.log.last?.packet)
        return (wire, user, try STUNMessage(last.bytes))
    }

    private func give(
        _ bytes: [UInt8], to user: RelayUser, on wire: Wire, from: TransportAddress = server,
        local: TransportAddress = base
    ) -> TURNReceipt {
        let receipt = user.client.receive(bytes.span.bytes, local: local, from: from, at: wire.now)
        wire.send(user.drain(at: wire.now))
        return receipt
    }

    @Test("only the server's own answer, at our socket, to a request of ours, with the right password, counts")
    func forged() throws {
        let (wire, user, request) = try asking()
        let right = Self.answer(to: request, Self.success, password: "pass")
        #expect(give(right, to: user, on: wire, from: address("198.51.100.1", 3479)) == .notOurs)
        #expect(give(right, to: user, on: wire, from: address("198.51.100.2", 3478)) == .notOurs)
        #expect(give(right, to: user, on: wire, local: address("192.168.1.10", 5001)) == .notOurs)
        var other = right
        other[19] ^= 1
        #expect(give(other, to: user, on: wire) == .notOurs)
        for password in [nil, "guess"] {
            #expect(give(Self.answer(to: request, Self.success, password: password), to: user, on: wire) == .handled)
        }
        for index in 20..<right.count {
            var damaged = right
            damaged[index] ^= 0x10
            _ = give(damaged, to: user, on: wire)
        }
        #expect(user.eventList.isEmpty)
        #expect(give(right, to: user, on: wire) == .handled)
        #expect(user.eventList == [.allocated(relayed: Self.relayed, mapped: Self.base)])
        #expect(give(right, to: user, on: wire) == .notOurs)
    }

    @Test("unsigned errors to a signed request are nobody's, and if there were only such the failure says so")
    func unsignedErrors() throws {
        let (wire, user, request) = try asking()
        for code: UInt16 in [300, 400, 403, 441, 486, 500, 508] {
            let bytes = Self.answer(to: request, [.errorCode(STUNErrorCode(code))], .error)
            #expect(give(bytes, to: user, on: wire) == .handled)
        }
        #expect(user.eventList.isEmpty)
        wire.run(for: .seconds(41))
        #expect(user.eventList == [.failed(.notAuthenticated)])
    }

    @Test("an unsigned 437 has what there may be of our port deleted, once, and means nothing else")
    func unsignedMismatch() throws {
        let (wire, user, request) = try asking()
        func mismatch(_ request: STUNMessage, _ password: String?) -> [UInt8] {
            Self.answer(to: request, [.errorCode(.allocationMismatch)], .error, password: password)
        }
        let before = wire.log.count
        #expect(give(mismatch(request, "guess"), to: user, on: wire) == .handled)
        #expect(wire.log.count == before)
        #expect(give(mismatch(request, nil), to: user, on: wire) == .handled)
        #expect(wire.log.count == before + 1)
        let deletion = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        #expect(deletion.header.method == .refresh && deletion.lifetime == 0 && deletion.hasIntegrity)
        #expect(give(mismatch(deletion, nil), to: user, on: wire) == .handled)
        #expect(wire.log.count == before + 1)
        _ = give(Self.answer(to: deletion, [.lifetime(0)], password: "pass"), to: user, on: wire)
        let second = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        #expect(second.header.method == .allocate && second.hasIntegrity)
        #expect(give(mismatch(second, nil), to: user, on: wire) == .handled)
        #expect(wire.log.count == before + 2)
        #expect(user.eventList.isEmpty)
        _ = give(Self.answer(to: second, Self.success, password: "pass"), to: user, on: wire)
        #expect(user.eventList == [.allocated(relayed: Self.relayed, mapped: Self.base)])
    }

    @Test("over a stream such an answer ends the request at once")
    func streamForgery() throws {
        let (server, user) = (RelayServer(), try RelayUser(transport: .stream))
        let wire = Wire(server, user)
        user.with(wire) { $0.connected(at: $1) }
        wire.run(until: .zero + .microseconds(2_500))
        let request = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        #expect(request.hasIntegrity)
        _ = give(Self.answer(to: request, Self.success), to: user, on: wire)
        #expect(user.eventList == [.failed(.notAuthenticated)])
    }

    @Test("a success without credentials is no allocation: nobody vouches for it")
    func open() throws {
        let user = try RelayUser()
        let wire = Wire(user)
        wire.run(for: .milliseconds(1))
        let request = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        _ = give(Self.answer(to: request, Self.success), to: user, on: wire)
        #expect(user.client.relayedAddress == nil)
        wire.run(for: .seconds(41))
        #expect(user.eventList == [.failed(.notAuthenticated)])
    }

    @Test(
        "an allocation of no use is given back and not asked for again",
        arguments: [
            [.xorMappedAddress(base), .lifetime(600)],
            [.xorRelayedAddress(relayed), .lifetime(600)],
            [.xorRelayedAddress(relayed), .xorMappedAddress(base)],
            [.xorRelayedAddress(relayed), .xorMappedAddress(base), .lifetime(0)],
            [.xorRelayedAddress(address("2001:db8::1", 4000)), .xorMappedAddress(base), .lifetime(600)],
            [.xorRelayedAddress(address("0.0.0.0", 4000)), .xorMappedAddress(base), .lifetime(600)],
            [.xorRelayedAddress(address("224.0.0.1", 4000)), .xorMappedAddress(base), .lifetime(600)],
            [.xorRelayedAddress(address("198.51.100.1", 0)), .xorMappedAddress(base), .lifetime(600)],
            [.xorRelayedAddress(server), .xorMappedAddress(base), .lifetime(600)],
            [.xorRelayedAddress(base), .xorMappedAddress(base), .lifetime(600)],
        ] as [[STUNAttribute]])
    func useless(_ attributes: [STUNAttribute]) throws {
        let (wire, user, request) = try asking()
        _ = give(Self.answer(to: request, attributes, password: "pass"), to: user, on: wire)
        #expect(user.eventList.count == 1)
        #expect(
            user.eventList.allSatisfy {
                if case .failed(let failure) = $0 { failure.isPermanent } else { false }
            })
        let last = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        #expect(last.header.method == .refresh && last.lifetime == 0 && last.hasIntegrity)
        wire.run(for: .seconds(3_600))
        #expect(user.eventList.count == 1)
        #expect(user.due == .distantFuture)
    }

    @Test("what must be understood and is not makes an answer a failure")
    func unknownAttribute() throws {
        let (wire, user, request) = try asking()
        let attributes = Self.success + [.raw(STUNAttributeType(0x7001), [])]
        _ = give(Self.answer(to: request, attributes, password: "pass"), to: user, on: wire)
        #expect(user.eventList == [.failed(.unsupported)])
    }

    @Test("a lifetime of a second or of a century makes neither a storm of requests nor an allocation without end")
    func lifetimes() throws {
        for lifetime: UInt32 in [1, 25, .max] {
            let (wire, user, request) = try asking()
            let answer: [STUNAttribute] = Self.success.dropLast() + [.lifetime(lifetime)]
            _ = give(Self.answer(to: request, answer, password: "pass"), to: user, on: wire)
            let before = wire.log.count
            // An hour at most, so that the refresh is due after half of it; neither that nor the request beside it has an answer.
            wire.run(for: .seconds(lifetime == .max ? 1_850 : Int64(lifetime) + 1))
            #expect(wire.log.count - before < 400)
            #expect(user.eventList.last == .lost(.noAnswer))
        }
    }

    @Test("a server that calls every nonce stale gets four requests, then a pause", arguments: [false, true])
    func staleForEver(isNewEachTime: Bool) throws {
        let (server, user) = (RelayServer(), try RelayUser())
        let wire = Wire(server, user)
        var count = 0
        server.refuse = { $0.hasIntegrity ? .staleNonce : nil }
        server.alter = { message in
            count += 1
            guard message.errorCode?.code == 438 else { return }
            message.attributes.removeAll { $0.type == .nonce }
            message.attributes.append(.nonce(isNewEachTime ? "n\(count)" : "same"))
        }
        wire.run(for: .milliseconds(700))
        #expect(server.requests(.allocate).count == (isNewEachTime ? 5 : 3))
        #expect(user.eventList == [.failed(.notAuthenticated)])
    }

    @Test("a 401 without realm or nonce, or with demands we can't meet, is the end", arguments: [
        [], [.realm("example.org")], [.nonce("n")],
        // The nonce announces hashed user names, or a list of algorithms that is missing or lacks ours.
        [.realm("example.org"), .nonce("obMatJos2QAAAxyz")], [.realm("example.org"), .nonce("obMatJos2gAAAxyz")],
        [.realm("example.org"), .nonce("obMatJos2gAAAxyz"), .raw(.passwordAlgorithms, [0, 2, 0, 0])],
        [.realm("example.org"), .nonce("obMatJos2gAAAxyz"), .raw(.passwordAlgorithms, [0, 2, 0xFF, 0xFF, 0, 1])],
    ] as [[STUNAttribute]])
    func badChallenge(_ attributes: [STUNAttribute]) throws {
        let user = try RelayUser()
        let wire = Wire(user)
        wire.run(for: .milliseconds(1))
        let request = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        let answer = Self.answer(to: request, [.errorCode(.unauthenticated)] + attributes, .error)
        _ = give(answer, to: user, on: wire)
        wire.run(for: .seconds(100))
        #expect(user.eventList == [.failed(.unsupported)])
        #expect(wire.log.count == 1)
    }

    @Test("where the server lists algorithms, the list goes back to it and SHA-256 signs")
    func algorithms() throws {
        let user = try RelayUser()
        let wire = Wire(user)
        wire.run(for: .milliseconds(1))
        let list: [UInt8] = [0, 2, 0, 0, 0, 1, 0, 0]
        let first = try STUNMessage(try #require(wire.log.last?.packet.bytes))
        let challenge: [STUNAttribute] = [
            .errorCode(.unauthenticated), .realm("example.org"), .nonce("obMatJos2gAAAxyz"),
            .raw(.passwordAlgorithms, list),
        ]
        _ = give(Self.answer(to: first, challenge, .error), to: user, on: wire)
        let bytes = try #require(wire.log.last?.packet.bytes)
        let second = try STUNMessage(bytes)
        #expect(second.passwordAlgorithms == list)
        #expect(second.attributes.contains(.raw(.passwordAlgorithm, [0, 1, 0, 0])))
        let key = STUNMessage.longTermKey(
            username: "user", realm: "example.org", password: "pass", with: TestAuthenticator())
        #expect(STUNMessage.verify(bytes, key: key) == .sha256)
        // SHA-1 in the answer would be a bid-down.
        _ = give(Self.answer(to: second, Self.success, password: "pass"), to: user, on: wire)
        #expect(user.eventList.isEmpty)
        let message = STUNMessage(STUNHeader(.success, .allocate, second.transactionID), Self.success)
        let right = message.encoded(key: key, algorithm: .sha256, with: TestAuthenticator(), fingerprint: false)
        _ = give(right, to: user, on: wire)
        #expect(user.eventList == [.allocated(relayed: Self.relayed, mapped: Self.base)])
    }

    @Test("data counts only of peers we let in, and only on channels we asked for")
    func data() throws {
        let (server, user) = (RelayServer(), try RelayUser())
        let wire = Wire(server, user)
        wire.run(for: .seconds(1))
        user.send([1], to: Self.peer, on: wire)
        wire.run(for: .seconds(1))
        func indication(_ attributes: [STUNAttribute]) -> [UInt8] {
            STUNMessage(STUNHeader(.indication, .data, TransactionID(high: 3, low: 4)), attributes)
                .encoded(fingerprint: false)
        }
        let stranger = address("203.0.113.10", 4000)
        let right = indication([.xorPeerAddress(Self.peer), .data([5, 6])])
        #expect(give(right, to: user, on: wire) == .data(from: Self.peer, 36..<38))
        #expect(give(indication([.xorPeerAddress(Self.peer), .data([])]), to: user, on: wire) != .handled)
        let bad: [[STUNAttribute]] = [
            [], [.data([5])], [.xorPeerAddress(Self.peer)], [.xorPeerAddress(stranger), .data([5])],
            [.xorPeerAddress(address("224.0.0.1", 1)), .data([5])],
            [.xorPeerAddress(Self.peer), .raw(STUNAttributeType(0x7001), []), .data([5])],
            [.raw(.xorPeerAddress, [0, 1]), .data([5])],
        ]
        for attributes in bad { #expect(give(indication(attributes), to: user, on: wire) == .handled) }
        for number: UInt16 in [0x4000, 0x4001, 0x4FFF] {
            let bytes = [UInt8(number >> 8), UInt8(number & 0xFF), 0, 1, 7]
            #expect(give(bytes, to: user, on: wire) == .handled)
        }
        for _ in 0..<20 { user.send([1], to: Self.peer, on: wire) }
        wire.run(for: .seconds(1))
        #expect(give([0x40, 0, 0, 1, 7], to: user, on: wire) == .data(from: Self.peer, 4..<5))
        #expect(give([0x40, 0, 0, 2, 7], to: user, on: wire) == .notOurs)
        #expect(give([0x40, 0, 0], to: user, on: wire) == .notOurs)
        #expect(give([0x40, 1, 0, 1, 7], to: user, on: wire) == .handled)
        #expect(give([0x50, 0, 0, 1, 7], to: user, on: wire) == .notOurs)
    }

    @Test("ten thousand damaged messages change nothing")
    func noise() throws {
        let (server, user) = (RelayServer(), try RelayUser())
        let wire = Wire(server, user)
        wire.run(for: .seconds(1))
        for _ in 0..<20 {
            user.send([1], to: Self.peer, on: wire)
            wire.run(for: .milliseconds(10))
        }
        var random = SeededGenerator(seed: 11)
        let samples = wire.log.map(\.packet.bytes)
        for round in 0..<10_000 {
            var bytes = samples[round % samples.count]
            for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if round % 3 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
            _ = give(bytes, to: user, on: wire)
        }
        #expect(user.eventList.count == 1)
        #expect(user.client.relayedAddress != nil)
    }
}
