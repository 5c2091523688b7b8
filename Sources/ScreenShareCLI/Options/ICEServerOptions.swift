import ArgumentParser
import ScreenShare
import SignalingServer

/// STUN and TURN servers: options of `host`, `view`, `serve` and `doctor`.
struct ICEServerOptions: ParsableArguments {
    @Option(name: .customLong("stun"), help: "A STUN server, stun:host[:port]; can be repeated.")
    var stunServers: [String] = []

    @Option(
        name: .customLong("turn"),
        help: ArgumentHelp(
            "A TURN server, turn:[user:password@]host[:port][?transport=udp|tcp], or turns: for TLS; can be repeated. "
                + "Others on this machine see what stands on a command line (ps): put SCREENSHARE_TURN or the next three "
                + "into the environment instead.",
            valueName: "turn"))
    var turnAddresses: [String] = []

    @Option(help: "The user name at TURN servers that are given without one.")
    var turnUser: String?

    @Option(help: "The password that goes with it; better in SCREENSHARE_TURN_PASSWORD.")
    var turnPassword: String?

    @Option(
        help: ArgumentHelp(
            "The secret shared with the TURN servers (coturn's static-auth-secret), of which credentials are made that "
                + "lapse, for each viewer its own; better in SCREENSHARE_TURN_SECRET."))
    var turnSecret: String?

    func validate() throws {
        if turnSecret != nil, turnUser != nil || turnPassword != nil {
            throw ValidationError("Choose --turn-secret, or --turn-user and --turn-password.")
        }
        if (turnUser == nil) != (turnPassword == nil) {
            throw ValidationError("--turn-user and --turn-password go together.")
        }
        let logins = [("--turn-user", turnUser), ("--turn-password", turnPassword), ("--turn-secret", turnSecret)]
        if turnAddresses.isEmpty, let (name, _) = logins.first(where: { $0.1 != nil }) {
            throw ValidationError("\(name) is for a TURN server: name it by --turn.")
        }
        if turnAddresses.count > Self.mostServers { throw ValidationError("At most \(Self.mostServers) TURN servers.") }
        _ = try turnServers()
        for server in stunServers where !NetworkConfiguration.isSTUNServer(server) {
            throw ValidationError("--stun takes stun:host[:port], not \"\(server)\".")
        }
    }

    /// As many as a session takes.
    private static let mostServers = 4

    /// Whether there is one to be reached by TLS.
    static func areSecure(_ addresses: [String]) -> Bool {
        addresses.contains { $0.lowercased().hasPrefix("turns:") }
    }

    func turnServers() throws -> [TURNServer] { try turnAddresses.map(server) }

    private func server(_ text: String) throws -> TURNServer {
        guard let address = TURNAddress(text) else {
            throw ValidationError("--turn takes turn:[user:password@]host[:port]; a user name needs a password.")
        }
        do throws(ShareError) {
            return try TURNServer(url: address.url, credentials: try credentials(address))
        } catch {
            throw ValidationError("--turn: \(error.description.replacing(address.url, with: address.shown)).")
        }
    }

    private func credentials(_ address: TURNAddress) throws(ShareError) -> TURNServer.Credentials {
        if let (username, password) = address.login { return .password(username: username, password: password) }
        if let turnSecret { return .sharedSecret(turnSecret) }
        guard let turnUser, let turnPassword else {
            throw .invalid(
                "\(address.url) needs a user name and a password (turn:user:password@host, or --turn-user and "
                    + "--turn-password), or --turn-secret")
        }
        return .password(username: turnUser, password: turnPassword)
    }

    /// What viewers are told, each for itself.
    func viewerServers() throws -> @Sendable () -> [ICEServer] {
        let (stun, turn) = (stunServers, try turnServers())
        return {
            stun.map { ICEServer(url: $0) }
                + turn.compactMap { server in
                    server.viewerCredentials().map {
                        ICEServer(url: server.url, username: $0.username, credential: $0.password)
                    }
                }
        }
    }
}

/// `turn:user:password@host…`: RFC 7065 has no room for the user, but people have no better place for it.
struct TURNAddress {
    /// Without user and password.
    let url: String
    let login: (username: String, password: String)?

    /// Nil where there is half a login, or no scheme. What else is wrong is found by `TURNServer`.
    init?(_ text: String) {
        guard Self.hasScheme(text[...]), let colon = text.firstIndex(of: ":") else { return nil }
        guard let at = text.lastIndex(of: "@") else {
            (url, login) = (text, nil)
            return
        }
        let parts = text[text.index(after: colon)..<at].split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let username = Self.decoded(parts[0]), let password = Self.decoded(parts[1]),
            !username.isEmpty, !password.isEmpty
        else { return nil }
        url = String(text[...colon]) + text[text.index(after: at)...]
        login = (username, password)
    }

    /// `stun:` is refused in its own words.
    static func hasScheme(_ text: Substring) -> Bool {
        ["turn:", "turns:", "stun:"].contains(where: text.lowercased().hasPrefix)
    }

    /// What may be told of one that is refused: where the host was forgotten, the password stands in the place of a port.
    var shown: String {
        let parts = url.split(separator: ":", omittingEmptySubsequences: false)
        return login == nil && parts.count > 2 ? "\(parts[0]):\(parts[1])…" : url
    }

    /// RFC 3986 § 2.1: a colon in the user name is %3A.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
