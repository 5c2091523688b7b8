/// What a room looks like from outside.
public struct RoomState: Hashable, Codable, Sendable {
    public enum Phase: String, Codable, Sendable, CaseIterable {
        /// Nobody shares, or the sharer is not heard.
        case waiting
        /// Pictures flow.
        case live
        /// The sharer holds the pictures back.
        case paused
    }

    /// What viewers are to hear.
    public enum Audio: String, Codable, Sendable, CaseIterable {
        case on
        /// The sharer has muted all of it.
        case muted
    }

    /// What the way to one viewer lets through.
    public enum Path: String, Codable, Sendable, CaseIterable {
        /// Too little for moving pictures: this viewer is sent one now and then.
        case narrow
    }

    public var room: RoomName
    public var state: Phase
    /// Viewers the sharer has connected.
    public var viewers: Int
    /// Whether a viewer needs a token to join.
    public var tokenRequired: Bool
    /// What the sharer calls the room.
    public var name: String?
    /// Missing where nobody shares, or no sound.
    public var audio: Audio?
    /// Of the viewer who asks by its session; missing where nobody does, or all is well.
    public var path: Path?

    public init(
        room: RoomName, state: Phase, viewers: Int, tokenRequired: Bool, name: String? = nil, audio: Audio? = nil,
        path: Path? = nil
    ) {
        self.room = room
        self.state = state
        self.viewers = viewers
        self.tokenRequired = tokenRequired
        self.name = name
        self.audio = audio
        self.path = path
    }
}

/// The rooms that are open to everyone, in alphabetical order.
public struct RoomList: Hashable, Codable, Sendable {
    public var rooms: [RoomState]

    public init(rooms: [RoomState]) {
        self.rooms = rooms
    }
}
