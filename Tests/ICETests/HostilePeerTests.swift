import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("Hostile peers and strangers")
struct HostilePeerTests {
    private let stranger = address("203.0.113.5", 4444)

    private func request(
        _ username: String, key: [UInt8]?, extra: [STUNAttribute] = [], fingerprint: Bool = true
    ) -> [UInt8] {
        let attributes: [STUNAttribute] = [
            .username(username), .priority(.max), .iceControlling(.max), .useCandidate,
        ]
        let message = STUNMessage(.request, TransactionID(high: 1, low: 2), attributes + extra)
        guard let key else { return message.encoded(fingerprint: fingerprint) }
        return message.encoded(key: key, with: TestAuthenticator(), fingerprint: fingerprint)
    }

    private func deliver(_ bytes: [UInt8], to peer: Peer, in world: World) -> Bool {
        world.with(peer) { agent, now in
            agent.receive(bytes, local: Pair.sharerSocket, from: stranger, at: now)
        }
    }

    // MARK: Strangers

    @Test("ten thousand forged checks change nothing, and what goes back is no more than what came")
    func forged() {
        let pair = Pair(seed: 81)
        pair.tell(pair.sharer, about: pair.viewer, [])
        let ours = pair.sharer.agent.localCredentials
        let forgeries = [
            request("\(ours.ufrag):evil", key: Array("guess".utf8)), request("\(ours.ufrag):evil", key: nil),
            request("nobody:evil", key: ours.key), request("no colon", key: ours.key),
            request(":", key: ours.key), request("\(ours.ufrag):evil", key: ours.key, fingerprint: false),
            STUNMessage(.request, TransactionID(high: 3, low: 4)).encoded(),
            STUNMessage(.indication, TransactionID(high: 3, low: 4)).encoded(),
            STUNMessage(.success, TransactionID(high: 3, low: 4), [.xorMappedAddress(stranger)]).encoded(),
            [0, 1, 0, 0],
        ]
        var bytesIn = 0
        for index in 0..<10_000 {
            let bytes = forgeries[index % forgeries.count]
            bytesIn += bytes.count
            #expect(!deliver(bytes, to: pair.sharer, in: pair.world))
            if index % 100 == 0 { pair.world.run(for: .milliseconds(10)) }
        }
        let agent = pair.sharer.agent
        #expect(agent.session.checklist.pairs.isEmpty)
        #expect(agent.session.candidates.all.isEmpty)
        #expect(agent.role == .controlled)
        #expect(pair.sharer.events.isEmpty)
        // One answer in 50 ms at most, during one second.
        #expect(pair.sharer.sent.count <= 21)
        #expect(pair.sharer.sentBytes(to: stranger) * 100 < bytesIn)
        #expect(pair.sharer.sent.allSatisfy { $0.packet.bytes.count <= 44 })
    }

    @Test("a stranger is told 400 or 401, unsigned; never more bytes than it sent")
    func refusals() throws {
        let pair = Pair(seed: 82)
        let ours = pair.sharer.agent.localCredentials
        let cases: [(bytes: [UInt8], code: UInt16?)] = [
            (request("\(ours.ufrag):evil", key: [1]), 401), (request("else:evil", key: ours.key), 401),
            (request("\(ours.ufrag):evil", key: nil), 400),
            (STUNMessage(.request, TransactionID(high: 3, low: 4)).encoded(), nil),
        ]
        for (bytes, code) in cases {
            let before = pair.sharer.sent.count
            #expect(!deliver(bytes, to: pair.sharer, in: pair.world))
            let reply = pair.sharer.sent.dropFirst(before).first?.packet.bytes
            let message = try reply.map { try STUNMessage($0) }
            #expect(message?.errorCode?.code == code)
            #expect(message?.hasIntegrity != true)
            #expect((reply?.count ?? 0) <= bytes.count)
            pair.world.run(for: .milliseconds(60))
        }
    }

    // MARK: Peers

    @Test("an authenticated check with an attribute nobody knows is told which, by a signed 420")
    func unknownAttribute() throws {
        let pair = Pair(seed: 83)
        pair.tell(pair.sharer, about: pair.viewer, [])
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        let bytes = request(
            "\(ours.ufrag):\(theirs.ufrag)", key: ours.key, extra: [.raw(STUNAttributeType(0x7001), [1])])
        #expect(deliver(bytes, to: pair.sharer, in: pair.world))
        let reply = try #require(pair.sharer.sent.first?.packet.bytes)
        let message = try STUNMessage(reply)
        #expect(message.errorCode?.code == 420)
        #expect(message.attributes.contains(.unknownAttributes([0x7001])))
        #expect(isProved(reply, ours.key))
        #expect(pair.sharer.agent.session.candidates.all.isEmpty)
    }

    @Test("a check signed with SHA-256 is answered with SHA-256 (RFC 8489 § 9.1.3)")
    func sha256() throws {
        let pair = Pair(seed: 84)
        let ours = pair.sharer.agent.localCredentials
        let message = STUNMessage(
            .request, TransactionID(high: 1, low: 2),
            [.username("\(ours.ufrag):peer"), .priority(1), .iceControlling(1)])
        let bytes = message.encoded(key: ours.key, algorithm: .sha256, with: TestAuthenticator())
        #expect(deliver(bytes, to: pair.sharer, in: pair.world))
        let reply = try #require(pair.sharer.sent.first?.packet.bytes)
        #expect(STUNFacts(reply)?.isRequest == false)
        #expect(isProved(reply, ours.key, .sha256))
    }

    private func isProved(_ bytes: [UInt8], _ key: [UInt8], _ algorithm: IntegrityAlgorithm = .sha1) -> Bool {
        STUNMessage.verify(bytes, key: key) == algorithm
    }

    @Test("a flood of candidates is cut to 32 candidates and 64 pairs, and costs each address few bytes")
    func flood() {
        let bases = (1...4).map { Candidate.host(address("10.0.0.\($0)", 5002), localPreference: UInt16($0)) }
        let pair = Pair(seed: 85, sharer: bases)
        pair.tell(pair.sharer, about: pair.viewer, [])
        var outcomes: [CandidateOutcome: Int] = [:]
        for index in 0..<1000 {
            let listed = Candidate.host(address("10.1.\(index / 200).\(index % 200 + 1)", 7000))
            let outcome = pair.world.with(pair.sharer) { agent, now in agent.addRemoteCandidate(listed, at: now) }
            outcomes[outcome, default: 0] += 1
        }
        #expect(outcomes == [.accepted: 32, .tooMany: 968])
        #expect(pair.sharer.agent.session.checklist.pairs.count == 64)
        pair.world.run(for: .seconds(40))
        let bytes = Dictionary(grouping: pair.sharer.sent, by: \.packet.destination)
            .mapValues { $0.map(\.packet.bytes.count).reduce(0, +) }
        #expect(bytes.count <= 32)
        #expect(bytes.values.allSatisfy { $0 <= 4 * 7 * 120 })
        #expect(pair.sharer.count(.failed) == 1)
    }

    @Test("a flood of listed addresses does not shut out the one that works")
    func crowdedOut() {
        let pair = Pair(seed: 86)
        let dead = (0..<40).map { Candidate.host(address("10.1.1.\($0 + 1)", 7000)) }
        pair.join(answerDelay: .milliseconds(10), viewerLists: dead)
        #expect(pair.world.run(until: .zero + .milliseconds(100)) { pair.isSelected })
        #expect(pair.pairsMatch)
        #expect(pair.sharer.agent.session.candidates[Pair.viewerSocket]?.type == .peerReflexive)
        #expect(pair.sharer.agent.session.candidates.all.count == Limits.remoteCandidates)
    }

    @Test(
        "nobody is sent a check at an address that cannot be a peer's",
        arguments: [
            ("0.0.0.0", 5000), ("0.1.2.3", 5000), ("255.255.255.255", 5000), ("224.0.0.251", 5353), ("239.1.1.1", 5000),
            ("240.0.0.1", 5000), ("::", 5000), ("ff02::fb", 5353), ("::ffff:10.0.0.1", 5000), ("::10.0.0.1", 5000),
            ("10.0.0.9", 0), ("10.0.0.9", 22), ("10.0.0.9", 80), ("192.168.1.1", 443), ("203.0.113.9", 53),
        ] as [(String, UInt16)])
    func filtered(_ ip: String, _ port: UInt16) {
        let sockets = [Candidate.host(Pair.sharerSocket), .host(address("2001:db8::2", 5002), localPreference: 1)]
        let pair = Pair(seed: 87, sharer: sockets)
        pair.tell(pair.sharer, about: pair.viewer, [])
        let listed = Candidate.host(address(ip, port))
        #expect(pair.world.with(pair.sharer) { agent, now in agent.addRemoteCandidate(listed, at: now) } == .filtered)
        pair.world.run(for: .seconds(2))
        #expect(pair.sharer.sent.isEmpty)
    }

    @Test(
        "loopback, link-local and our own sockets are not paired with a socket outside",
        arguments: [("127.0.0.1", 5000), ("::1", 5000), ("169.254.7.7", 5000), ("fe80::1", 5000), ("10.0.0.2", 5002)]
            as [(String, UInt16)])
    func notPaired(_ ip: String, _ port: UInt16) {
        let sockets = [Candidate.host(Pair.sharerSocket), .host(address("2001:db8::2", 5002), localPreference: 1)]
        let pair = Pair(seed: 88, sharer: sockets)
        pair.tell(pair.sharer, about: pair.viewer, [.host(address(ip, port))])
        pair.world.run(for: .seconds(2))
        #expect(pair.sharer.sent.isEmpty)
        #expect(pair.sharer.agent.session.checklist.pairs.isEmpty)
    }

    @Test("public web ports and loopback among itself are allowed")
    func allowed() {
        let web = Candidate.host(address("203.0.113.9", 443))
        let loopback = Candidate.host(address("127.0.0.1", 5002), localPreference: 1)
        let pair = Pair(seed: 89, sharer: [.host(Pair.sharerSocket), loopback])
        pair.tell(pair.sharer, about: pair.viewer, [web, .host(address("127.0.0.1", 6000))])
        pair.world.run(for: .milliseconds(200))
        let destinations = Set(pair.sharer.sent.map(\.packet.destination))
        #expect(destinations == [address("203.0.113.9", 443), address("127.0.0.1", 6000)])
    }

    @Test("checks before the answer are remembered within bounds, the newest")
    func earlyFlood() {
        let pair = Pair(seed: 90)
        let ours = pair.viewer.agent.localCredentials
        let theirs = pair.sharer.agent.localCredentials
        for index in 0..<200 {
            let bytes = request("\(ours.ufrag):\(theirs.ufrag)", key: ours.key)
            pair.world.with(pair.viewer) { agent, now in
                _ = agent.receive(
                    bytes, local: Pair.viewerSocket, from: address("10.2.0.\(index + 1)", 7000), at: now)
            }
        }
        #expect(pair.viewer.agent.session.earlyChecks.count == Limits.earlyChecks)
        pair.tell(pair.viewer, about: pair.sharer, [])
        #expect(pair.viewer.agent.session.candidates.all.count == Limits.earlyChecks)
    }

    @Test("authenticated checks from everywhere never grow the lists beyond their bounds")
    func reflexiveFlood() {
        let pair = Pair(seed: 91)
        pair.join()
        pair.world.run(for: .milliseconds(50))
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        for index in 0..<2000 {
            let bytes = request("\(ours.ufrag):\(theirs.ufrag)", key: ours.key)
            pair.world.with(pair.sharer) { agent, now in
                _ = agent.receive(
                    bytes, local: Pair.sharerSocket, from: address("10.3.\(index / 250).\(index % 250 + 1)", 7000),
                    at: now)
            }
            pair.world.run(for: .milliseconds(2))
        }
        let agent = pair.sharer.agent
        #expect(agent.session.candidates.all.count <= Limits.remoteCandidates)
        #expect(agent.session.checklist.pairs.count <= Limits.pairs)
        #expect(agent.session.checklist.triggered.count <= Limits.pairs)
        #expect(agent.transactions.count <= Limits.transactions)
        #expect(agent.sendPair?.remote == Pair.viewerSocket)
    }

    @Test("a peer that signs nonsense gets answers and no more (20,000 messages, seed 487)")
    func signedNonsense() {
        let pair = Pair(seed: 92)
        pair.join()
        pair.world.run(for: .milliseconds(50))
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        var random = SeededGenerator(seed: 487)
        let types: [UInt16] = [
            1, 6, 8, 9, 0xA, 0x14, 0x15, 0x1C, 0x20, 0x24, 0x25, 0x8022, 0x8023, 0x8029, 0x802A, 0xC057, 0x7ABC,
        ]
        for index in 0..<20_000 {
            var attributes = [STUNAttribute.username("\(ours.ufrag):\(theirs.ufrag)")]
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let type = types[Int.random(in: 0..<types.count, using: &random)]
                let value = (0..<[0, 1, 4, 8, 20, 40][Int.random(in: 0..<6, using: &random)]).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                attributes.append(.raw(STUNAttributeType(type), value))
            }
            let kinds: [STUNClass] = [.request, .request, .request, .success, .error, .indication]
            let message = STUNMessage(
                kinds[Int.random(in: 0..<6, using: &random)], .random(using: &random), attributes)
            let bytes = message.encoded(key: ours.key, with: TestAuthenticator())
            let source = index % 3 == 0 ? stranger : Pair.viewerSocket
            pair.world.with(pair.sharer) { agent, now in
                _ = agent.receive(bytes, local: Pair.sharerSocket, from: source, at: now)
            }
            if index % 20 == 0 { pair.world.run(for: .milliseconds(1)) }
        }
        #expect(pair.sharer.agent.session.checklist.pairs.count <= 2)
        #expect(pair.sharer.agent.sendPair?.remote == Pair.viewerSocket)
        #expect(pair.sharer.agent.transactions.count <= Limits.transactions)
        pair.world.run(for: .seconds(60))
        #expect(pair.pairsMatch)
    }

    @Test("the fragment is read from requests only, without trust")
    func fragment() {
        let bytes = request("mine:theirs", key: nil)
        #expect(fragment(of: bytes) == "mine")
        #expect(fragment(of: request("no", key: nil)) == nil)
        #expect(fragment(of: request("a:b:c", key: nil)) == nil)
        #expect(fragment(of: Vectors.responseV4) == nil)
        #expect(fragment(of: Vectors.request) == "evtj")
        #expect(fragment(of: []) == nil)
    }

    private func fragment(of bytes: [UInt8]) -> String? { ICEAgent.localUfrag(of: bytes) }
}
