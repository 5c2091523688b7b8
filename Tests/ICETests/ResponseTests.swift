import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Answers to checks")
struct ResponseTests {
    /// A sharer that has sent one check, and the check.
    private func asked(seed: UInt64) throws -> (Pair, Packet, STUNMessage) {
        let pair = Pair(seed: seed)
        pair.world.tap = { _ in nil }
        pair.tell(pair.sharer, about: pair.viewer)
        let packet = try #require(pair.sharer.sent.first?.packet)
        return (pair, packet, try STUNMessage(packet.bytes))
    }

    private func deliver(
        _ answer: STUNMessage, _ pair: Pair, from source: TransportAddress = Pair.viewerSocket,
        signed: Bool = true, fingerprint: Bool = true
    ) -> Bool {
        let key = pair.viewer.agent.localCredentials.key
        let bytes =
            signed
            ? answer.encoded(key: key, with: TestAuthenticator(), fingerprint: fingerprint)
            : answer.encoded(fingerprint: fingerprint)
        return pair.world.with(pair.sharer) { agent, now in
            agent.receive(bytes, local: Pair.sharerSocket, from: source, at: now)
        }
    }

    private func state(_ pair: Pair) -> CheckedPair.State? { pair.sharer.agent.session.checklist.pairs.first?.state }

    @Test("a check carries what RFC 8445 § 7.1 demands")
    func request() throws {
        let (pair, packet, check) = try asked(seed: 101)
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        #expect(check.username == "\(theirs.ufrag):\(ours.ufrag)")
        #expect(check.priority == Candidate.priority(of: .peerReflexive, localPreference: 65_535))
        #expect(check.iceControlled == pair.sharer.agent.tieBreaker)
        #expect(check.iceControlling == nil)
        #expect(!check.usesCandidate)
        #expect(check.hasFingerprint)
        #expect(STUNMessage.verify(packet.bytes, key: theirs.key) == .sha1)
    }

    @Test("a signed answer from the right place makes the pair valid, once")
    func right() throws {
        let (pair, _, check) = try asked(seed: 102)
        let answer = STUNMessage(.success, check.transactionID, [.xorMappedAddress(Pair.sharerSocket)])
        #expect(deliver(answer, pair))
        #expect(state(pair) == .succeeded)
        #expect(!deliver(answer, pair))
        #expect(pair.sharer.agent.sendPair?.localCandidate.type == .host)
    }

    @Test("an answer from elsewhere fails the pair (RFC 8445 § 7.2.5.2.1)")
    func asymmetric() throws {
        let (pair, _, check) = try asked(seed: 103)
        let answer = STUNMessage(.success, check.transactionID, [.xorMappedAddress(Pair.sharerSocket)])
        _ = deliver(answer, pair, from: address("10.0.0.99", 1))
        #expect(state(pair) == .failed)
        #expect(pair.sharer.agent.sendPair == nil)
    }

    @Test("a 487 counts whatever its words are", arguments: ["", "Role Conflict"])
    func roleConflict(words: String) throws {
        let (pair, _, check) = try asked(seed: 110)
        #expect(deliver(STUNMessage(.error, check.transactionID, [.errorCode(STUNErrorCode(487, words))]), pair))
        #expect(pair.sharer.agent.role == .controlling)
        #expect(state(pair) != .failed)
    }

    @Test("unsigned answers of any kind, and answers without a fingerprint, are as if they never came")
    func unsigned() throws {
        let (pair, _, check) = try asked(seed: 104)
        let before = state(pair)
        let answers = [
            STUNMessage(.success, check.transactionID, [.xorMappedAddress(Pair.sharerSocket)]),
            STUNMessage(.error, check.transactionID, [.errorCode(.roleConflict)]),
            STUNMessage(.error, check.transactionID, [.errorCode(.badRequest)]),
            STUNMessage(.error, check.transactionID, [.errorCode(.unauthenticated)]),
        ]
        for answer in answers { #expect(!deliver(answer, pair, signed: false)) }
        #expect(!deliver(answers[0], pair, fingerprint: false))
        #expect(state(pair) == before)
        #expect(pair.sharer.agent.role == .controlled)
        #expect(deliver(answers[0], pair))
    }

    @Test(
        "a signed answer of no use fails the pair",
        arguments: [
            (.success, []), (.success, [.xorMappedAddress(Pair.sharerSocket), .raw(STUNAttributeType(0x7001), [])]),
            (.error, []), (.error, [.errorCode(STUNErrorCode(500))]), (.error, [.errorCode(.forbidden)]),
        ] as [(STUNClass, [STUNAttribute])])
    func useless(_ messageClass: STUNClass, _ attributes: [STUNAttribute]) throws {
        let (pair, _, check) = try asked(seed: 105)
        #expect(deliver(STUNMessage(messageClass, check.transactionID, attributes), pair))
        #expect(state(pair) == .failed)
        #expect(pair.sharer.agent.state == .running)
    }

    @Test("an answer to a check that was cancelled by the peer's own counts")
    func cancelled() throws {
        let (pair, _, check) = try asked(seed: 106)
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        let request = STUNMessage(
            .request, TransactionID(high: 9, low: 9),
            [.username("\(ours.ufrag):\(theirs.ufrag)"), .priority(1), .iceControlling(1)]
        ).encoded(key: ours.key, with: TestAuthenticator())
        pair.world.run(for: .milliseconds(10))
        pair.world.with(pair.sharer) { agent, now in
            _ = agent.receive(request, local: Pair.sharerSocket, from: Pair.viewerSocket, at: now)
        }
        // Its own answer, and a second check instead of a repetition.
        #expect(pair.sharer.sent.count == 3)
        #expect(pair.sharer.sent[2].packet.bytes[8..<20] != pair.sharer.sent[0].packet.bytes[8..<20])
        #expect(deliver(STUNMessage(.success, check.transactionID, [.xorMappedAddress(Pair.sharerSocket)]), pair))
        #expect(state(pair) == .succeeded)
    }

    @Test("an agent with something to say wants to be woken now")
    func undrained() {
        let pair = Pair(seed: 109)
        var agent = pair.sharer.agent
        #expect(agent.nextWake == .distantFuture)
        agent.setRemote(pair.viewer.agent.localCredentials, at: .zero + .seconds(1))
        #expect(agent.nextWake == .zero + .seconds(1))
        agent.addRemoteCandidate(.host(Pair.viewerSocket), at: .zero + .seconds(2))
        #expect(agent.nextWake == .zero + .seconds(2))
        while case .transmit = agent.nextOutput() {}
        #expect(agent.nextWake == .zero + .milliseconds(2_500))
    }

    @Test("every wait says why")
    func reasons() throws {
        let second = Candidate.host(address("10.0.0.8", 1024), localPreference: 1)
        let pair = Pair(seed: 107, sharer: [.host(Pair.sharerSocket), second])
        #expect(pair.sharer.agent.wake == Wake())
        pair.world.tap = { _ in nil }
        pair.tell(pair.sharer, about: pair.viewer)
        #expect(pair.sharer.agent.wake.reason == .check)
        pair.world.run(for: .milliseconds(60))
        #expect(pair.sharer.agent.wake.reason == .retransmission)
        // The last repetition that comes before ICE fails has left.
        pair.world.run(for: .milliseconds(28_900))
        #expect(pair.sharer.agent.wake.reason == .connectionLimit)
        let clean = Pair(seed: 108)
        clean.join()
        clean.world.run(for: .seconds(1))
        #expect(clean.sharer.agent.wake.reason == .consent)
    }
}
