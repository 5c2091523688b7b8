import Datagrams
import FoundationEssentials
import Glibc

extension URL {
    /// Whether what a server at this address says may have us ask at another: it chooses what this machine sends, to where
    /// the server itself perhaps can't.
    ///
    /// - by HTTPS at any host that has a certificate for its name, as load balancers do, but from the internet none inside;
    /// - at its own host, be it at another port or in clear; on this machine there are others' services at other ports.
    func mayLead(to next: URL) -> Bool {
        if origin == next.origin { return true }
        if isSecure, next.isSecure { return isInside || !next.isInside }
        return place == next.place && !isOnLoopback
    }

    /// Whether a token that its server has may be sent there too: nowhere else in clear. What a server names by HTTPS its
    /// certificate answers for, and the draft has the session get the token.
    func mayPassToken(to next: URL) -> Bool { origin == next.origin || isSecure && next.isSecure }

    var isSecure: Bool { scheme?.lowercased() == "https" }

    /// The host without the dot that may end a name, and without brackets.
    private var place: String {
        var text = (host ?? "").lowercased()[...]
        if text.first == "[" { text = text.dropFirst().prefix { $0 != "]" } }
        return String(text.last == "." ? text.dropLast() : text)
    }

    private var isOnLoopback: Bool {
        IPAddress.isLoopback(host: place) || IPAddress(host: place).map { $0.isLoopback || $0.isUnspecified } == true
    }

    /// Whether the host is this machine or in a network that the internet does not lead to, as far as its name tells.
    private var isInside: Bool {
        if isOnLoopback { return true }
        if let address = IPAddress(host: place) { return address.isInside }
        // RFC 6762, 8375, and ICANN's for private use; a single label is no name of the internet.
        return !place.contains(".") || [".local", ".home.arpa", ".internal"].contains { place.hasSuffix($0) }
    }
}

extension IPAddress {
    /// In any form in which a host may be one; of IPv4 where one of IPv6 stands for that.
    fileprivate init?(host: String) {
        var bits = in_addr()
        // Also `127.1` and `0x7f000001`, as getaddrinfo(3) takes them.
        if inet_aton(host, &bits) != 0 {
            self = .v4(UInt32(bigEndian: bits.s_addr))
        } else if let address = IPAddress(String(host.prefix { $0 != "%" })) {
            self = address.embeddedIPv4 ?? address
        } else {
            return nil
        }
    }

    /// In ::ffff:0:0/96, the older ::/96, and 64:ff9b::/96 (RFC 6052).
    private var embeddedIPv4: IPAddress? {
        guard case .v6(let high, let low) = self else { return nil }
        switch (high, low >> 32) {
        case (0, 0), (0, 0xFFFF), (0x64_FF9B_0000_0000, 0): return .v4(UInt32(truncatingIfNeeded: low))
        default: return nil
        }
    }
}
