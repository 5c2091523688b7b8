import Datagrams
import PeerDriver

/// This machine's addresses, for others in its network.
public enum LocalNetwork {
    /// An address that others in the network can reach, without brackets; nil where there is none but loopback.
    ///
    /// - Parameter preferIPv6: which of both is taken where there are both.
    public static func reachableAddress(preferIPv6: Bool = false) -> String? {
        reachableAddress(isIPv6: preferIPv6) ?? reachableAddress(isIPv6: !preferIPv6)
    }

    /// The same of one family alone: a server that listens at `0.0.0.0` is reached by IPv4 only.
    public static func reachableAddress(isIPv6: Bool) -> String? {
        let addresses = (try? LocalAddresses.usable()) ?? []
        return addresses.first { !$0.isLoopback && $0.isIPv6 == isIPv6 }?.description
    }

    /// Whether this machine's programs reach each other at `::1`: IPv6 may be switched off.
    package static var hasIPv6Loopback: Bool { LocalAddresses.loopback().contains { $0.isIPv6 } }

    /// Whether a host, with or without brackets, is this machine by its name (RFC 6761 § 6.3) or address.
    package static func isLoopback(host: String) -> Bool { IPAddress.isLoopback(host: host) }

    /// A host and a port as they stand in a URL.
    package static func authority(_ host: String, _ port: Int) -> String { "\(host.bracketedIfIPv6):\(port)" }
}
