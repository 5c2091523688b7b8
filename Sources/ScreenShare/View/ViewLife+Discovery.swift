import Datagrams
import ICE
import Logging
import PeerDriver
import SignalingClient

/// Ways to the sharer that are found after the offer.
extension ViewLife {
    /// Asks the servers that the WHEP server names, and tells it of every candidate found from now on. All at the same
    /// time: ICE gives up after 30 s, and a name that nobody knows may take half of that.
    nonisolated func discover(
        _ session: WHEPSession, _ negotiation: ViewNegotiation, _ candidates: AsyncStream<Candidate>, _ hub: PeerHub
    ) async {
        async let gathered: Void = gather(by: session, hub)
        async let relayed: Void = relay(by: session, hub)
        async let told: Void = trickle(candidates, to: session, negotiation)
        await gathered
        await relayed
        await told
    }

    private nonisolated func gather(by session: WHEPSession, _ hub: PeerHub) async {
        guard configuration.network.stunServers.isEmpty, !configuration.network.relayOnly else { return }
        // Resolved; what is malformed or unknown is left out.
        let servers = await session.iceServers.mapAtOnce { server in
            await GatheringLimit.resolve { await STUNServer.resolve(server.url) }
        }
        // A hub that is closed meanwhile has no loop to run on.
        if Task.isCancelled { return }
        await hub.gather(from: servers.compactMap { $0 })
    }

    private nonisolated func relay(by session: WHEPSession, _ hub: PeerHub) async {
        guard configuration.network.turnServers.isEmpty else { return }
        let servers = await session.turnServers.mapAtOnce { await $0.resolve() }
        if Task.isCancelled { return }
        await hub.relay(by: servers.compactMap { $0 })
    }

    private nonisolated func trickle(
        _ candidates: AsyncStream<Candidate>, to session: WHEPSession, _ negotiation: ViewNegotiation
    ) async {
        guard await session.takesCandidates else { return }
        for await candidate in candidates {
            // Where ICE began anew meanwhile, it is told of for that.
            for _ in 0..<ViewLimits.staleCandidates {
                guard await tell(of: candidate, to: session, negotiation) == .stale else { break }
                try? await Task.sleep(for: ViewLimits.staleTime)
            }
        }
    }

    /// It helps the sharer, but connecting does not depend on it.
    private nonisolated func tell(
        of candidate: Candidate, to session: WHEPSession, _ negotiation: ViewNegotiation
    ) async -> SignalingError? {
        guard let fragment = await negotiation.fragment(with: candidate) else { return nil }
        do throws(SignalingError) {
            try await session.trickle(fragment)
            return nil
        } catch {
            logger.info("A candidate was not taken.", metadata: ["reason": .string(error.description)])
            return error
        }
    }
}

extension WHEPSession {
    /// Without what is malformed.
    fileprivate nonisolated var turnServers: [TURNServer] {
        iceServers.compactMap { server in
            guard let username = server.username, let password = server.credential else { return nil }
            return try? TURNServer(url: server.url, credentials: .password(username: username, password: password))
        }
    }
}
