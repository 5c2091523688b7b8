/// What a TURN server knows one viewer by (RFC 8489 § 9.2), to be handed to it.
public struct ViewerCredentials: Hashable, Sendable {
    /// Where the server shares a secret, it begins with the second since 1970 in which it lapses.
    public let username: String
    /// The key that goes with it.
    public let password: String
}

// Secrets stay out of logs.

extension ViewerCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "user name and password" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
