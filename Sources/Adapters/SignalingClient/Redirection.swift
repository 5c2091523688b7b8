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
        place == "localhost" || place.hasSuffix(".localhost") || HostAddress(place)?.isLoopback == true
    }

    /// Whether the host is this machine or in a network that the internet does not lead to, as far as its name tells.
    private var isInside: Bool {
        if let address = HostAddress(place) { return address.isInside }
        // RFC 6762, 6761, 8375, and ICANN's for private use; a single label is no name of the internet.
        return !place.contains(".") || [".local", ".localhost", ".home.arpa", ".internal"].contains { place.hasSuffix($0) }
    }
}

/// An IP address, in any form in which a host may be one.
private struct HostAddress {
    /// 4 or 16.
    private let bytes: [UInt8]

    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        // Also `127.1` and `0x7f000001`, as getaddrinfo(3) takes them.
        if inet_aton(text, &v4) != 0 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &v6) == 1 {
            let all = withUnsafeBytes(of: v6) { Array($0) }
            let isIPv4 = Self.prefixesOfIPv4.contains(Array(all.prefix(12)))
            bytes = isIPv4 ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// ::ffff:0:0/96, and 64:ff9b::/96 (RFC 6052).
    private static let prefixesOfIPv4: [[UInt8]] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
    ]

    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 || bytes[0] == 0 : bytes.dropLast().allSatisfy { $0 == 0 }
    }

    /// RFC 6890: loopback, link-local, private and shared space; fc00::/7 and fe80::/10.
    var isInside: Bool {
        if isLoopback { return true }
        guard bytes.count == 4 else { return bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }
        return switch (bytes[0], bytes[1]) {
        case (10, _), (169, 254), (192, 168), (172, 16...31), (100, 64...127): true
        default: false
        }
    }
}
