import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Pairs through a relay")
struct RelayedCandidateTests {
    private static let relayed = address("198.51.100.1", 50_000)
    private static let viewerSocket = address("203.0.113.7", 4000)
    private static let sharerSocket = address("203.0.113.8", 5000)

    /// The sharer has the relay; the viewer knows nothing of it.
    private struct Scene {
        let server = RelayServer()
        let viewer: RelayedPeer
        let sharer: RelayedPeer
        let wire: Wire

        init(policy: ICETransportPolicy = .all, seed: UInt64 = 4) throws {
            let credentials = try #require(TURNCredentials(username: "user", password: "pass"))
            viewer = RelayedPeer(.controlling, RelayedCandidateTests.viewerSocket, seed: seed)
            sharer = RelayedPeer(
                .controlled, RelayedCandidateTests.sharerSocket,
                relay: TURNConfiguration(
                    server: server.address, base: RelayedCandidateTests.sharerSocket, credentials: credentials),
                policy: policy, seed: seed + 1)
            wire = Wire(server, viewer, sharer)
            wire.run(for: .seconds(1))
        }

        func blockDirectPath() {
            let sockets = [RelayedCandidateTests.viewerSocket, RelayedCandidateTests.sharerSocket]
            wire.tap = { sockets.contains($0.source) && sockets.contains($0.destination) ? nil : $0 }
        }

        /// A NAT gives the sharer another port from now on; what comes to the old one is lost.
        func rebind() {
            let (viewer, inside) = (RelayedCandidateTests.viewerSocket, RelayedCandidateTests.sharerSocket)
            let outside = TransportAddress(ip: inside.ip, port: 61_000)
            wire.tap = { packet in
                var packet = packet
                if packet.source == inside {
                    if packet.destination == viewer { return nil }
                    packet.source = outside
                } else if packet.destination == outside {
                    packet.destination = inside
                } else if packet.destination == inside {
                    return nil
                }
                return packet
            }
        }

        func join() {
            let (offer, answer) = (viewer.agent.localCredentials, sharer.agent.localCredentials)
            let (theirs, ours) = (viewer.agent.localCandidates, sharer.agent.localCandidates)
            sharer.with(wire) { agent, now in
                agent.setRemote(offer, at: now)
                for candidate in theirs { agent.addRemoteCandidate(candidate, at: now) }
                agent.endOfRemoteCandidates(at: now)
            }
            viewer.with(wire) { agent, now in
                agent.setRemote(answer, at: now)
                for candidate in ours { agent.addRemoteCandidate(candidate, at: now) }
                agent.endOfRemoteCandidates(at: now)
            }
        }

        func exchange(_ count: Int) {
            for number in 0..<count {
                viewer.sendMedia([128, UInt8(number)], on: wire)
                sharer.sendMedia([129, UInt8(number)], on: wire)
                wire.run(for: .milliseconds(20))
            }
        }
    }

    @Test("a relayed candidate is its own base, comes last, and tells the mapped address, or nothing where it must not")
    func candidate() throws {
        let mapped = address("203.0.113.8", 61_000)
        let told = Candidate.relayed(Self.relayed, mapped: mapped, server: RelayServer.standardAddress.ip)
        #expect(told.base == Self.relayed)
        #expect(told.priority == 0x00FF_FFFF)
        #expect(told.priority < Candidate.priority(of: .serverReflexive, localPreference: 0))
        #expect(told.peerReflexivePriority == 0x6EFF_FFFF)
        #expect(told.attributeValue.contains(" 198.51.100.1 50000 typ relay raddr 203.0.113.8 rport 61000"))
        let hidden = Candidate.relayed(Self.relayed, mapped: nil, server: RelayServer.standardAddress.ip)
        #expect(hidden.attributeValue.hasSuffix("typ relay raddr 0.0.0.0 rport 9"))
        let read = try Candidate(hidden.attributeValue)
        #expect(read.type == .relayed && read.address == .ip(Self.relayed))
        let tcp = Candidate.relayed(
            Self.relayed, mapped: nil, server: RelayServer.standardAddress.ip, localPreference: 100)
        #expect(tcp.priority < told.priority && tcp.priority >= 1)
    }

    @Test("where no direct path is, media flows through the relay, in a channel")
    func relay() throws {
        let scene = try Scene()
        scene.blockDirectPath()
        scene.join()
        scene.wire.run(for: .seconds(3))
        #expect(scene.sharer.agent.sendAddresses?.local == Self.relayed)
        #expect(scene.sharer.agent.selectedPair?.localCandidate.type == .relayed)
        #expect(scene.viewer.agent.sendAddresses?.remote == Self.relayed)
        scene.exchange(50)
        #expect(scene.viewer.media.count == 50)
        #expect(scene.sharer.media.count == 50)
        #expect(scene.server.requests(.createPermission).count == 1)
        #expect(scene.server.requests(.channelBind).count == 1)
        #expect(scene.server.refusedData == 0)
    }

    @Test("the first check through the relay is not lost for want of a permission")
    func quick() throws {
        let scene = try Scene()
        scene.blockDirectPath()
        scene.join()
        // Two pairs, 50 ms apart, and six legs of 1 ms; a lost check would cost half a second.
        scene.wire.run(for: .milliseconds(150))
        #expect(scene.sharer.agent.sendAddresses?.local == Self.relayed)
    }

    @Test("where a direct path is, it is taken")
    func direct() throws {
        let scene = try Scene()
        scene.join()
        scene.wire.run(for: .seconds(5))
        #expect(scene.sharer.agent.selectedPair?.local == Self.sharerSocket)
        #expect(scene.viewer.agent.selectedPair?.remote == Self.sharerSocket)
    }

    @Test("an hour of consent through the relay: two peers, one IP address, and what nobody uses lapses")
    func hour() throws {
        let scene = try Scene()
        scene.server.nonceLifetime = .seconds(600)
        scene.blockDirectPath()
        scene.join()
        scene.wire.run(for: .seconds(3_600))
        #expect(scene.sharer.agent.state == .running && scene.viewer.agent.state == .running)
        #expect(scene.sharer.events.allSatisfy { $0 != .disconnected })
        #expect(scene.viewer.events.allSatisfy { $0 != .disconnected })
        #expect(scene.server.refusedData == 0)
    }

    @Test("relay only: no other address is told, sent from, or answers")
    func relayOnly() throws {
        let scene = try Scene(policy: .relayOnly)
        #expect(scene.sharer.agent.localCandidates.map(\.type) == [.relayed])
        #expect(scene.sharer.agent.localCandidates.first?.relatedAddress == address("0.0.0.0", 9))
        scene.join()
        // The viewer has guessed the socket's address.
        scene.viewer.with(scene.wire) { $0.addRemoteCandidate(.host(Self.sharerSocket), at: $1) }
        scene.wire.run(for: .seconds(40))
        #expect(scene.sharer.agent.sendAddresses?.local == Self.relayed)
        let fromSocket = scene.wire.log.map(\.packet).filter { $0.source == Self.sharerSocket }
        #expect(fromSocket.allSatisfy { $0.destination == scene.server.address })
        let toSocket = scene.wire.log.map(\.packet).filter { $0.destination == Self.sharerSocket }
        #expect(toSocket.contains { $0.source == Self.viewerSocket })
    }

    @Test("the policy lets through relayed candidates only")
    func policy() {
        let host = Candidate.host(Self.sharerSocket)
        let relay = Candidate.relayed(Self.relayed, mapped: nil, server: RelayServer.standardAddress.ip)
        #expect([host, relay].map(ICETransportPolicy.all.allows) == [true, true])
        #expect([host, relay].map(ICETransportPolicy.relayOnly.allows) == [false, true])
    }

    @Test("when the relay loses its address, the next one takes over, though nobody has told the viewer of it")
    func reallocated() throws {
        let scene = try Scene()
        scene.blockDirectPath()
        scene.join()
        scene.wire.run(for: .seconds(10))
        scene.server.restart()
        scene.wire.run(for: .seconds(30))
        let second = address("198.51.100.1", 50_001)
        #expect(scene.sharer.relayEvents.contains(.lost(.allocationMismatch)))
        #expect(scene.sharer.client?.relayedAddress == second)
        #expect(scene.sharer.agent.localCandidates.compactMap(\.base).contains(second))
        #expect(!scene.sharer.agent.localCandidates.compactMap(\.base).contains(Self.relayed))
        #expect(scene.sharer.agent.sendAddresses?.local == second)
        #expect(scene.viewer.agent.sendAddresses?.remote == second)
        scene.exchange(5)
        #expect(scene.viewer.media.count == 5 && scene.sharer.media.count == 5)
        #expect(!scene.sharer.events.contains(.consentExpired) && !scene.viewer.events.contains(.consentExpired))
    }

    @Test("where a NAT gives us another port towards the relay, media is back both ways within three seconds")
    func rebound() throws {
        let scene = try Scene()
        // A round trip of 50 ms to the server, and from there to the viewer.
        scene.wire.delay = .milliseconds(25)
        scene.blockDirectPath()
        scene.join()
        scene.wire.run(for: .seconds(5))
        scene.exchange(250)
        #expect(scene.sharer.agent.sendAddresses?.local == Self.relayed)
        scene.rebind()
        let moved = scene.wire.now
        // What was on its way still arrives.
        scene.exchange(10)
        let seen = (viewer: scene.viewer.media.count, sharer: scene.sharer.media.count)
        while scene.wire.now < moved + .seconds(3) { scene.exchange(1) }
        #expect(scene.viewer.media.count > seen.viewer)
        #expect(scene.sharer.media.count > seen.sharer)
        #expect(scene.sharer.relayEvents.contains(.lost(.allocationMismatch)))
        #expect(scene.sharer.agent.sendAddresses?.local == scene.sharer.client?.relayedAddress)
        #expect(scene.server.requests(.refresh).count <= 2)
    }

    @Test("a base that is gone takes its pairs along, but not the path in use nor a choice that waits for it")
    func removal() throws {
        let scene = try Scene()
        scene.blockDirectPath()
        scene.join()
        scene.wire.run(for: .seconds(1))
        let extra = address("198.51.100.1", 50_009)
        scene.sharer.with(scene.wire) { agent, now in
            agent.addLocalCandidate(.relayed(extra, mapped: nil, server: RelayServer.standardAddress.ip), at: now)
        }
        #expect(scene.sharer.agent.session.checklist.pairs.contains { $0.pair.local == extra })
        scene.sharer.with(scene.wire) { agent, now in
            agent.session.nomination.pending = AddressPair(local: extra, remote: Self.viewerSocket)
            agent.removeLocalCandidates(at: extra, at: now)
            agent.removeLocalCandidates(at: Self.relayed, at: now)
        }
        #expect(!scene.sharer.agent.session.checklist.pairs.contains { $0.pair.local == extra })
        #expect(scene.sharer.agent.session.nomination.pending == nil)
        #expect(scene.sharer.agent.session.checklist.pairs.contains { $0.pair.local == Self.relayed })
        #expect(scene.sharer.agent.sendAddresses?.local == Self.relayed)
        scene.wire.run(for: .seconds(1))
    }
}
