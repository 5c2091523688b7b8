import HTTPTypes
import Hummingbird
import SignalingProtocol

/// Which names this server answers to, and whose pages may use it: the defence against pages that reach for a server
/// on this machine or behind this firewall, by DNS rebinding or across origins.
struct HostGuard: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>
    private let viewersFromAnyOrigin: Bool

    init(_ configuration: SignalingConfiguration) {
        let base = configuration.baseURL.flatMap(Self.originOfURL)
        origins = Set((configuration.allowedOrigins + [base].compactMap(\.self)).compactMap(Self.originOfURL))
        let baseHost = base.map { Self.name(Self.authority(ofOrigin: $0)) }
        let names = configuration.allowedHosts + [configuration.host, "localhost"] + [baseHost].compactMap(\.self)
        hosts = Set(names.map { $0.lowercased() })
        viewersFromAnyOrigin = configuration.viewersFromAnyOrigin
    }

    // MARK: Host

    /// Turns away what names another host. A plain IP address cannot be rebound and is always right.
    func check(_ request: Request) throws(ProblemError) {
        guard let authority = request.head.authority, !request.headers.contains(.host), request.head.path?.first == "/"
        else { throw ProblemError(.malformedRequest) }
        let name = Self.name(authority.lowercased())
        guard Self.isIPAddress(name) || hosts.contains(name) || name.hasSuffix(".localhost") else {
            throw ProblemError(.hostNotAllowed)
        }
    }

    /// `host[:port]` without the port; IPv6 addresses keep their brackets (RFC 3986 § 3.2.2).
    private static func name(_ authority: String) -> String {
        if authority.first == "[" { return authority.prefix { $0 != "]" } + "]" }
        return String(authority.prefix { $0 != ":" })
    }

    private static func isIPAddress(_ name: String) -> Bool {
        if name.first == "[" { return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.%".contains($0) } }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { $0.allSatisfy(\.isASCIIDigit) && UInt8($0) != nil }
    }

    // MARK: Origin

    enum Origin: Equatable {
        /// No `Origin` field, and none for a page of another site: no such page is behind the request.
        case none
        case own
        /// One of the configured ones; it is named in CORS fields.
        case listed(String)
        case foreign
    }

    func origin(of request: Request) -> Origin {
        guard let field = request.headers[.origin] else {
            // A GET without CORS has none, but browsers say from where it is asked (Fetch Metadata).
            return ["cross-site", "same-site"].contains(request.headers[.secFetchSite] ?? "") ? .foreign : .none
        }
        guard let origin = Self.originOfURL(field) else { return .foreign }
        let own = Self.withoutDefaultPort(request.head.authority?.lowercased() ?? "")
        if Self.authority(ofOrigin: origin) == own { return .own }
        return origins.contains(origin) ? .listed(field) : .foreign
    }

    /// Whether a request of this origin may change something at this kind of address.
    func admits(_ origin: Origin, to audience: Route.Audience, roomNeedsToken: Bool) -> Bool {
        switch origin {
        case .none, .own, .listed: true
        case .foreign: audience == .viewer && viewersFromAnyOrigin && !roomNeedsToken
        }
    }

    /// The value of `Access-Control-Allow-Origin`, where there is one.
    func allowOrigin(_ origin: Origin, to audience: Route.Audience, roomNeedsToken: Bool) -> String? {
        if audience == .viewer && viewersFromAnyOrigin && !roomNeedsToken { return "*" }
        guard case .listed(let name) = origin, audience == .viewer || audience == .everyone else { return nil }
        return name
    }

    /// `scheme://host[:port]`, lower case and without a default port; nil for `null` and everything else.
    private static func originOfURL(_ text: String) -> String? {
        let text = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" }
        guard !authority.isEmpty, authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") })
        else { return nil }
        return scheme + withoutDefaultPort(String(authority))
    }

    private static func authority(ofOrigin origin: String) -> String {
        String(origin.drop { $0 != "/" }.drop { $0 == "/" })
    }

    private static func withoutDefaultPort(_ authority: String) -> String {
        for port in [":80", ":443"] where authority.hasSuffix(port) { return String(authority.dropLast(port.count)) }
        return authority
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
