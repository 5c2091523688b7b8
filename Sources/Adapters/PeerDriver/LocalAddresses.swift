import Datagrams
import NIOCore

/// Which local addresses carry media.
package enum LocalAddresses {
    /// The chosen ones, or every address that RFC 8445 § 5.1.1.1 allows; loopback only where there is nothing else.
    package static func select(_ chosen: [IPAddress]) throws -> [IPAddress] {
        if !chosen.isEmpty { return Array(chosen.prefix(Limits.localAddresses)) }
        var seen: Set<IPAddress> = []
        let all = try System.enumerateDevices()
            .compactMap { $0.address.flatMap(TransportAddress.init)?.ip }
            .filter { !$0.isUnspecified && !$0.isMulticast && !$0.isLinkLocal && seen.insert($0).inserted }
        let reachable = all.filter { !$0.isLoopback }
        return Array((reachable.isEmpty ? all : reachable).prefix(Limits.localAddresses))
    }
}
