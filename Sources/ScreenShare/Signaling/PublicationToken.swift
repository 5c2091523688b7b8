import SignalingProtocol

/// Tokens that open a room to viewers.
public enum PublicationToken {
    /// 128 random bits.
    public static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return BearerToken(using: &generator).secret
    }
}
