/// What stands between an address's scheme and its path (RFC 3986 § 3.2).
enum HTTPAuthority {
    /// Whether `://host[:port]`, with a user before the host and anything behind the port, names a host and a port that
    /// there can be.
    static func isUsable(_ text: Substring) -> Bool {
        guard text.hasPrefix("://") else { return false }
        var place = text.dropFirst(3).prefix { !"/?#".contains($0) }
        if let at = place.lastIndex(of: "@") { place = place[place.index(after: at)...] }
        guard place.first == "[" else {
            let parts = place.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return isName(parts[0]) && (parts.count == 1 || isPort(parts[1]))
        }
        guard let end = place.firstIndex(of: "]") else { return false }
        let rest = place[place.index(after: end)...]
        return isIPv6(place[..<end].dropFirst()) && (rest.isEmpty || rest.first == ":" && isPort(rest.dropFirst()))
    }

    /// A name, or an IPv4 address; nothing that is encoded, which could stand for anything.
    private static func isName(_ host: Substring) -> Bool {
        !host.isEmpty && host.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
    }

    /// Between brackets; an interface may stand behind `%` (RFC 6874).
    private static func isIPv6(_ host: Substring) -> Bool {
        host.contains(":") && host.utf8.allSatisfy { $0.isLetterOrDigit || ":.%-_~".utf8.contains($0) }
    }

    /// None at all is the scheme's own (RFC 3986 § 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.utf8.allSatisfy(\.isDigit) && (1...65_535).contains(Int(text) ?? 0)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetterOrDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
