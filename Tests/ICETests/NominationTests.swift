import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Nomination")
struct NominationTests {
    private static let host = address("10.0.0.9", 7000)
    private static let mapped = address("203.0.113.9", 7000)

    /// A viewer that is asked to choose between a host and a server-reflexive candidate of the sharer, each reachable.
    private func choice(hostDelay: Duration, seed: UInt64) -> Pair {
        let sharer = [Candidate.host(Self.host), .host(Self.mapped, localPreference: 10)]
        let pair = Pair(seed: seed, sharer: sharer)
        pair.world.tap = { packet in
            let isHost = packet.source == Self.host || packet.destination == Self.host
            return isHost && pair.world.now < .zero + hostDelay ? nil : packet
        }
        var reflexive = Candidate.serverReflexive(Self.mapped, base: Self.host, server: .v4(1))
        reflexive.base = nil
        pair.tell(pair.sharer, about: pair.viewer, [])
        pair.tell(pair.viewer, about: pair.sharer, [.host(Self.host), reflexive])
        return pair
    }

    @Test("a direct pair is nominated at once")
    func direct() throws {
        let pair = choice(hostDelay: .zero, seed: 61)
        pair.world.run(for: .milliseconds(30))
        #expect(pair.viewer.agent.selectedPair?.remote == Self.host)
        #expect(try #require(pair.viewer.selectedAt) - .zero <= .milliseconds(10))
    }

    @Test("a lesser pair is nominated after 100 ms, media flows on it before")
    func lesser() throws {
        let pair = choice(hostDelay: .seconds(100), seed: 62)
        pair.world.run(for: .milliseconds(300))
        let (valid, selected) = (try #require(pair.viewer.validAt), try #require(pair.viewer.selectedAt))
        #expect(valid - .zero <= .milliseconds(60))
        #expect(selected - valid >= .milliseconds(100))
        #expect(selected - valid <= .milliseconds(110))
        #expect(pair.viewer.agent.selectedPair?.remote == Self.mapped)
        #expect(pair.sharer.agent.selectedPair?.local == Self.mapped)
    }

    @Test("the only type there is, is nominated at once when the list is complete")
    func onlyOne() throws {
        let pair = Pair(seed: 63, sharer: [.host(Self.mapped)])
        var reflexive = Candidate.serverReflexive(Self.mapped, base: Self.host, server: .v4(1))
        reflexive.base = nil
        pair.tell(pair.sharer, about: pair.viewer, [])
        pair.tell(pair.viewer, about: pair.sharer, [reflexive])
        pair.world.run(for: .milliseconds(30))
        #expect(try #require(pair.viewer.selectedAt) - .zero <= .milliseconds(10))
    }

    @Test("a better pair that comes within three seconds takes over on both sides, without a gap")
    func renominated() {
        let pair = choice(hostDelay: .milliseconds(800), seed: 64)
        pair.world.run(for: .seconds(3))
        #expect(pair.viewer.agent.selectedPair?.remote == Self.host)
        #expect(pair.sharer.agent.selectedPair?.local == Self.host)
        #expect(pair.pairsMatch)
        pair.world.run(for: .seconds(60))
        #expect(pair.pairsMatch)
        #expect(pair.viewer.count(.disconnected) + pair.sharer.count(.disconnected) == 0)
    }

    @Test("after that the choice stays")
    func settled() {
        let pair = choice(hostDelay: .seconds(5), seed: 65)
        pair.world.run(for: .seconds(60))
        #expect(pair.viewer.agent.selectedPair?.remote == Self.mapped)
        #expect(pair.pairsMatch)
    }

    @Test("a pair whose socket is gone is not nominated, though it was the best one: another is, as soon")
    func goneSocket() {
        let sockets = (1...2).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: UInt16(400 - $0)) }
        let (gone, other) = (address("10.0.0.1", 5001), address("10.0.0.2", 5001))
        let pair = Pair(seed: 70, viewer: sockets, sharer: [.host(Self.mapped)])
        var reflexive = Candidate.serverReflexive(Self.mapped, base: Self.host, server: .v4(1))
        reflexive.base = nil
        pair.tell(pair.sharer, about: pair.viewer, [])
        // There may be a better one to come, so it waits for 100 ms.
        pair.tell(pair.viewer, about: pair.sharer, [reflexive], false)
        pair.world.run(for: .milliseconds(90))
        #expect(pair.viewer.agent.session.checklist.pairs.count { $0.isValid } == 2)
        #expect(pair.viewer.agent.sendPair?.local == gone)
        #expect(pair.viewer.agent.selectedPair == nil)
        pair.world.tap = { packet in packet.source == gone || packet.destination == gone ? nil : packet }
        pair.world.with(pair.viewer) { agent, now in agent.removeLocalCandidates(at: gone, at: now) }
        pair.world.run(for: .milliseconds(100))
        #expect(pair.viewer.agent.selectedPair?.local == other)
        #expect(pair.sharer.agent.selectedPair?.remote == other)
    }

    @Test("a challenger that has failed meanwhile does not take over")
    func failedChallenger() {
        let sockets = (1...2).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: UInt16(400 - $0)) }
        let sharer = address("10.0.0.100", 5002)
        let pair = Pair(seed: 76, viewer: sockets, sharer: [.host(sharer)])
        pair.join()
        pair.world.run(for: .seconds(10))
        let used = pair.viewer.agent.selectedPair?.local
        let places = (1...2).map { AddressPair(local: address("10.0.0.\($0)", 5001), remote: sharer) }
        let other = used == places[0].local ? places[1] : places[0]
        pair.world.tap = { _ in nil }
        pair.world.with(pair.viewer) { agent, now in
            agent.session.nomination.challenge = Nomination.Challenge(pair: other, startedAt: now)
            agent.session.checklist.update(other) { $0.state = .failed }
        }
        pair.world.run(for: .seconds(5))
        let nomination = pair.viewer.agent.session.nomination
        #expect(nomination.challenge == nil && nomination.pending == nil)
    }

    @Test("no more checks go to other pairs once one is selected")
    func quiet() {
        let dead = (0..<10).map { Candidate.host(address("10.0.5.\($0 + 1)", 7000), localPreference: UInt16($0)) }
        let pair = Pair(seed: 66)
        pair.join(
            viewerLists: pair.viewer.agent.localCandidates + dead,
            sharerLists: pair.sharer.agent.localCandidates + dead)
        pair.world.run(for: .milliseconds(100))
        #expect(pair.isSelected)
        let (viewer, sharer) = (pair.viewer.sent.count, pair.sharer.sent.count)
        pair.world.run(for: .seconds(3))
        #expect(pair.viewer.sent.count == viewer)
        #expect(pair.sharer.sent.count == sharer)
    }

    // MARK: The controlled side

    /// A check as the controlling viewer would send it.
    private func check(_ pair: Pair, _ id: UInt64, priority: UInt32, nominates: Bool) -> [UInt8] {
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        var attributes: [STUNAttribute] = [
            .username("\(ours.ufrag):\(theirs.ufrag)"), .priority(priority), .iceControlling(.max),
        ]
        if nominates { attributes.append(.useCandidate) }
        return STUNMessage(.request, TransactionID(high: id, low: 0), attributes)
            .encoded(key: ours.key, with: TestAuthenticator())
    }

    @Test("of a peer that nominates everything, the pair of highest priority is used (RFC 8445 § 8.1.1)")
    func aggressive() {
        let sockets = (1...3).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: 100 * $0) }
        let sharer = address("10.0.0.100", 5002)
        let pair = Pair(seed: 67, viewer: sockets, sharer: [.host(sharer)])
        pair.tell(pair.sharer, about: pair.viewer)
        // The viewer only answers; its nominations are written here, the best one in the middle.
        for (id, socket) in [(1, 1), (2, 3), (3, 2)] {
            let bytes = check(pair, UInt64(id), priority: UInt32(1000 * socket), nominates: true)
            pair.world.send(
                Packet(bytes: bytes, source: address("10.0.0.\(socket)", 5001), destination: sharer))
            pair.world.run(for: .milliseconds(20))
        }
        pair.world.run(for: .milliseconds(300))
        #expect(pair.sharer.agent.selectedPair?.remote == address("10.0.0.3", 5001))
    }

    @Test("a nomination counts only when our own check of the pair was answered")
    func unanswered() {
        let pair = Pair(seed: 68)
        pair.tell(pair.sharer, about: pair.viewer, [])
        let bytes = check(pair, 1, priority: 1000, nominates: true)
        pair.world.send(Packet(bytes: bytes, source: address("10.0.7.7", 777), destination: Pair.sharerSocket))
        pair.world.run(for: .seconds(20))
        #expect(pair.sharer.agent.sendPair == nil)
        #expect(pair.sharer.events.isEmpty)
        #expect(pair.sharer.sentBytes(to: address("10.0.7.7", 777)) > 0)
    }

    /// A sharer that has checked a viewer's sockets, of which it likes the last best.
    private func checked(seed: UInt64, _ sockets: [TransportAddress], by sharer: TransportAddress) -> Pair {
        let viewer = sockets.enumerated().map { Candidate.host($1, localPreference: UInt16(100 * ($0 + 1))) }
        let pair = Pair(seed: seed, viewer: viewer, sharer: [.host(sharer)])
        pair.tell(pair.sharer, about: pair.viewer)
        pair.world.run(for: .milliseconds(100))
        return pair
    }

    @Test("what was nominated before, and is only checked again in a silence that is over by now, is not gone back to")
    func silenceOver() {
        let (first, second) = (address("10.0.0.1", 5001), address("10.0.0.2", 5001))
        let sharer = address("10.0.0.100", 5002)
        let pair = checked(seed: 71, [first, second], by: sharer)
        for (id, socket) in [(1, first), (2, second)] {
            let nomination = check(pair, UInt64(id), priority: 9, nominates: true)
            pair.world.send(Packet(bytes: nomination, source: socket, destination: sharer))
            pair.world.run(for: .milliseconds(20))
        }
        pair.world.run(for: .seconds(10))
        pair.world.send(
            Packet(bytes: check(pair, 3, priority: 9, nominates: true), source: second, destination: sharer))
        pair.world.run(for: .seconds(10))
        #expect(pair.sharer.agent.selectedPair?.remote == second)
        pair.world.tap = { _ in nil }
        #expect(pair.world.run(until: pair.world.now + .seconds(20), or: { pair.sharer.count(.disconnected) == 1 }))
        // The pair in use is the first to be heard.
        pair.world.tap = { packet in packet.source == first || packet.destination == first ? nil : packet }
        #expect(pair.world.run(until: pair.world.now + .seconds(5), or: { pair.sharer.count(.recovered) == 1 }))
        let older = AddressPair(local: sharer, remote: first)
        #expect(pair.sharer.agent.session.checklist[older]?.isInProgress == true)
        pair.world.tap = { $0 }
        pair.world.run(for: .seconds(5))
        #expect(pair.sharer.agent.session.checklist[older]?.isValid == true)
        #expect(pair.sharer.agent.selectedPair?.remote == second)
    }

    @Test("a pair that is nominated later has its round trip at once, from when it was checked beside the one in use")
    func roundTrip() throws {
        let (first, second) = (address("10.0.0.1", 5001), address("10.0.0.2", 5001))
        let sharer = address("10.0.0.100", 5002)
        let pair = checked(seed: 74, [first, second], by: sharer)
        let used = try #require(pair.sharer.agent.sendPair?.remote)
        let other = used == first ? second : first
        pair.world.send(
            Packet(bytes: check(pair, 1, priority: 9, nominates: true), source: other, destination: sharer))
        pair.world.run(for: .milliseconds(20))
        #expect(pair.sharer.agent.selectedPair?.remote == other)
        #expect(pair.sharer.agent.roundTripTime == .milliseconds(2))
    }

    @Test("a nomination of a pair that once worked counts only when it works still")
    func stale() {
        let sockets = (1...2).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: 100 * $0) }
        let (first, second) = (address("10.0.0.1", 5001), address("10.0.0.2", 5001))
        let sharer = address("10.0.0.100", 5002)
        let pair = Pair(seed: 69, viewer: sockets, sharer: [.host(sharer)])
        pair.tell(pair.sharer, about: pair.viewer)
        pair.world.run(for: .milliseconds(100))
        pair.world.send(
            Packet(bytes: check(pair, 1, priority: 9, nominates: true), source: second, destination: sharer))
        pair.world.run(for: .seconds(20))
        #expect(pair.sharer.agent.session.checklist.pairs.count { $0.isValid } == 2)
        #expect(pair.sharer.agent.selectedPair?.remote == second)
        let nomination = Packet(bytes: check(pair, 2, priority: 9, nominates: true), source: first, destination: sharer)
        pair.world.tap = { packet in packet.destination == first ? nil : packet }
        pair.world.send(nomination)
        pair.world.run(for: .seconds(5))
        #expect(pair.sharer.agent.selectedPair?.remote == second)
        pair.world.tap = { $0 }
        pair.world.send(nomination)
        pair.world.run(for: .milliseconds(50))
        #expect(pair.sharer.agent.selectedPair?.remote == first)
        // Browsers keep a pair that they do not use alive so.
        pair.world.send(
            Packet(bytes: check(pair, 3, priority: 9, nominates: false), source: second, destination: sharer))
        pair.world.run(for: .seconds(1))
        #expect(pair.sharer.agent.selectedPair?.remote == first)
    }
}
