import Datagrams
import ICE
import NIOCore
import SystemClock

/// A TURN server may name another that is to be asked in its place (RFC 8489 § 10, RFC 8656 § 7.4): to share the load, or
/// before it is shut down.
extension PeerHub {
    /// - Returns: whether the other is asked now.
    func redirect(_ relay: Relay) -> Bool {
        guard !isClosed, let other = relay.client?.alternateServer, !isAsked(other, besides: relay),
            relay.server.redirect(to: other, at: SystemClock.now())
        else { return false }
        // Nothing is known of the other one yet.
        relay.client = nil
        if relay.server.uri.transport == .udp {
            Task { askElsewhere(relay) }
        } else if let index = relays.firstIndex(where: { $0 === relay }) {
            let former = relay.connection
            relay.connection = nil
            // From here on what the former has to say counts no more.
            connect(index)
            former?.close(promise: nil)
        }
        return true
    }

    /// From our one socket a server takes us for one client: a second would take the first one's allocation away.
    private func isAsked(_ server: TransportAddress, besides relay: Relay) -> Bool {
        relay.server.uri.transport == .udp
            && relays.contains { $0 !== relay && $0.server.uri.transport == .udp && $0.server.address == server }
    }
}
