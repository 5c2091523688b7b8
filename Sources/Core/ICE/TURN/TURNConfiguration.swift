import Datagrams

/// How a TURN client reaches its server (RFC 8656 § 3.1).
package enum TURNTransport: Hashable, Sendable {
    case udp
    /// TCP, or TLS over it: nothing is repeated, ChannelData is padded, and there is nothing to do while the connection
    /// is down.
    case stream
}

/// What a TURN client starts with.
package struct TURNConfiguration: Sendable {
    package var server: TransportAddress
    /// The socket the server is spoken to from.
    package var base: TransportAddress
    package var transport: TURNTransport
    package var credentials: TURNCredentials
    /// The family of the relayed address, and so of the peers; it need not be the base's.
    package var relaysIPv6: Bool
    /// Whether the server has another address that is asked where this one does not answer: over UDP it has little time then.
    package var hasOtherAddress: Bool

    package init(
        server: TransportAddress, base: TransportAddress, transport: TURNTransport = .udp,
        credentials: TURNCredentials, relaysIPv6: Bool = false, hasOtherAddress: Bool = false
    ) {
        self.server = server
        self.base = base
        self.transport = transport
        self.credentials = credentials
        self.relaysIPv6 = relaysIPv6
        self.hasOtherAddress = hasOtherAddress
    }
}
