/// A viewer that has connected.
public struct ViewerArrival: Hashable, Sendable {
    /// The name of `LocalDescription.viewer`.
    public let viewer: String
    /// How many are connected, this one among them.
    public let viewers: Int
}
