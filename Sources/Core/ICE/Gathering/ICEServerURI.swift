import Datagrams

/// Why a text names no server.
package enum ICEServerURIError: Error, Hashable, Sendable {
    /// Not `stun:`, `stuns:`, `turn:` or `turns:`.
    case unknownScheme
    case malformedHost
    case malformedPort
    /// A `?` with anything but `transport=udp` or `transport=tcp` behind it, or for STUN at all.
    case malformedQuery
}

/// A STUN or TURN server's address, before its name is looked up (RFC 7064, RFC 7065):
///
///     stun:host[:port]    turn:host[:port][?transport=udp|tcp]    and both with s for TLS
package struct ICEServerURI: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case stun
        case turn
    }

    package enum Transport: String, Hashable, Sendable {
        case udp
        case tcp
    }

    package let kind: Kind
    /// TLS over TCP; over UDP it would be DTLS (RFC 7350).
    package let isSecure: Bool
    /// A name, or an IP address without brackets.
    package let host: String
    package let port: UInt16
    package let transport: Transport

    /// The address, where the host is one.
    package var address: TransportAddress? { IPAddress(host).map { TransportAddress(ip: $0, port: port) } }

    package init(_ text: String) throws(ICEServerURIError) {
        guard text.utf8.count <= Limits.serverURIBytes, let colon = text.firstIndex(of: ":") else {
            throw .unknownScheme
        }
        switch text[..<colon].lowercased() {
        case "stun": (kind, isSecure) = (.stun, false)
        case "stuns": (kind, isSecure) = (.stun, true)
        case "turn": (kind, isSecure) = (.turn, false)
        case "turns": (kind, isSecure) = (.turn, true)
        default: throw .unknownScheme  // any other text may stand here
        }
        let parts = text[text.index(after: colon)...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // RFC 7350 § 3: without the word TLS goes over TCP; RFC 5928 § 3 would try UDP first for the rest.
        transport = try parts.count == 2 ? Self.transport(parts[1], of: kind) : isSecure ? .tcp : .udp
        let (host, port) = try Self.authority(parts[0])
        self.host = String(host)
        // RFC 7065 § 3.2; RFC 7064 § 3.2.
        if let port { self.port = try Self.port(port) } else { self.port = isSecure ? 5349 : 3478 }
    }

    private static func transport(_ query: Substring, of kind: Kind) throws(ICEServerURIError) -> Transport {
        let words = query.split(separator: "=", omittingEmptySubsequences: false)
        guard kind == .turn, words.count == 2, words[0] == "transport",
            let transport = Transport(rawValue: words[1].lowercased())
        else { throw .malformedQuery }
        return transport
    }

    /// Host and port; an IPv6 address stands in brackets (RFC 3986 § 3.2.2).
    private static func authority(
        _ text: Substring
    ) throws(ICEServerURIError) -> (host: Substring, port: Substring?) {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw .malformedHost }
            let host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard IPAddress(String(host))?.isIPv6 == true, rest.isEmpty || rest.first == ":" else {
                throw .malformedHost
            }
            return (host, rest.isEmpty ? nil : rest.dropFirst())
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, isName(host) else { throw .malformedHost }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    /// Letters, digits, hyphens and dots, as names and IPv4 addresses have; underscores occur.
    private static func isName(_ host: Substring) -> Bool {
        (1...Limits.hostNameBytes).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                byte.isICECharacter && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "/")
                    || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
            }
    }

    private static func port(_ text: Substring) throws(ICEServerURIError) -> UInt16 {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(text),
            port > 0
        else { throw .malformedPort }
        return port
    }
}

extension ICEServerURI: CustomStringConvertible {
    package var description: String {
        let scheme = (kind == .stun ? "stun" : "turn") + (isSecure ? "s" : "")
        let query = kind == .turn ? "?transport=\(transport.rawValue)" : ""
        return "\(scheme):\(host.bracketedIfIPv6):\(port)\(query)"
    }
}
