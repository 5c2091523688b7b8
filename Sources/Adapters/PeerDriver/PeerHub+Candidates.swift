import Datagrams
import ICE
import PeerCore
import SystemClock
import Timebase

/// Our addresses, as peers learn of them.
extension PeerHub {
    /// Host candidates of every socket, what the STUN servers told, the relays, and TCP's; of these, what the policy
    /// allows.
    func localCandidates() -> [Candidate] {
        let hosts = (listedSockets + unlistedSockets).enumerated().map { index, address in
            Candidate.host(address, localPreference: Candidate.localPreference(index: index))
        }
        let all = hosts + (gatherer?.candidates ?? []) + relays.flatMap(\.candidates) + tcpCandidates
        // A STUN and a TURN server tell the same (RFC 8445 § 5.1.3).
        var kept: [Candidate] = []
        for candidate in all where configuration.transportPolicy.allows(candidate) {
            let isKnown = kept.contains { $0.address == candidate.address && $0.base == candidate.base }
            if !isKnown { kept.append(candidate) }
        }
        return kept
    }

    /// Those that a peer is told of.
    package func listedCandidates() -> [Candidate] {
        localCandidates().filter { candidate in candidate.base.map { isListed($0) } ?? true }
    }

    /// Asks these STUN servers, unless others were asked before, or what they tell would be told to nobody.
    package func gather(from servers: [STUNServer]) {
        guard !servers.isEmpty, gatherer == nil, !isClosed, configuration.transportPolicy == .all else { return }
        stunServers = servers
        gatherAgain()
        flush()
    }

    /// The most preferred first, and in every run in the same order.
    var listedSockets: [TransportAddress] { byPreference(sockets.keys.filter { isListed($0) }) }
    private var unlistedSockets: [TransportAddress] {
        sockets.keys.filter { !isListed($0) }.sorted { "\($0)" < "\($1)" }
    }

    /// The pairs of the first are checked first, and among equals the first that works is kept. What has no rank, as where a
    /// cable is out, comes last.
    func byPreference(_ addresses: [TransportAddress]) -> [TransportAddress] {
        func place(_ address: TransportAddress) -> (Int, String) {
            (rankedAddresses.firstIndex(of: address.ip) ?? rankedAddresses.count, "\(address)")
        }
        return addresses.sorted { place($0) < place($1) }
    }

    private func isListed(_ address: TransportAddress) -> Bool {
        !configuration.unlistedAddresses.contains(address.ip)
    }

    /// From the sockets that there are now.
    func gatherAgain() {
        guard !stunServers.isEmpty else { return }
        let now = SystemClock.now()
        gatherer = ServerReflexiveGatherer(
            bases: listedSockets, servers: stunServers.flatMap(\.addresses), random: SystemRandomNumberGenerator(),
            at: now)
        drainGatherer(at: now)
    }

    /// Waits until the STUN and TURN servers have answered, or for this long: an offer or answer should hold what they
    /// tell.
    package func gather(atMost limit: Duration) async {
        let end = SystemClock.now() + limit
        while !isGathered, SystemClock.now() < end {
            guard (try? await Task.sleep(for: Limits.gatheringLook)) != nil else { return }
        }
    }

    private var isGathered: Bool { gatherer?.isFinished != false && relays.allSatisfy(\.hasResult) }

    func drainGatherer(at now: Instant) {
        while let output = gatherer?.nextOutput() {
            switch output {
            case .transmit(let bytes, let from, let to): enqueue(Transmit(bytes: bytes, from: from, to: to))
            case .event(.mapped(let candidate)): announce(candidate, at: now)
            case .event(.lost), .event(.finished): break
            case .wait(let until, _):
                schedule(until)
                return lookUpServers(at: now)
            }
        }
    }

    /// Another candidate: for the peers that are here, and whoever tells theirs of it.
    func announce(_ candidate: Candidate, at now: Instant) {
        guard configuration.transportPolicy.allows(candidate) else { return }
        eachPeer(at: now) { $0.addLocalCandidate(candidate, at: now) }
        configuration.onCandidate(candidate)
    }
}
