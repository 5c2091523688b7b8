import Datagrams
import Glibc
import ICE

extension ICEServerURI {
    /// Looks its name up, off the event loop.
    /// - Returns: the system's first choice of each family, IPv4 and IPv6, in its order; none where nobody knows the name, or
    ///   the system has no thread left to ask on.
    package func resolve() async -> [TransportAddress] {
        if let address { return [address] }
        return await NameResolver.system.lookUp(NameResolver.Name(host: host, port: port))
    }
}

extension NameResolver {
    /// By what this machine is set up to ask.
    static let system = NameResolver { NameResolver.addresses(of: $0) }

    private static func addresses(of name: Name) -> [TransportAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name.host, "\(name.port)", &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [TransportAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let raw = entry.ai_addr, let address = TransportAddress(raw) else { continue }
            if !found.contains(where: { $0.ip.isIPv6 == address.ip.isIPv6 }) { found.append(address) }
        }
        return found
    }
}
