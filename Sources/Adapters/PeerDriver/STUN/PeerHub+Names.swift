import Datagrams
import ICE
import Timebase

/// What servers' names stand for by now.
extension PeerHub {
    /// Looks a name up, and has something done with what was found where the hub is still open. Nothing of it is held
    /// meanwhile: a name server may be silent for longer than the hub and its event loop live.
    func lookUp(
        _ server: ICEServerURI, then take: @escaping @Sendable (isolated PeerHub, [TransportAddress]) -> Void
    ) {
        Task.detached { [weak self, resolve = configuration.resolve] in
            let found = await resolve(server)
            self?.enter { take($0, found) }
        }
    }

    /// Where no STUN server answers, their names may stand for others: they are looked up, and once a minute while it stays
    /// so.
    func lookUpServers(at now: Instant) {
        guard let gatherer, gatherer.isFinished, !gatherer.hasAnswer else { return }
        if now >= lookUpDue {
            lookUpDue = now + Limits.lookUpPause
            for (index, server) in stunServers.enumerated() {
                lookUp(server.uri) { hub, found in hub.turn(to: found, ofServerAt: index) }
            }
        }
        schedule(lookUpDue)
    }

    private func turn(to found: [TransportAddress], ofServerAt index: Int) {
        guard stunServers[index].found(found), gatherer?.hasAnswer == false else { return }
        gatherAgain()
        flush()
    }
}
