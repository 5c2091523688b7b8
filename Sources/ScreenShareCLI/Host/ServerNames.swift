import ArgumentParser

/// By what names others reach a server of ours: options of `host`, `serve` and `doctor`, for where a proxy stands before it.
struct ServerNames: ParsableArguments {
    @Option(name: .customLong("allow-host"), help: "A host name under which this server is reached; can be repeated.")
    var allowedHosts: [String] = []

    @Option(name: .customLong("allow-origin"), help: "A web origin whose pages may join rooms; can be repeated.")
    var allowedOrigins: [String] = []

    var isEmpty: Bool { allowedHosts.isEmpty && allowedOrigins.isEmpty }

    func validate() throws {
        // What is no name or origin would never match, and turn everybody away without a word why.
        if let host = allowedHosts.first(where: { !Self.isHost($0) }) {
            throw ValidationError(
                "--allow-host takes a name alone, such as meet.example.org, without scheme, port, path or *: not "
                    + "\"\(host)\".")
        }
        if let origin = allowedOrigins.first(where: { !Self.isOrigin($0) }) {
            throw ValidationError(
                "--allow-origin takes a scheme and a name without *, such as https://meet.example.org: not "
                    + "\"\(origin)\".")
        }
    }

    private static func isHost(_ text: String) -> Bool {
        if text.first == "[" { return text.last == "]" && !text.contains("/") }
        return !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/:@?#*".utf8.contains($0) }
    }

    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: text.lowercased().hasPrefix) else { return false }
        // What stands behind it does not count.
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" }
        return !authority.isEmpty && authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@?#*".utf8.contains($0) }
    }
}
