import NIOHTTP1

/// A STUN or TURN server named in a `Link` field (RFC 9725 § 4.6).
package struct ICEServerLink: Equatable, Sendable {
    package var url: String
    package var username: String?
    package var credential: String?

    static func all(in headers: HTTPHeaders) -> [ICEServerLink] {
        Array(LinkField.all(in: headers).compactMap(ICEServerLink.init).prefix(ClientLimits.iceServers))
    }

    /// Nil for other relations.
    init?(_ link: LinkField) {
        guard link.relation == "ice-server" else { return nil }
        url = link.target
        username = link["username"]
        credential = link["credential"]
    }
}
