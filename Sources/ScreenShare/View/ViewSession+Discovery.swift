import Datagrams
import ICE
import Logging
import PeerDriver
import SignalingClient

/// Ways to the sharer that are found after the offer.
extension ViewSession {
    /// Asks the servers that the WHEP server names, and tells it of every candidate found from now on.
    nonisolated func discover(
        _ session: WHEPSession, _ negotiation: ViewNegotiation, _ candidates: AsyncStream<Candidate>, _ hub: PeerHub
    ) async {
        let network = configuration.network
        if network.stunServers.isEmpty {
            let servers = await session.stunServers()
            // A hub that is closed meanwhile has no loop to run on.
            if Task.isCancelled { return }
            await hub.gather(from: servers)
        }
        if network.turnServers.isEmpty {
            let servers = await session.turnServers()
            if Task.isCancelled { return }
            await hub.relay(by: servers)
        }
        guard await session.takesCandidates else { return }
        for await candidate in candidates {
            guard let fragment = negotiation.fragment(with: candidate) else { continue }
            // It helps the sharer, but connecting does not depend on it.
            do { try await session.trickle(fragment) } catch {
                logger.info("A candidate was not taken.", metadata: ["reason": .string(error.description)])
            }
        }
    }
}

extension WHEPSession {
    /// Resolved; what is malformed or unknown is left out.
    fileprivate nonisolated func stunServers() async -> [TransportAddress] {
        var found: [TransportAddress] = []
        for server in iceServers {
            found += await GatheringLimit.look { await STUNServer.resolve(server.url) }
        }
        return found
    }

    fileprivate nonisolated func turnServers() async -> [RelayServer] {
        var found: [RelayServer] = []
        for server in iceServers {
            guard let username = server.username, let password = server.credential,
                let known = try? TURNServer(
                    url: server.url, credentials: .password(username: username, password: password)),
                let relay = await known.resolve()
            else { continue }
            found.append(relay)
        }
        return found
    }
}
