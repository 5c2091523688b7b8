/// What sizes a source and its pictures have from now on, in pixels.
public struct SourceChange: Hashable, Sendable {
    /// Of the source.
    public let sourceWidth: Int
    /// Likewise, in rows.
    public let sourceHeight: Int
    /// Of the picture that encoders are given, even.
    public let width: Int
    /// Likewise, in rows.
    public let height: Int
}
