import Datagrams
import ICE
import NIOCore

/// A TURN server's name stands for an address of each family, and for others in time: which of them is asked.
extension PeerHub {
    /// Turns to the first of the server's addresses that a socket of ours can reach.
    /// - Returns: that socket's address.
    func chooseAddress(of relay: Relay) -> TransportAddress? {
        for _ in relay.server.addresses {
            if let address = relay.server.address, let base = base(for: address) { return base }
            relay.server.turnToNextAddress()
        }
        return nil
    }

    /// Whether a socket reaches one that has not had its turn, over UDP: in a connection we hear soon that nobody is there.
    func hasOtherAddress(_ relay: Relay) -> Bool {
        guard relay.server.uri.transport == .udp else { return false }
        let reachable = relay.server.addresses.filter { base(for: $0) != nil }
        return relay.unanswered + 1 < reachable.count
    }

    /// The present one did not answer: it is the next one's turn.
    /// - Returns: whether that is asked at once; no failure then, until all were asked.
    func askNextAddress(_ relay: Relay) -> Bool {
        guard relay.server.uri.transport == .udp else { return false }
        let hasOther = hasOtherAddress(relay)
        relay.unanswered = hasOther ? relay.unanswered + 1 : 0
        relay.server.turnToNextAddress()
        guard hasOther else { return false }
        // Nothing is known of the other one yet.
        relay.client = nil
        Task { askElsewhere(relay) }
        return true
    }

    /// A connection may be dead without a word of it; the name may stand for another address; the route may have changed.
    func tryAnotherWay(to relay: Relay) {
        if let connection = relay.connection { return connection.close(promise: nil) }
        guard relay.server.uri.transport == .udp else { return }
        relay.server.leaveAlternate()
        lookUp(relay)
    }

    /// The name may stand for another address by now: in a network of IPv6 alone for one of that (DNS64, RFC 6147). Where no
    /// socket reaches any, it is looked up again when the network changes.
    func lookUp(_ relay: Relay) {
        lookUp(relay.server.uri) { [index = relay.index] hub, found in
            let relay = hub.relays[index]
            // It may relay again by now.
            guard relay.address == nil else { return }
            relay.server.found(found)
            if hub.chooseAddress(of: relay) == nil { hub.fail(relay, .noLocalAddress) } else { hub.askElsewhere(relay) }
        }
    }
}
