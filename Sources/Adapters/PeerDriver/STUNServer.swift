import Datagrams
import NIOCore
import NIOPosix

/// A STUN server's address from its URL (RFC 7064): `stun:host[:port]`.
package enum STUNServer {
    /// RFC 8489 § 8.
    private static let standardPort = 3478

    /// Resolves the name off the event loop; nil where the URL is malformed or the name unknown.
    package static func resolve(_ url: String) async -> TransportAddress? {
        guard url.hasPrefix("stun:"), let (host, port) = split(url.dropFirst(5)) else { return nil }
        if let ip = IPAddress(host) { return TransportAddress(ip: ip, port: UInt16(port)) }
        let address = try? await NIOThreadPool.singleton.runIfActive {
            try SocketAddress.makeAddressResolvingHost(host, port: port)
        }
        return address.flatMap(TransportAddress.init)
    }

    private static func split(_ text: Substring) -> (host: String, port: Int)? {
        let authority = text.prefix { $0 != "?" }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            return checked(host, rest.isEmpty ? standardPort : Int(rest.dropFirst()))
        }
        guard let colon = authority.lastIndex(of: ":") else {
            return authority.isEmpty ? nil : (String(authority), standardPort)
        }
        return checked(authority[..<colon], Int(authority[authority.index(after: colon)...]))
    }

    private static func checked(_ host: Substring, _ port: Int?) -> (host: String, port: Int)? {
        guard !host.isEmpty, let port, (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }
}
