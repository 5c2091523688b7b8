import Datagrams
import FoundationEssentials

/// The address of a signaling server, such as `http://127.0.0.1:8080`, and what hangs below it.
package struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
    let base: URL

    package init(_ text: String) throws(SignalingError) {
        guard let url = URL(string: text.last == "/" ? text : text + "/"), url.isHTTP else {
            throw .badAddress(text)
        }
        base = url
    }

    package var description: String { base.absoluteString }

    /// A path such as `v1/rooms/demo/share`.
    func url(_ path: String) throws(SignalingError) -> URL {
        guard let url = URL(string: path, relativeTo: base)?.absoluteURL else { throw .badAddress(path) }
        return url
    }

    /// An address that the server names; nil unless it is one of its own.
    func ownURL(_ address: String) -> URL? {
        guard let found = try? url(address), found.isHTTP, found.origin == base.origin else { return nil }
        return found
    }

    /// The WHEP endpoint of a room at a server. Neither is checked: whoever joins there is told what is wrong.
    package static func whepEndpoint(of room: String, at server: String) -> String {
        "\(server.hasSuffix("/") ? String(server.dropLast()) : server)/v1/rooms/\(room)/whep"
    }
}

extension URL {
    /// Whether a request can be sent there: the HTTP client traps at a port or a host that can't be.
    var isHTTP: Bool {
        guard let scheme, ["http", "https"].contains(scheme.lowercased()), host?.isEmpty == false else { return false }
        return HTTPAuthority.isUsable(absoluteString.dropFirst(scheme.count))
    }

    /// What hangs below this one's parent; of an empty path, the parent itself.
    func beside(_ path: String) -> URL? {
        // With a slash at its end, and without this one's query (RFC 3986 § 5.2).
        guard let parent = URL(string: ".", relativeTo: self)?.absoluteString else { return nil }
        return URL(string: "\(parent.dropLast())\(path)")
    }

    /// Scheme, host and port: a token given to one origin is for no other.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let host = (host?.lowercased() ?? "").bracketedIfIPv6
        return "\(scheme)://\(host):\(port ?? (scheme == "https" ? 443 : 80))"
    }

    /// The same as people write it, without a port that goes without saying.
    var shownOrigin: String {
        let usual = scheme?.lowercased() == "https" ? ":443" : ":80"
        return origin.hasSuffix(usual) ? String(origin.dropLast(usual.count)) : origin
    }
}
