import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Addresses that change")
struct AddressChangeTests {
    private static let publicSharer = address("198.51.100.50", 5002)

    /// A viewer behind a NAT and a sharer in public, or the other way about.
    private func connected(seed: UInt64, nattedRole: ICERole, for time: Duration = .seconds(20)) -> (Pair, NAT) {
        let nat = NAT(.v4(0xC633_6401))
        let inside = address("192.168.1.10", 5001)
        let pair = Pair(
            seed: seed, viewer: [.host(inside)], sharer: [.host(Self.publicSharer)], viewerNAT: nat,
            roles: (nattedRole, nattedRole.opposite))
        pair.world.delay = .milliseconds(10)
        pair.join(answerDelay: .milliseconds(30))
        pair.world.run(for: time)
        return (pair, nat)
    }

    @Test("the pair of an address that is gone works no more, though media may go there until its consent ends")
    func goneAddress() {
        let pair = Pair(seed: 14)
        pair.join()
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.agent.session.checklist.hasValidPair)
        pair.world.with(pair.viewer) { agent, now in agent.removeLocalCandidates(at: Pair.viewerSocket, at: now) }
        #expect(!pair.viewer.agent.session.checklist.hasValidPair && pair.viewer.agent.sendPair != nil)
    }

    @Test("the controlling side's NAT forgets: the other follows without a restart (seeds 1 to 10)", arguments: 1...10)
    func controlling(seed: Int) {
        let (pair, nat) = connected(seed: UInt64(seed), nattedRole: .controlling)
        #expect(pair.sharer.agent.sendPair?.remote == TransportAddress(ip: nat.outside, port: 61_000))
        nat.rebind()
        pair.world.run(for: .seconds(7))
        #expect(pair.sharer.agent.selectedPair?.remote == TransportAddress(ip: nat.outside, port: 61_001))
        #expect(pair.viewer.agent.selectedPair?.remote == Self.publicSharer)
        pair.world.run(for: .seconds(60))
        #expect(pair.isSelected)
        #expect(pair.sharer.count(.consentExpired) == 0)
        #expect(pair.viewer.count(.consentExpired) == 0)
    }

    @Test("so it is in the first seconds, when pairs are still chosen among")
    func early() {
        let (pair, nat) = connected(seed: 4, nattedRole: .controlling, for: .seconds(1))
        nat.rebind()
        pair.world.run(for: .milliseconds(700))
        pair.world.with(pair.viewer) { agent, now in agent.checkPath(at: now) }
        pair.world.run(for: .milliseconds(100))
        #expect(pair.sharer.agent.selectedPair?.remote == TransportAddress(ip: nat.outside, port: 61_001))
    }

    @Test("the controlled side's NAT forgets: the controlling side asks, and moves (seeds 1 to 10)", arguments: 1...10)
    func controlled(seed: Int) {
        let (pair, nat) = connected(seed: UInt64(seed), nattedRole: .controlled)
        nat.rebind()
        pair.world.run(for: .seconds(8))
        #expect(pair.sharer.agent.selectedPair?.remote == TransportAddress(ip: nat.outside, port: 61_001))
        pair.world.run(for: .seconds(60))
        #expect(pair.isSelected)
        #expect(pair.sharer.count(.consentExpired) == 0)
    }

    @Test(
        "while the selected pair lives, a check from another working address without nomination moves nothing",
        arguments: [ICERole.controlling, .controlled])
    func elsewhere(role: ICERole) throws {
        // Both have a second socket that the other was not told of.
        let sockets = [Pair.viewerSocket, Pair.sharerSocket].map { socket in
            [Candidate.host(socket), .host(TransportAddress(ip: socket.ip, port: 5099), localPreference: 1)]
        }
        let pair = Pair(seed: 71, viewer: sockets[0], sharer: sockets[1])
        pair.join(viewerLists: [sockets[0][0]], sharerLists: [sockets[1][0]])
        pair.world.run(for: .seconds(10))
        let (peer, other) = role == .controlled ? (pair.sharer, pair.viewer) : (pair.viewer, pair.sharer)
        let (ours, theirs) = (peer.agent.localCredentials, other.agent.localCredentials)
        let before = try #require(peer.agent.selectedPair)
        let source = TransportAddress(ip: before.remote.ip, port: 5099)
        let attributes: [STUNAttribute] = [
            .username("\(ours.ufrag):\(theirs.ufrag)"), .priority(.max),
            role == .controlled ? .iceControlling(1) : .iceControlled(1),
        ]
        let check = STUNMessage(.request, TransactionID(high: 1, low: 1), attributes)
        let bytes = check.encoded(key: ours.key, with: TestAuthenticator())
        pair.world.with(peer) { agent, now in _ = agent.receive(bytes, local: before.local, from: source, at: now) }
        pair.world.run(for: .milliseconds(3_900))
        let new = AddressPair(local: before.local, remote: source)
        #expect(peer.agent.session.checklist[new]?.isValid == true)
        #expect(peer.agent.selectedPair == before)
    }

    @Test("a replayed nomination from a victim's address moves no media there")
    func victim() throws {
        let pair = Pair(seed: 72)
        pair.join()
        pair.world.run(for: .seconds(10))
        let victim = address("203.0.113.66", 6666)
        let nomination = try #require(
            pair.viewer.sent.last { STUNFacts($0.packet.bytes)?.usesCandidate == true }?.packet.bytes)
        for _ in 0..<50 {
            pair.world.with(pair.sharer) { agent, now in
                _ = agent.receive(nomination, local: Pair.sharerSocket, from: victim, at: now)
            }
            pair.world.run(for: .milliseconds(100))
            #expect(pair.sharer.agent.sendPair?.remote == Pair.viewerSocket)
        }
        pair.world.run(for: .seconds(60))
        #expect(pair.sharer.agent.sendPair?.remote == Pair.viewerSocket)
    }

    @Test("when the selected pair falls silent every other is tried again, and one that works is taken")
    func lastResort() {
        let sockets = (1...3).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: UInt16(400 - $0)) }
        let pair = Pair(seed: 75, viewer: sockets, sharer: [.host(address("10.0.0.100", 5002))])
        pair.world.delay = .milliseconds(100)
        pair.join()
        pair.world.run(for: .seconds(20))
        #expect(pair.viewer.agent.selectedPair?.local == address("10.0.0.1", 5001))
        // The second best worked too, but both are gone now.
        let dead = [address("10.0.0.1", 5001), address("10.0.0.2", 5001)]
        #expect(pair.viewer.agent.session.checklist.pairs.count { $0.isValid } == 3)
        pair.world.tap = { packet in dead.contains(packet.source) || dead.contains(packet.destination) ? nil : packet }
        pair.world.run(for: .seconds(14))
        #expect(pair.viewer.agent.selectedPair?.local == address("10.0.0.3", 5001))
        #expect(pair.sharer.agent.selectedPair?.remote == address("10.0.0.3", 5001))
        pair.world.run(for: .seconds(40))
        #expect(pair.isSelected)
        #expect(pair.viewer.count(.consentExpired) + pair.sharer.count(.consentExpired) == 0)
    }

    @Test("a pair that answers no more once it is nominated keeps no other out, and is asked no more often than any other")
    func deadNominee() {
        let sockets = (1...3).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: UInt16(400 - $0)) }
        let (gone, nominee, last) = (address("10.0.0.1", 5001), address("10.0.0.2", 5001), address("10.0.0.3", 5001))
        let pair = Pair(seed: 78, viewer: sockets, sharer: [.host(address("10.0.0.100", 5002))])
        pair.world.delay = .milliseconds(100)
        pair.join()
        pair.world.run(for: .seconds(20))
        #expect(pair.viewer.agent.selectedPair?.local == gone)
        var isNominated = false
        pair.world.tap = { packet in
            if packet.source == gone || packet.destination == gone { return nil }
            guard packet.source == nominee || packet.destination == nominee else { return packet }
            if STUNFacts(packet.bytes)?.usesCandidate == true { isNominated = true }
            return isNominated ? nil : packet
        }
        pair.world.run(for: .seconds(24))
        #expect(isNominated)
        #expect(pair.viewer.agent.selectedPair?.local == last)
        #expect(pair.sharer.agent.selectedPair?.remote == last)
        // Twice seven, should it be nominated again.
        let nominations = pair.viewer.sent.count { _, packet in
            packet.source == nominee && STUNFacts(packet.bytes)?.usesCandidate == true
        }
        #expect(nominations <= 14)
        pair.world.run(for: .seconds(40))
        #expect(pair.isSelected)
        #expect(pair.viewer.count(.consentExpired) + pair.sharer.count(.consentExpired) == 0)
    }

    @Test("an address of ours goes and another comes: media follows at once", arguments: [ICERole.controlling, .controlled])
    func moved(role: ICERole) throws {
        let pair = Pair(seed: 76)
        pair.join()
        pair.world.run(for: .seconds(10))
        let peer = role == .controlling ? pair.viewer : pair.sharer
        let other = role == .controlling ? pair.sharer : pair.viewer
        let old = try #require(peer.agent.selectedPair?.local)
        let new = address("10.0.0.7", 5001)
        pair.world.tap = { packet in packet.source == old || packet.destination == old ? nil : packet }
        pair.world.with(peer) { agent, now in agent.removeLocalCandidates(at: old, at: now) }
        pair.world.with(peer) { agent, now in agent.addLocalCandidate(.host(new, localPreference: 9), at: now) }
        pair.world.run(for: .seconds(3))
        #expect(peer.agent.selectedPair?.local == new)
        #expect(other.agent.selectedPair?.remote == new)
        pair.world.run(for: .seconds(60))
        #expect(pair.isSelected)
        #expect(pair.viewer.count(.consentExpired) + pair.sharer.count(.consentExpired) == 0)
    }

    @Test("what a server sees of a socket takes the place of what it saw before, and stands beside what others see")
    func reflexive() {
        let (first, second) = (address("10.0.0.1", 5001), address("10.0.0.7", 5001))
        var agent = makeAgent(.controlled, [.host(first), .host(second, localPreference: 9)], seed: 77)
        func tell(_ port: UInt16, of base: TransportAddress, by server: UInt32) {
            let outside = address("203.0.113.1", port)
            agent.addLocalCandidate(.serverReflexive(outside, base: base, server: .v4(server)), at: .zero)
        }
        tell(2000, of: first, by: 2)
        tell(3000, of: second, by: 1)
        for port: UInt16 in 4000...4100 { tell(port, of: first, by: 1) }
        let told = agent.localCandidates.compactMap(\.address.transportAddress?.port)
        #expect(told == [5001, 5001, 2000, 3000, 4100])
    }

    @Test("where there is no more room, a socket or a relay takes the place of what a server saw, the oldest first")
    func fullList() {
        let first = address("10.0.0.1", 5001)
        var agent = makeAgent(.controlled, [.host(first)], seed: 78)
        for server: UInt32 in 1...40 {
            let outside = address("203.0.113.1", UInt16(2000 + server))
            agent.addLocalCandidate(.serverReflexive(outside, base: first, server: .v4(server)), at: .zero)
        }
        #expect(agent.localCandidates.count == Limits.localCandidates)
        let (socket, relayed) = (address("10.0.0.7", 5001), address("198.51.100.1", 50_000))
        agent.addLocalCandidate(.host(socket, localPreference: 9), at: .zero)
        agent.addLocalCandidate(.relayed(relayed, mapped: nil, server: .v4(1)), at: .zero)
        #expect(agent.localCandidates.count == Limits.localCandidates)
        #expect(agent.bases.map(\.base) == [first, socket, relayed])
        let ports = agent.localCandidates.compactMap(\.address.transportAddress?.port)
        #expect(ports.filter { $0 < 5000 } == (2003...2031).map { UInt16($0) })
    }

    @Test("a new socket of ours is checked, and takes over when the old one falls silent")
    func newInterface() {
        let (old, new) = (address("10.0.0.1", 5001), address("10.0.0.7", 5001))
        let pair = Pair(seed: 73)
        pair.join()
        pair.world.run(for: .seconds(10))
        pair.world.with(pair.viewer) { agent, now in agent.addLocalCandidate(.host(new, localPreference: 9), at: now) }
        pair.world.tap = { packet in packet.source == old || packet.destination == old ? nil : packet }
        pair.world.run(for: .seconds(14))
        #expect(pair.viewer.agent.selectedPair?.local == new)
        #expect(pair.sharer.agent.selectedPair?.remote == new)
        pair.world.run(for: .seconds(60))
        #expect(pair.isSelected)
        #expect(pair.viewer.count(.consentExpired) + pair.sharer.count(.consentExpired) == 0)
    }
}

/// Paths that carry one way alone: what leaves an old socket by a new default route is dropped, and what comes to it arrives.
extension AddressChangeTests {
    @Test(
        "so it does where the old one still hears the other side, and only what it sends gets lost",
        arguments: [ICERole.controlling, .controlled])
    func oneWay(role: ICERole) throws {
        let pair = Pair(seed: 79)
        pair.join()
        pair.world.run(for: .seconds(10))
        let (peer, other) = role == .controlling ? (pair.viewer, pair.sharer) : (pair.sharer, pair.viewer)
        let old = try #require(peer.agent.selectedPair?.local)
        let new = address("10.0.0.7", 5001)
        pair.world.with(peer) { agent, now in agent.addLocalCandidate(.host(new, localPreference: 9), at: now) }
        pair.world.tap = { $0.source == old ? nil : $0 }
        pair.world.run(for: .seconds(14))
        #expect(peer.agent.selectedPair?.local == new)
        #expect(other.agent.selectedPair?.remote == new)
        pair.world.run(for: .seconds(60))
        #expect(pair.isSelected)
        #expect(pair.viewer.count(.consentExpired) + pair.sharer.count(.consentExpired) == 0)
    }

    @Test("where the peer asks from elsewhere, the controlling side moves, though it hears the selected pair: it must answer")
    func askedOnBoth() throws {
        let sockets = [Candidate.host(Pair.sharerSocket), .host(address("10.0.0.2", 5099), localPreference: 1)]
        let pair = Pair(seed: 80, sharer: sockets)
        pair.join(sharerLists: [sockets[0]])
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.agent.selectedPair?.remote == Pair.sharerSocket)
        let (ours, theirs) = (pair.viewer.agent.localCredentials, pair.sharer.agent.localCredentials)
        func ask(_ id: UInt64, from source: TransportAddress) {
            let attributes: [STUNAttribute] = [
                .username("\(ours.ufrag):\(theirs.ufrag)"), .priority(1000), .iceControlled(1),
            ]
            let bytes = STUNMessage(.request, TransactionID(high: id, low: 1), attributes)
                .encoded(key: ours.key, with: TestAuthenticator())
            pair.world.with(pair.viewer) { agent, now in
                _ = agent.receive(bytes, local: Pair.viewerSocket, from: source, at: now)
            }
        }
        pair.world.tap = { $0.destination == Pair.sharerSocket ? nil : $0 }
        ask(1, from: address("10.0.0.2", 5099))
        pair.world.run(for: .milliseconds(300))
        ask(2, from: Pair.sharerSocket)
        #expect(pair.viewer.agent.selectedPair?.remote == Pair.sharerSocket)
        pair.world.run(for: .seconds(1))
        #expect(pair.viewer.agent.selectedPair?.remote == address("10.0.0.2", 5099))
        #expect(pair.viewer.count(.disconnected) == 0)
    }
}

/// What a packet is, if it is STUN.
struct STUNFacts {
    let usesCandidate: Bool
    let isRequest: Bool

    init?(_ bytes: [UInt8]) {
        guard let message = try? STUNMessage(bytes) else { return nil }
        usesCandidate = message.usesCandidate
        isRequest = message.messageClass == .request
    }
}
