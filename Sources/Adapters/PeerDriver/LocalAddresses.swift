import Datagrams
import NIOCore

/// Which local addresses carry media.
package enum LocalAddresses {
    /// The chosen ones, or every address that RFC 8445 § 5.1.1.1 allows; loopback only where there is nothing else.
    package static func select(_ chosen: [IPAddress]) throws -> [IPAddress] {
        let all = try chosen.isEmpty ? usable() : chosen
        return Array(all.prefix(Limits.localAddresses))
    }

    /// All that this machine has by now.
    static func usable() throws -> [IPAddress] {
        var seen: Set<IPAddress> = []
        let all = try System.enumerateDevices()
            .compactMap { $0.address.flatMap(TransportAddress.init)?.ip }
            .filter { !$0.isUnspecified && !$0.isMulticast && !$0.isLinkLocal && seen.insert($0).inserted }
        let reachable = all.filter { !$0.isLoopback }
        return reachable.isEmpty ? all : reachable
    }
}
