import Datagrams
import PeerDriver

/// This machine's addresses, for others in its network.
public enum LocalNetwork {
    /// An address that others in the network can reach, without brackets; nil where there is none but loopback.
    ///
    /// - Parameter preferIPv6: which of both is taken where there are both.
    public static func reachableAddress(preferIPv6: Bool = false) -> String? {
        let addresses = ((try? LocalAddresses.usable()) ?? []).filter { !$0.isLoopback }
        return (addresses.first { $0.isIPv6 == preferIPv6 } ?? addresses.first)?.description
    }
}
