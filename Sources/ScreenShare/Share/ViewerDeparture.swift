/// A viewer that is gone, be it before it had connected.
public struct ViewerDeparture: Hashable, Sendable {
    /// The name of `LocalDescription.viewer`.
    public let viewer: String
    /// How many are still connected.
    public let viewers: Int
    /// Why it is gone.
    public let reason: Reason

    /// Why a viewer is gone.
    public struct Reason: Hashable, Sendable {
        /// For a program.
        public let kind: Kind
        /// For a person, as a part of a sentence: `closed by the other side`.
        public let text: String
    }
}

extension ViewerDeparture.Reason {
    /// What ended a viewer's connection, or kept it from coming about.
    @nonexhaustive public enum Kind: Hashable, Sendable {
        /// It said goodbye, or closed its connection.
        case closed
        /// `ShareSession.remove` sent it away.
        case removed
        /// Nothing was heard of it for 30 seconds (RFC 7675 § 5.1). It may come back, as another viewer.
        case consentExpired
        /// No way to it was found (RFC 8445 § 8.1.2), or connecting took too long.
        case unreachable
        /// Of DTLS: its certificate is not the one it announced (RFC 5763 § 5), or there is no common encryption.
        case handshakeFailed
        /// What is sent to it can't be encrypted any more.
        case protectionFailed
        /// All places were taken, and another needed its own before it had connected.
        case displaced
        /// Its answer to `ShareSession.counterOffer` can't be used.
        case unusableAnswer
        /// Our answer or offer did not arrive at the room's server.
        case undelivered
    }
}
