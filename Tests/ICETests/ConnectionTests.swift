import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Two agents connect")
struct ConnectionTests {
    @Test("of many pairs each is checked once before any check is repeated (RFC 8445 § 14.3)")
    func manyPairs() {
        let pair = Pair(seed: 12)
        let silent = (1...30).map { Candidate.host(address("10.0.5.\($0)", 7000)) }
        pair.tell(pair.viewer, about: pair.sharer, silent)
        pair.world.run(for: .milliseconds(1_400))
        let asked = pair.viewer.sent.map(\.packet.destination)
        #expect(asked.count > 20 && Set(asked).count == asked.count, "\(asked.count)")
    }

    @Test("on a clean link of 1 ms both have a valid pair in 5 ms and the same selected pair in 20 ms")
    func clean() throws {
        let pair = Pair(seed: 1)
        pair.join()
        #expect(pair.world.run(until: .zero + .milliseconds(60)) { pair.isSelected })
        for peer in [pair.viewer, pair.sharer] {
            let (valid, selected) = (try #require(peer.validAt), try #require(peer.selectedAt))
            #expect(valid - .zero <= .milliseconds(5), "\(peer.name)")
            #expect(selected - .zero <= .milliseconds(20), "\(peer.name)")
        }
        #expect(pair.pairsMatch)
        #expect(pair.viewer.agent.role == .controlling)
        #expect(pair.sharer.agent.role == .controlled)
        #expect(pair.viewer.agent.sendPair?.remoteCandidate.type == .host)
    }

    @Test("the first check leaves in the call that brings the candidate")
    func firstCheck() {
        let pair = Pair(seed: 2)
        pair.world.with(pair.sharer) { agent, now in
            agent.setRemote(pair.viewer.agent.localCredentials, at: now)
            agent.addRemoteCandidate(.host(Pair.viewerSocket), at: now)
        }
        #expect(pair.sharer.sent.map(\.at) == [.zero])
    }

    @Test("checks that come before the answer are answered, and followed up when it comes")
    func lateAnswer() throws {
        let pair = Pair(seed: 3)
        pair.join(answerDelay: .milliseconds(200), sharerLists: [])
        #expect(pair.sharer.validAt.map { $0 - .zero <= .milliseconds(5) } == true)
        #expect(pair.viewer.agent.sendPair == nil)
        #expect(pair.world.run(until: .zero + .milliseconds(230)) { pair.isSelected })
        // The viewer was told no candidate: it knows the sharer's address from the check alone.
        #expect(pair.viewer.agent.sendPair?.remoteCandidate.type == .peerReflexive)
        #expect(pair.pairsMatch)
    }

    @Test("a viewer with nothing but mDNS names connects by its own checks")
    func mDNS() {
        let pair = Pair(seed: 4)
        let name = CandidateAddress.mdns(name: "3f2504e0-4f89-11d3-9a0c-0305e82c3301.local", port: 5001)
        let hidden = Candidate(foundation: "1", priority: 2_113_937_151, address: name, type: .host)
        let outcome = pair.world.with(pair.sharer) { agent, now in agent.addRemoteCandidate(hidden, at: now) }
        #expect(outcome == .unresolvable)
        pair.join(answerDelay: .milliseconds(30), viewerLists: [hidden])
        #expect(pair.world.run(until: .zero + .milliseconds(100)) { pair.isSelected })
        #expect(pair.sharer.agent.sendPair?.remoteCandidate.type == .peerReflexive)
        #expect(pair.pairsMatch)
    }

    @Test("trickled candidates are checked when they come, in any order with the credentials")
    func trickle() {
        let pair = Pair(seed: 5)
        pair.world.with(pair.sharer) { agent, now in
            agent.addRemoteCandidate(.host(Pair.viewerSocket), at: now)
        }
        #expect(pair.sharer.sent.isEmpty)
        pair.world.run(for: .seconds(2))
        pair.join(answerDelay: .seconds(3), viewerLists: [], sharerLists: [], complete: false)
        #expect(pair.world.run(until: .zero + .milliseconds(5_200)) { pair.isSelected })
    }

    @Test("candidates of TCP that connect, of another component or of another session are not used")
    func unsupported() throws {
        var pair = Pair(seed: 6)
        func outcome(_ line: String) throws -> CandidateOutcome {
            let candidate = try Candidate(line)
            return pair.world.with(pair.sharer) { agent, now in agent.addRemoteCandidate(candidate, at: now) }
        }
        pair = Pair(seed: 6)
        pair.tell(pair.sharer, about: pair.viewer, [])
        #expect(try outcome("candidate:1 1 tcp 1 10.0.0.1 5001 typ host tcptype active") == .unsupported)
        #expect(try outcome("candidate:1 2 udp 1 10.0.0.1 5001 typ host") == .unsupported)
        #expect(try outcome("candidate:1 1 udp 1 10.0.0.1 5001 typ host ufrag old0") == .unsupported)
        pair.world.run(for: .seconds(5))
        #expect(pair.sharer.sent.isEmpty)
    }

    @Test("a mix of IPv4 and IPv6 pairs only what fits")
    func families() {
        let hosts = { (last: UInt16) in
            [
                Candidate.host(address("2001:db8::\(last)", 6000), localPreference: 65_535),
                Candidate.host(address("10.0.0.\(last)", 6000), localPreference: 65_534),
            ]
        }
        let pair = Pair(seed: 7, viewer: hosts(1), sharer: hosts(2))
        pair.join()
        #expect(pair.world.run(until: .zero + .milliseconds(100)) { pair.isSelected })
        #expect(pair.viewer.agent.sendPair?.remote.ip.isIPv6 == true)
        #expect(pair.world.strays.isEmpty)
    }

    // MARK: NAT

    private static let server = address("198.51.100.99", 3478)

    /// A host candidate and the server-reflexive one a STUN server would have told.
    private func natted(_ inside: TransportAddress, _ nat: NAT) -> [Candidate] {
        let probe = nat.outbound(Packet(bytes: [], source: inside, destination: Self.server))
        return [.host(inside), .serverReflexive(probe.source, base: inside, server: Self.server.ip)]
    }

    @Test("two port-restricted NATs are crossed, by candidates of servers (seeds 1 to 20)", arguments: 1...20)
    func bothBehindNAT(seed: Int) {
        let (one, other) = (NAT(.v4(0xC633_6401)), NAT(.v4(0xC633_6402)))
        let pair = Pair(
            seed: UInt64(seed), viewer: natted(address("192.168.1.10", 5001), one),
            sharer: natted(address("192.168.2.10", 5002), other), viewerNAT: one, sharerNAT: other)
        pair.world.delay = .milliseconds(15)
        pair.world.jitter = .milliseconds(5)
        pair.join(answerDelay: .milliseconds(60))
        #expect(pair.world.run(until: .zero + .milliseconds(900)) { pair.isSelected })
        #expect(pair.viewer.agent.sendPair?.remote.ip == other.outside)
        #expect(pair.sharer.agent.sendPair?.remote.ip == one.outside)
        #expect(pair.viewer.agent.sendPair?.localCandidate.type == .serverReflexive)
    }

    @Test("a viewer behind a NAT that knows no server is found as peer-reflexive, on both sides")
    func peerReflexive() {
        let nat = NAT(.v4(0xC633_6401))
        let inside = address("192.168.1.10", 5001)
        let pair = Pair(
            seed: 9, viewer: [.host(inside)], sharer: [.host(address("198.51.100.50", 5002))], viewerNAT: nat)
        pair.join(answerDelay: .milliseconds(40))
        #expect(pair.world.run(until: .zero + .milliseconds(120)) { pair.isSelected })
        #expect(pair.sharer.agent.sendPair?.remote == TransportAddress(ip: nat.outside, port: 61_000))
        #expect(pair.sharer.agent.sendPair?.remoteCandidate.type == .peerReflexive)
        #expect(pair.viewer.agent.sendPair?.localCandidate.type == .peerReflexive)
        #expect(pair.viewer.agent.sendPair?.localCandidate.base == inside)
        #expect(pair.viewer.agent.sendPair?.local == inside)
    }

    @Test("a peer-reflexive candidate that is listed afterwards gets its real type")
    func listedAfterwards() {
        let pair = Pair(seed: 10)
        pair.join(answerDelay: .milliseconds(50), viewerLists: [])
        pair.world.run(for: .milliseconds(50))
        #expect(pair.sharer.agent.sendPair?.remoteCandidate.type == .peerReflexive)
        let outcomes = (0..<2).map { _ in
            pair.world.with(pair.sharer) { agent, now in agent.addRemoteCandidate(.host(Pair.viewerSocket), at: now) }
        }
        #expect(outcomes == [.accepted, .duplicate])
        let known = pair.sharer.agent.session.checklist.pairs.map(\.pair.remoteCandidate.type)
        #expect(known == [.host])
    }

    // MARK: Bad networks

    @Test("20 % loss and reordering do not stop it (seeds 1 to 50)", arguments: 1...50)
    func lossy(seed: Int) {
        let pair = Pair(seed: UInt64(seed))
        pair.world.loss = 0.2
        pair.world.delay = .milliseconds(10)
        pair.world.jitter = .milliseconds(30)
        pair.join(answerDelay: .milliseconds(40))
        let hasMedia = { pair.viewer.agent.sendPair != nil && pair.sharer.agent.sendPair != nil }
        #expect(pair.world.run(until: .zero + .seconds(5), or: hasMedia))
        #expect(pair.world.run(until: .zero + .seconds(40)) { pair.isSelected })
        pair.world.run(for: .seconds(120))
        #expect(pair.isSelected)
        #expect(pair.pairsMatch)
        #expect(pair.viewer.count(.consentExpired) + pair.sharer.count(.consentExpired) == 0)
    }

    @Test("behind two NATs, with 10 % loss, every seed connects (seeds 1 to 50)", arguments: 1...50)
    func lossyNAT(seed: Int) {
        let (one, other) = (NAT(.v4(0xC633_6401)), NAT(.v4(0xC633_6402)))
        let pair = Pair(
            seed: UInt64(seed), viewer: natted(address("192.168.1.10", 5001), one),
            sharer: natted(address("192.168.2.10", 5002), other), viewerNAT: one, sharerNAT: other)
        pair.world.loss = 0.1
        pair.world.delay = .milliseconds(20)
        pair.world.jitter = .milliseconds(20)
        pair.join(answerDelay: .milliseconds(100))
        #expect(pair.world.run(until: .zero + .seconds(10)) { pair.isSelected })
        #expect(pair.pairsMatch || pair.viewer.agent.sendPair?.remote.ip == other.outside)
    }

    @Test("duplicates of every packet change nothing (seeds 1 to 10)", arguments: 1...10)
    func duplicates(seed: Int) {
        let pair = Pair(seed: UInt64(seed))
        pair.world.jitter = .milliseconds(8)
        pair.world.copies = 3
        pair.join(answerDelay: .milliseconds(10))
        #expect(pair.world.run(until: .zero + .milliseconds(200)) { pair.isSelected })
        pair.world.run(for: .seconds(60))
        #expect(pair.pairsMatch)
        #expect(pair.viewer.sent.count < 200)
    }

    @Test("a link that is dead for the first three seconds is used when it wakes")
    func lateLink() {
        let pair = Pair(seed: 11)
        pair.world.loss = 1
        pair.join()
        pair.world.run(for: .seconds(3))
        pair.world.loss = 0
        #expect(pair.world.run(until: .zero + .milliseconds(3_700)) { pair.isSelected })
    }
}
