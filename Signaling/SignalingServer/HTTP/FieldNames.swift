import HTTPTypes

/// Field names that HTTPTypes doesn't know.
extension HTTPField.Name {
    static let host = constant("Host")
    /// Linked Data Platform 1.0 § 7.1; the WHEP draft wants it in answers to OPTIONS.
    static let acceptPost = constant("Accept-Post")
    /// RFC 5789 § 3.1.
    static let acceptPatch = constant("Accept-Patch")
    /// RFC 8288 § 3.
    static let link = constant("Link")
    /// WHATWG HTML § 9.2.
    static let lastEventID = constant("Last-Event-ID")
    static let referrerPolicy = constant("Referrer-Policy")
    /// Fetch, "Cross-Origin-Resource-Policy header".
    static let resourcePolicy = constant("Cross-Origin-Resource-Policy")
    /// Fetch Metadata: how the page that asks stands to this server.
    static let secFetchSite = constant("Sec-Fetch-Site")
    /// Keeps reverse proxies from holding back an event stream.
    static let accelBuffering = constant("X-Accel-Buffering")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a field name is a token") }
        return name
    }
}
