import Datagrams
import TestSupport
import Timebase

@testable import ICE

func address(_ text: String, _ port: UInt16) -> TransportAddress {
    // A fixture that is no address shows up as 0.0.0.0, which no test expects.
    TransportAddress(ip: IPAddress(text) ?? .v4(0), port: port)
}

func makeAgent(
    _ role: ICERole, _ candidates: [Candidate], seed: UInt64, tieBreaker: UInt64? = nil, at now: Instant = .zero
) -> ICEAgent {
    ICEAgent(
        role: role, localCandidates: candidates, tieBreaker: tieBreaker, authenticator: TestAuthenticator(),
        random: SeededGenerator(seed: seed), at: now)
}

/// A viewer that offers and controls, a sharer that answers: two agents, ready to be joined.
struct Pair {
    let world: World
    let viewer: Peer
    let sharer: Peer

    static let viewerSocket = address("10.0.0.1", 5001)
    static let sharerSocket = address("10.0.0.2", 5002)

    /// One socket each on one network, unless told otherwise.
    init(
        seed: UInt64, viewer viewerCandidates: [Candidate] = [.host(viewerSocket)],
        sharer sharerCandidates: [Candidate] = [.host(sharerSocket)], viewerNAT: NAT? = nil, sharerNAT: NAT? = nil,
        roles: (ICERole, ICERole) = (.controlling, .controlled), tieBreakers: (UInt64?, UInt64?) = (nil, nil)
    ) {
        world = World(seed: seed)
        viewer = Peer(
            "viewer", makeAgent(roles.0, viewerCandidates, seed: seed &* 2 &+ 1, tieBreaker: tieBreakers.0),
            nat: viewerNAT)
        sharer = Peer(
            "sharer", makeAgent(roles.1, sharerCandidates, seed: seed &* 2 &+ 2, tieBreaker: tieBreakers.1),
            nat: sharerNAT)
        world.add(viewer)
        world.add(sharer)
    }

    /// The sharer gets the offer now, the viewer the answer after `answerDelay`.
    func join(
        answerDelay: Duration = .zero, viewerLists: [Candidate]? = nil, sharerLists: [Candidate]? = nil,
        complete: Bool = true
    ) {
        tell(sharer, about: viewer, viewerLists, complete)
        world.run(for: answerDelay)
        tell(viewer, about: sharer, sharerLists, complete)
    }

    func tell(_ peer: Peer, about other: Peer, _ candidates: [Candidate]? = nil, _ complete: Bool = true) {
        world.with(peer) { agent, now in
            agent.setRemote(other.agent.localCredentials, at: now)
            for candidate in candidates ?? other.agent.localCandidates { agent.addRemoteCandidate(candidate, at: now) }
            if complete { agent.endOfRemoteCandidates(at: now) }
        }
    }

    var isSelected: Bool { viewer.agent.selectedPair != nil && sharer.agent.selectedPair != nil }

    /// Both send to the address the other receives on.
    var pairsMatch: Bool {
        guard let one = viewer.agent.sendPair, let other = sharer.agent.sendPair else { return false }
        return one.local == other.remote && one.remote == other.local
    }
}
