import Datagrams

/// Which addresses may be sent checks. A peer's list must not turn us into a scanner of somebody's network.
enum AddressFilter {
    /// For an address a packet came from: anything that can be one host's.
    static func allowsObserved(_ address: TransportAddress) -> Bool {
        address.port != 0 && !address.ip.isUnspecified && !address.ip.isMulticast && !address.ip.isMappedIPv4
    }

    /// For an address the peer listed; ports below 1024 are left out as browsers do, but for 80 and 443 in public.
    static func allowsListed(_ address: TransportAddress) -> Bool {
        guard allowsObserved(address) else { return false }
        if address.port >= 1024 { return true }
        return (address.port == 80 || address.port == 443) && !address.ip.isInside
    }

    /// Whether a socket at `base` could reach `remote`: the same family (RFC 8445 § 6.1.2.2), link-local with
    /// link-local only, loopback with loopback only.
    static func allows(from base: TransportAddress, to remote: TransportAddress) -> Bool {
        base.ip.isIPv6 == remote.ip.isIPv6 && base.ip.isLinkLocal == remote.ip.isLinkLocal
            && base.ip.isLoopback == remote.ip.isLoopback
    }
}

extension IPAddress {
    /// ::ffff:0:0/96 and the older ::/96: IPv4 in disguise, which would pass every filter for IPv4.
    fileprivate var isMappedIPv4: Bool {
        switch self {
        case .v4: false
        case .v6(let high, let low): high == 0 && (low >> 32 == 0xFFFF || low >> 32 == 0) && low != 1
        }
    }
}
