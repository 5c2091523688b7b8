import SignalingProtocol

/// Tokens that open a room to viewers.
public enum PublicationToken {
    /// 128 random bits of the system's generator, as 32 hexadecimal digits.
    public static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return BearerToken(using: &generator).secret
    }
}
