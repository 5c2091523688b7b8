/// Where an address leads to, as far as it tells.
extension IPAddress {
    package var isLoopback: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// 0.0.0.0/8, ::.
    package var isUnspecified: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 0
        case .v6(let high, let low): high == 0 && low == 0
        }
    }

    /// Multicast and broadcast: never a place to send media or checks to.
    package var isMulticast: Bool {
        switch self {
        case .v4(let bits): bits >> 28 >= 0xE
        case .v6(let high, _): high >> 56 == 0xFF
        }
    }

    package var isLinkLocal: Bool {
        switch self {
        case .v4(let bits): bits >> 16 == 0xA9FE
        case .v6(let high, _): high >> 54 == 0x3FA
        }
    }

    /// Of this machine, or of a network that the internet does not lead to: loopback, link-local, private (RFC 1918,
    /// RFC 4193), and a provider's behind its own NAT (RFC 6598).
    package var isInside: Bool { isLoopback || isLinkLocal || isPrivateUse }

    private var isPrivateUse: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8 || bits >> 22 == 0x191
        case .v6(let high, _): high >> 57 == 0x7E
        }
    }

    /// Whether a host, with or without brackets, is this machine by its name (RFC 6761 § 6.3) or address.
    package static func isLoopback(host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(text)?.isLoopback == true
    }
}
