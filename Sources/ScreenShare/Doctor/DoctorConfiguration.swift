/// What is to be shared, and by what: as a ``ShareSession`` would be told it.
public struct DoctorConfiguration: Sendable {
    /// How viewers and the sharer find each other.
    @nonexhaustive public enum Signaling: Sendable {
        /// At a server elsewhere, such as `https://meet.example.org`.
        case server(String)
        /// By a server in this process, which listens here.
        ///
        /// - mayUseAnother: where a signaling server already listens there, that one would be used.
        case listening(host: String, port: Int, mayUseAnother: Bool)
        /// By the embedder's own means: nothing is looked at.
        case own
    }

    /// The X display, `:0` style; nil reads `DISPLAY`.
    public var display: String?
    /// Whether a display is shared; false where pictures come from elsewhere, and none is looked at.
    public var sharesDisplay = true
    /// The sound that is to be shared; nil: the system's, where there is any.
    public var audio: AudioConfiguration?
    /// Its port is bound for a moment, and its servers are asked.
    public var network = NetworkConfiguration()
    /// How viewers are to find the share; as `screenshare host` has it.
    public var signaling = Signaling.listening(host: "127.0.0.1", port: 8080, mayUseAnother: true)
    /// The room that is to be shared in; nil: any.
    public var room: String?
    /// What the signaling server demands of those who share, as `RoomPublication` has it.
    public var sharerToken: String?

    /// A share of this display with the system's sound, by a server of its own.
    public init() {}
}
