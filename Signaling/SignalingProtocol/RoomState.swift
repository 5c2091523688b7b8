/// What a room looks like from outside.
package struct RoomState: Hashable, Codable, Sendable {
    /// Whether there is something to see.
    package enum Phase: String, NeededWord {
        /// Nobody shares, or the sharer is not heard.
        case waiting
        /// Pictures flow.
        case live
        /// The sharer holds the pictures back.
        case paused

        /// Pictures are not to be counted on: who did would take their path for broken.
        package static let unknown = Phase.paused
    }

    /// What viewers are to hear.
    package enum Audio: String, OpenWord {
        /// At least one source of sound is not muted.
        case on
        /// The sharer has muted all of it.
        case muted
    }

    /// A kind of sound.
    package enum Sound: String, OpenWord {
        /// What the sharer's machine plays.
        case system
        /// Who speaks.
        case microphone
    }

    /// What the way to one viewer lets through.
    package enum Path: String, OpenWord {
        /// Too little for moving pictures: this viewer is sent one now and then.
        case narrow
    }

    /// The one that was asked for; any name is a room that waits.
    package var room: RoomName
    /// Told to everyone; what follows, but for `tokenRequired`, only to those who may watch.
    package var state: Phase
    /// Viewers the sharer has connected; 0 for those who may not watch.
    package var viewers: Int
    /// Whether a viewer needs a token to join.
    package var tokenRequired: Bool
    /// What the sharer calls the room; missing where it gave no name.
    package var name: String?
    /// Missing where nobody shares, or no sound.
    package var audio: Audio?
    /// Kinds of sound that are shared, but muted, each once; missing where there is none, or the sharer doesn't say.
    package var muted: [Sound]?
    /// Of the viewer who asks by its session; missing where nobody does, or all is well.
    package var path: Path?

    /// What is nil is missing in the JSON.
    package init(
        room: RoomName, state: Phase, viewers: Int, tokenRequired: Bool, name: String? = nil, audio: Audio? = nil,
        muted: [Sound]? = nil, path: Path? = nil
    ) {
        self.room = room
        self.state = state
        self.viewers = viewers
        self.tokenRequired = tokenRequired
        self.name = name
        self.audio = audio
        self.muted = muted
        self.path = path
    }
}

/// The rooms that are open to everyone, in alphabetical order.
package struct RoomList: Hashable, Codable, Sendable {
    /// Shared ones that need no token and that the policy lists.
    package var rooms: [RoomState]

    /// Empty where the server lists none.
    package init(rooms: [RoomState]) {
        self.rooms = rooms
    }
}
