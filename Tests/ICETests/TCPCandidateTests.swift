import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

/// RFC 6544: a sharer listens, a viewer connects.
@Suite("TCP candidates")
struct TCPCandidateTests {
    private static let listener = TransportAddress(ip: .v4(0x0A00_0002), port: 5002, transport: .tcp)
    private static let connector = TransportAddress(ip: .v4(0x0A00_0001), port: 5001)
    private static let passive = Candidate.tcp(.passive, listener)
    private static let active = Candidate.tcp(.active, connector)

    /// Both with UDP as well; `blocksUDP` loses all of it.
    private func pair(seed: UInt64, blocksUDP: Bool) -> Pair {
        let pair = Pair(
            seed: seed, viewer: [.host(Pair.viewerSocket), Self.active],
            sharer: [.host(Pair.sharerSocket), Self.passive])
        if blocksUDP { pair.world.tap = { $0.destination.transport == .udp ? nil : $0 } }
        return pair
    }

    private func connections(of peer: Peer) -> Int { peer.sent.count { $0.packet.source.transport == .tcp } }

    // MARK: Candidates

    @Test("priorities are those of RFC 6544 § 4.2, every direct one of UDP above every one of TCP")
    func priorities() {
        #expect(Self.active.priority == 90 << 24 | (6 << 13 | 8191) << 8 | 255)
        #expect(Self.passive.priority == 90 << 24 | (4 << 13 | 8191) << 8 | 255)
        #expect(Candidate.tcp(.passive, Self.listener, otherPreference: 8190).priority < Self.passive.priority)
        #expect(Self.active.peerReflexivePriority == 80 << 24 | Self.active.priority & 0xFF_FFFF)
        let types: [CandidateType] = [.host, .peerReflexive, .serverReflexive]
        for type in types {
            #expect(types.allSatisfy { type.preference(over: .tcp) < $0.preference(over: .udp) })
            #expect(type.preference(over: .tcp) > CandidateType.relayed.preference(over: .udp))
        }
    }

    @Test("they are written as RFC 6544 § 4.5 has it, and read as they were written")
    func text() throws {
        #expect(Self.passive.attributeValue.hasSuffix(" 1 tcp 1520435199 10.0.0.2 5002 typ host tcptype passive"))
        #expect(Self.active.attributeValue.hasSuffix(" 1 tcp 1524629503 10.0.0.1 9 typ host tcptype active"))
        for candidate in [Self.passive, Self.active] {
            let read = try Candidate(candidate.description)
            #expect(read.address == candidate.address && read.transport == candidate.transport)
            #expect(read.priority == candidate.priority && read.foundation == candidate.foundation)
        }
    }

    @Test("foundations tell TCP from UDP, and listening from connecting (RFC 8445 § 5.1.1.3)")
    func foundations() {
        let ip = Self.listener.ip
        let all = [
            Candidate.host(TransportAddress(ip: ip, port: 1)), .tcp(.passive, TransportAddress(ip: ip, port: 1)),
            .tcp(.active, TransportAddress(ip: ip, port: 1)),
        ]
        #expect(Set(all.map(\.foundation)).count == 3)
        let remote = TransportAddress(ip: ip, port: 1, transport: .tcp)
        let observed = [remote, TransportAddress(ip: ip, port: 1)].map { address in
            Candidate.remotePeerReflexive(address, priority: 1)
        }
        #expect(observed[0].foundation != observed[1].foundation)
        #expect(observed.map(\.transport) == [.tcp(.active), .udp])
    }

    @Test("a port of TCP is another one than UDP's with the same number")
    func addresses() {
        let udp = TransportAddress(ip: Self.listener.ip, port: Self.listener.port)
        #expect(udp != Self.listener)
        #expect(Set([AddressPair(local: udp, remote: udp), AddressPair(local: udp, remote: Self.listener)]).count == 2)
    }

    // MARK: Pairs

    @Test("only an active candidate is paired, and only with a passive one", arguments: [TCPType.active, .passive])
    func pairing(ours: TCPType) {
        var agent = makeAgent(.controlling, [.host(Self.connector), .tcp(ours, Self.connector)], seed: 1)
        for type in ["passive", "active", "so"] {
            let line = "candidate:1 1 tcp 1000 10.0.0.2 \(type == "passive" ? 5002 : 5003) typ host tcptype \(type)"
            let outcome = (try? Candidate(line)).map { agent.addRemoteCandidate($0, at: .zero) }
            #expect(outcome == (type == "passive" ? .accepted : .unsupported))
        }
        agent.addRemoteCandidate(.host(TransportAddress(ip: Self.listener.ip, port: 5002)), at: .zero)
        let pairs = agent.session.checklist.pairs
        #expect(pairs.count == (ours == .active ? 2 : 1))
        #expect(pairs.allSatisfy { $0.pair.local.transport == $0.pair.remote.transport })
    }

    @Test("where UDP is free no connection is asked for")
    func udpFirst() {
        let pair = pair(seed: 2, blocksUDP: false)
        pair.world.delay = .milliseconds(100)
        pair.join()
        pair.world.run(for: .seconds(20))
        #expect(pair.isSelected)
        #expect(pair.viewer.agent.sendPair?.remote == Pair.sharerSocket)
        #expect(connections(of: pair.viewer) == 0 && connections(of: pair.sharer) == 0)
    }

    @Test("where UDP is blocked both sides go over TCP, a moment after UDP had its start")
    func blocked() throws {
        let pair = pair(seed: 3, blocksUDP: true)
        pair.join()
        #expect(pair.world.run(until: .zero + .seconds(1)) { pair.isSelected })
        #expect(pair.pairsMatch)
        #expect(pair.viewer.agent.sendPair?.remote == Self.listener)
        #expect(pair.sharer.agent.sendPair?.remoteCandidate.transport == .tcp(.active))
        let first = try #require(pair.viewer.sent.first { $0.packet.source.transport == .tcp })
        #expect(first.at >= .zero + Limits.headStart)
        #expect(first.packet.source.port == Candidate.discardPort)
        pair.world.run(for: .seconds(120))
        #expect(pair.isSelected && pair.viewer.agent.state == .running && pair.sharer.agent.state == .running)
    }

    @Test("a passive side never sends before it was connected to")
    func silence() {
        let pair = pair(seed: 4, blocksUDP: true)
        pair.tell(pair.sharer, about: pair.viewer)
        pair.world.run(for: .seconds(10))
        #expect(connections(of: pair.sharer) == 0)
    }

    @Test("what a connection takes is not repeated (RFC 8489 § 6.2.2)")
    func once() {
        let pair = pair(seed: 5, blocksUDP: true)
        pair.world.tap = { _ in nil }
        pair.join()
        pair.world.run(for: .seconds(25))
        #expect(connections(of: pair.viewer) == 1)
        #expect(pair.viewer.sent.count { $0.packet.source.transport == .udp } > 1)
    }

    @Test("the mapped address of an answer is one of TCP")
    func mapped() throws {
        let pair = pair(seed: 6, blocksUDP: true)
        pair.join()
        pair.world.run(for: .seconds(2))
        let local = try #require(pair.sharer.agent.sendPair?.localCandidate)
        #expect(local.type == .host && local.transport == .tcp(.passive))
    }

    @Test("UDP that works after all is moved to within the first seconds")
    func late() {
        let pair = pair(seed: 7, blocksUDP: true)
        pair.join()
        #expect(pair.world.run(until: .zero + .seconds(1)) { pair.isSelected })
        pair.world.tap = { $0 }
        pair.world.run(for: .seconds(5))
        #expect(pair.viewer.agent.sendPair?.local.transport == .udp)
        #expect(pair.pairsMatch)
    }

    // MARK: Loss

    @Test("a connection that breaks is asked for again at once, and media goes on")
    func broken() {
        let pair = pair(seed: 8, blocksUDP: true)
        pair.join()
        pair.world.run(for: .seconds(2))
        let sent = connections(of: pair.viewer)
        pair.world.with(pair.viewer) { agent, now in
            agent.connectionLost(local: Self.active.base ?? Self.listener, remote: Self.listener, at: now)
        }
        #expect(pair.viewer.count(.disconnected) == 1)
        #expect(connections(of: pair.viewer) == sent + 1)
        #expect(!pair.viewer.agent.failsToReconnect, "it may just have been cut")
        pair.world.run(for: .milliseconds(100))
        #expect(pair.viewer.count(.recovered) == 1)
        pair.world.run(for: .seconds(60))
        #expect(pair.isSelected && pair.pairsMatch)
    }

    @Test("one that can't be made again ends by consent, without a loop of tries")
    func gone() {
        let pair = pair(seed: 9, blocksUDP: true)
        pair.join()
        pair.world.run(for: .seconds(2))
        let before = connections(of: pair.viewer)
        let begin = pair.world.now
        var wasKnownAfter: Duration?
        while pair.world.now < begin + .seconds(29) {
            pair.world.with(pair.viewer) { agent, now in
                agent.connectionLost(local: Self.active.base ?? Self.listener, remote: Self.listener, at: now)
            }
            pair.world.tap = { _ in nil }
            pair.world.run(for: .milliseconds(10))
            if wasKnownAfter == nil, pair.viewer.agent.failsToReconnect { wasKnownAfter = pair.world.now - begin }
        }
        #expect(wasKnownAfter.map { $0 < .seconds(2) } == true, "\(String(describing: wasKnownAfter))")
        // One a second, and after five without an answer, when consent is in doubt, another.
        #expect((20...60).contains(connections(of: pair.viewer) - before))
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.agent.state == .consentExpired)
    }

    @Test("where TCP breaks and UDP is free again, UDP takes over")
    func otherWay() {
        let pair = pair(seed: 10, blocksUDP: true)
        pair.join()
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.agent.sendPair?.local.transport == .tcp)
        pair.world.tap = { $0.destination.transport == .tcp ? nil : $0 }
        for peer in [pair.viewer, pair.sharer] {
            guard let path = peer.agent.sendAddresses else { continue }
            pair.world.with(peer) { $0.connectionLost(local: path.local, remote: path.remote, at: $1) }
        }
        pair.world.run(for: .seconds(10))
        #expect(pair.viewer.agent.sendPair?.local.transport == .udp)
        #expect(pair.pairsMatch)
    }

    @Test("an ICE restart goes over the same connection")
    func restart() {
        let pair = pair(seed: 11, blocksUDP: true)
        pair.join()
        pair.world.run(for: .seconds(5))
        let credentials = pair.world.with(pair.viewer) { agent, now in agent.restart(at: now) }
        pair.world.with(pair.sharer) { agent, now in _ = agent.restart(remote: credentials, at: now) }
        pair.tell(pair.viewer, about: pair.sharer)
        pair.world.run(for: .seconds(5))
        #expect(pair.isSelected && pair.pairsMatch)
        #expect(pair.viewer.agent.sendPair?.remote == Self.listener)
        #expect(pair.viewer.agent.selectedPair != nil)
    }

    @Test("under relay-only nothing is told, connected or listened for")
    func relayOnly() {
        let agent = ICEAgent(
            role: .controlling, localCandidates: [Self.active, Self.passive], policy: .relayOnly,
            authenticator: TestAuthenticator(), random: SeededGenerator(seed: 1), at: .zero)
        #expect(agent.localCandidates.isEmpty)
    }
}
