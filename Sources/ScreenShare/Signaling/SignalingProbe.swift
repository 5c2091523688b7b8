import SignalingClient

/// Whether a signaling server answers somewhere.
public enum SignalingProbe {
    /// Whether this user's, or root's, answers at a port of loopback; another user's is not trusted with tokens.
    public static func answersHere(port: Int) async -> Bool {
        guard LocalListener.isTrusted(port: port) else { return false }
        return await answers(at: "http://127.0.0.1:\(port)")
    }

    /// Whether somebody listens at a port, and whoever does is this user or root.
    package static func isTrusted(port: Int) -> Bool { LocalListener.isTrusted(port: port) }

    /// Whether whoever listens at a port does so at loopback only: nobody in the network is served.
    package static func isOnLoopback(port: Int) -> Bool { LocalListener.isOnLoopback(port: port) }

    /// Whether somebody listens at a port whom others in the network reach.
    package static func isBeyondLoopback(port: Int) -> Bool { LocalListener.isBeyondLoopback(port: port) }

    /// Whether it is this user's alone, and listens at loopback only: no other user, and nobody in the network, is served.
    public static func isOwnOnLoopback(port: Int) -> Bool { LocalListener.isOwnOnLoopback(port: port) }

    /// Whether one answers at an address, such as `https://meet.example.org`; false for one that is malformed, and where the
    /// process may open too few files or start too few threads to ask.
    public static func answers(at server: String) async -> Bool {
        guard let address = try? ServerAddress(server), (try? ProcessLimits.checkRequests()) != nil else { return false }
        return await address.answers()
    }

    /// Whether requests can be sent to an address: it is HTTP's, with a host, and a port that there can be.
    package static func isAddress(_ text: String) -> Bool { (try? WHEPClient(endpoint: text)) != nil }
}
