import Datagrams
import ICE
import PeerCore

/// Everything a hub is made with.
package struct HubConfiguration: Sendable {
    /// Local addresses to bind, the preferred first; see `LocalAddresses.select`.
    package var addresses: [IPAddress]
    /// Bound as well, of UDP alone, where that can be: peers are reached from there, and are not told of it.
    package var unlistedAddresses: [IPAddress] = []
    /// Of `addresses`, those that may be missing: all of an interface's were asked for, whichever can be used.
    package var expendableAddresses: Set<IPAddress> = []
    /// Whether addresses that this machine gets later are used as well.
    package var followsAddresses = false
    /// 0: the system chooses for the first socket, and the others take the same.
    package var port: UInt16
    package var stunServers: [STUNServer]
    /// Servers that relay for us, the preferred first.
    package var turnServers: [RelayServer] = []
    /// Which of our addresses peers may learn.
    package var transportPolicy = ICETransportPolicy.all
    /// What is done over TCP where UDP does not get through (RFC 6544): connections are taken, or made; nil: neither.
    package var tcp: TCPType?
    /// What a server's name stands for by now.
    package var resolve: @Sendable (ICEServerURI) async -> [TransportAddress] = { await $0.resolve() }
    /// Whether datagrams say how they are to be treated (RFC 8837).
    package var marksDatagrams = true
    package var makeSecurity: @Sendable () throws -> any SecurityProvider
    /// Nil where the machine lacks the digests.
    package var makeAuthenticator: @Sendable () -> (any MessageAuthenticator)?
    /// Called on the event loop with the peer's lane; must not block.
    package var onEvent: @Sendable (PeerID, LaneKey?, PeerEvent) -> Void
    /// Called on the event loop when a TURN server's state changes.
    package var onRelay: @Sendable (RelayEvent) -> Void = { _ in }
    /// Called on the event loop for each candidate that is found after the sockets: peers may not have heard of it.
    package var onCandidate: @Sendable (Candidate) -> Void = { _ in }

    package init(
        addresses: [IPAddress], port: UInt16, stunServers: [STUNServer],
        makeSecurity: @escaping @Sendable () throws -> any SecurityProvider,
        makeAuthenticator: @escaping @Sendable () -> (any MessageAuthenticator)?,
        onEvent: @escaping @Sendable (PeerID, LaneKey?, PeerEvent) -> Void
    ) {
        self.addresses = addresses
        self.port = port
        self.stunServers = stunServers
        self.makeSecurity = makeSecurity
        self.makeAuthenticator = makeAuthenticator
        self.onEvent = onEvent
    }
}
