import Datagrams
import ICE

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
}
