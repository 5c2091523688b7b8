import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("Consent")
struct ConsentTests {
    /// Two agents that are connected and settled.
    private func connected(seed: UInt64) -> Pair {
        let pair = Pair(seed: seed)
        pair.join()
        pair.world.run(for: .seconds(10))
        return pair
    }

    @Test("ends 30 s after the last answer, and media stops with it (seeds 1 to 10)", arguments: 1...10)
    func expiry(seed: Int) throws {
        let pair = connected(seed: UInt64(seed))
        pair.world.loss = 1
        let silence = pair.world.now
        pair.world.run(for: .seconds(40))
        for peer in [pair.viewer, pair.sharer] {
            let ended = try #require(peer.time { $0 == .consentExpired })
            // The last answer came at most 4.2 s before the silence.
            #expect(ended - silence <= .seconds(31))
            #expect(ended - silence >= .milliseconds(25_700))
            #expect(peer.agent.sendPair == nil)
            #expect(peer.agent.state == .consentExpired)
            #expect(peer.count(.disconnected) == 1)
            #expect(peer.sent.allSatisfy { $0.at <= ended })
            #expect(peer.agent.nextWake == .distantFuture)
        }
    }

    @Test("is lost exactly 30 s after the last answer")
    func exact() throws {
        let pair = Pair(seed: 31)
        var lastAnswer = Instant.zero
        pair.world.tap = { packet in
            if packet.destination == Pair.viewerSocket, packet.bytes.first == 1 {
                if pair.world.now > .zero + .seconds(20) { return nil }
                lastAnswer = pair.world.now + pair.world.delay
            }
            return packet
        }
        pair.join()
        pair.world.run(for: .seconds(60))
        // Requests of the sharer's still arrived all the time, and were no help.
        #expect(try #require(pair.viewer.time { $0 == .consentExpired }) - lastAnswer == .seconds(30))
        #expect(try #require(pair.viewer.time { $0 == .disconnected }) - lastAnswer == .seconds(10))
        #expect(pair.viewer.count(.recovered) == 0)
    }

    @Test("checks come every 4 to 4.2 s, each once, with an ID of its own, and consent stays for an hour")
    func checks() {
        let pair = connected(seed: 32)
        let start = pair.world.now
        pair.world.run(for: .seconds(3600))
        let checks = pair.viewer.sent.filter { $0.at >= start && $0.packet.bytes[0] == 0 }
        let gaps = zip(checks, checks.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.allSatisfy { $0 >= .seconds(4) && $0 <= .milliseconds(4_200) })
        #expect(Set(gaps).count > 100)
        #expect(Set(checks.map { Array($0.packet.bytes[8..<20]) }).count == checks.count)
        #expect(pair.isSelected)
        #expect(pair.viewer.events.count == 2)
        #expect(pair.viewer.agent.roundTripTime == .milliseconds(2))
    }

    @Test("the round trip is that of a path that has become longer once two answers came by it")
    func longerPath() throws {
        let pair = connected(seed: 40)
        pair.world.run(for: .seconds(15))
        pair.world.delay = .milliseconds(50)
        pair.world.run(for: .milliseconds(4_300))
        #expect(pair.viewer.agent.roundTripTime == .milliseconds(2))
        pair.world.run(for: .milliseconds(4_300))
        for peer in [pair.viewer, pair.sharer] {
            #expect(peer.agent.roundTripTime == .milliseconds(100), "\(peer.name)")
        }
    }

    @Test("one round trip much longer or shorter than the others does not count, and of two the shorter does")
    func middle() {
        func middle(_ samples: [Int]) -> Duration? {
            var kept = RoundTripSamples()
            for sample in samples { kept.add(.milliseconds(sample)) }
            return kept.middle
        }
        #expect(middle([]) == nil)
        #expect(middle([900]) == .milliseconds(900))
        #expect(middle([900, 40]) == .milliseconds(40))
        #expect(middle([40, 900, 41]) == .milliseconds(41))
        #expect(middle([40, 42, 2]) == .milliseconds(40))
        #expect(middle([40, 40, 40, 90, 91]) == .milliseconds(90))
    }

    @Test("a check that gets lost is followed by another one second later")
    func lostCheck() throws {
        let pair = connected(seed: 38)
        var lostAt: Instant?
        pair.world.tap = { packet in
            guard lostAt == nil, packet.source == Pair.viewerSocket, packet.bytes[0] == 0 else { return packet }
            lostAt = pair.world.now
            return nil
        }
        pair.world.run(for: .seconds(6))
        let lost = try #require(lostAt)
        let next = try #require(pair.viewer.sent.first { $0.at > lost && $0.packet.bytes[0] == 0 })
        #expect(next.at - lost <= .milliseconds(1_100), "\(next.at - lost)")
    }

    @Test("in the last two seconds many checks go out, and one answer is enough")
    func lastChecks() {
        let pair = connected(seed: 39)
        let silence = pair.world.now
        pair.world.loss = 1
        pair.world.run(for: .seconds(23))
        let before = pair.viewer.sent.count
        #expect(before - pair.viewer.sent.count { $0.at < silence } < 40, "until then one a second, and the regular ones")
        pair.world.run(until: pair.world.now + .seconds(8)) { pair.viewer.count(.consentExpired) == 1 }
        #expect((15...40).contains(pair.viewer.sent.count - before))
    }

    @Test("requests, unsigned answers and answers signed with the wrong password do not renew it")
    func spoofed() {
        let pair = connected(seed: 33)
        let wrong = Array("this is not the password".utf8)
        let authenticator = TestAuthenticator()
        var forged = 0
        pair.world.tap = { packet in
            guard packet.destination == Pair.viewerSocket, packet.bytes[0] == 1 else { return packet }
            guard let answer = try? STUNMessage(packet.bytes) else { return nil }
            var packet = packet
            let message = STUNMessage(.success, answer.transactionID, [.xorMappedAddress(Pair.viewerSocket)])
            forged += 1
            packet.bytes =
                switch forged % 3 {
                case 0: message.encoded()
                case 1: message.encoded(key: wrong, with: authenticator)
                default: message.encoded(key: wrong, algorithm: .sha256, with: authenticator)
                }
            return packet
        }
        pair.world.run(for: .seconds(31))
        #expect(forged >= 4)
        #expect(pair.viewer.count(.consentExpired) == 1)
        #expect(pair.viewer.agent.sendPair == nil)
    }

    @Test("an answer from the right place to a request that was never sent does not renew it")
    func unasked() {
        let pair = connected(seed: 34)
        let key = pair.sharer.agent.localCredentials.key
        var random = SeededGenerator(seed: 34)
        pair.world.tap = { packet in packet.destination == Pair.viewerSocket && packet.bytes[0] == 1 ? nil : packet }
        for _ in 0..<31 {
            let id = TransactionID.random(using: &random)
            let answer = STUNMessage(.success, id, [.xorMappedAddress(Pair.viewerSocket)])
                .encoded(key: key, with: TestAuthenticator())
            let isTaken = pair.world.with(pair.viewer) { agent, now in
                agent.receive(answer, local: Pair.viewerSocket, from: Pair.sharerSocket, at: now)
            }
            #expect(!isTaken)
            pair.world.run(for: .seconds(1))
        }
        #expect(pair.viewer.agent.sendPair == nil)
    }

    @Test("an answer that comes after the end does not bring it back")
    func late() {
        let pair = connected(seed: 35)
        var held: [Packet] = []
        pair.world.tap = { packet in
            guard packet.destination == Pair.viewerSocket, packet.bytes[0] == 1 else { return packet }
            held.append(packet)
            return nil
        }
        // The machine slept: no timer ran, and the first thing that comes is an old answer.
        #expect(pair.world.run(until: pair.world.now + .seconds(6), or: { held.count == 1 }))
        let packet = held[0]
        var agent = pair.viewer.agent
        let isTaken = agent.receive(
            packet.bytes, local: packet.destination, from: packet.source, at: pair.world.now + .seconds(60))
        #expect(!isTaken)
        #expect(agent.sendPair == nil)
        #expect(agent.state == .consentExpired)
    }

    @Test(
        "ends at once by an authenticated 403, whatever its words, not by an unsigned one (RFC 7675 § 5.2)",
        arguments: ["", "Forbidden"])
    func revoked(words: String) {
        let pair = connected(seed: 36)
        let key = pair.sharer.agent.localCredentials.key
        var isSigned = false
        pair.world.tap = { packet in
            guard packet.destination == Pair.viewerSocket, packet.bytes[0] == 1,
                let answer = try? STUNMessage(packet.bytes)
            else { return packet }
            var packet = packet
            let message = STUNMessage(.error, answer.transactionID, [.errorCode(STUNErrorCode(403, words))])
            packet.bytes = isSigned ? message.encoded(key: key, with: TestAuthenticator()) : message.encoded()
            return packet
        }
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.count(.consentExpired) == 0)
        isSigned = true
        pair.world.run(for: .seconds(7))
        #expect(pair.viewer.count(.consentExpired) == 1)
    }

    @Test("who is heard again after a silence is asked at once, and has a second to answer before another pair takes over")
    func heardAgain() {
        func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
        var consent = Consent(answeredAt: .zero, interval: .seconds(4), isReliable: false)
        consent.checked(at: at(9_900), interval: .seconds(4))
        consent.fellSilent()
        #expect(consent.isUnheard && consent.mayBeLeft(at: at(10_000)))
        consent.heard(at: at(11_000))
        #expect(consent.isSilent && !consent.isUnheard)
        #expect(consent.nextCheck == at(11_000))
        consent.heard(at: at(11_900))
        #expect(!consent.mayBeLeft(at: at(11_999)))
        #expect(consent.mayBeLeft(at: at(12_000)))
        let (first, second) = (consent.answered(at: at(12_100)), consent.answered(at: at(12_200)))
        #expect(first && !second)
        #expect(!consent.isSilent && !consent.mayBeLeft(at: at(12_200)))
    }

    @Test("who is heard between two questions has left none of them without a sign")
    func heardBetween() {
        func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
        var consent = Consent(answeredAt: .zero, interval: .seconds(4), isReliable: false)
        consent.asked(at: at(4))
        consent.asked(at: at(5))
        #expect(consent.askedSince == at(4))
        consent.heard(at: at(6))
        #expect(consent.askedSince == nil)
        consent.asked(at: at(8))
        #expect(consent.askedSince == at(8))
    }

    @Test("a blackout of 15 s is reported and survived")
    func blackout() {
        let pair = connected(seed: 37)
        pair.world.loss = 1
        pair.world.run(for: .seconds(15))
        #expect(pair.viewer.count(.disconnected) == 1)
        #expect(pair.viewer.agent.sendPair != nil)
        pair.world.loss = 0
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.count(.recovered) == 1)
        #expect(pair.sharer.count(.recovered) == 1)
        #expect(pair.isSelected)
    }
}
