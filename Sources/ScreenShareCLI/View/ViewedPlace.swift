/// What is viewed, as a person is told of it.
struct ViewedPlace {
    let room: String?
    /// The signaling server's address, or the WHEP endpoint.
    let address: String

    /// `in room "demo" at http://127.0.0.1:8080`. What may be secret in an endpoint, a password or a query, is left out.
    var text: String {
        room.map { "in room \"\($0)\" at \(shownAddress)" } ?? "at \(shownAddress)"
    }

    var shownAddress: String {
        let open = address.prefix { $0 != "?" && $0 != "#" }
        var parts = open.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        // Behind "http:" and nothing.
        if parts.count > 2, let at = parts[2].lastIndex(of: "@") { parts[2].removeSubrange(...at) }
        return parts.joined(separator: "/")
    }
}
