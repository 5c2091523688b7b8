/// `POST …/share`: a sharer asks for a room.
package struct ShareRequest: Codable, Sendable {
    package var name: DisplayName?
    /// What viewers must present; the server's own policy holds where this is missing.
    package var viewerToken: BearerToken?
    package var maxViewers: Int?
    /// The share this sharer had before, so that it gets the same one again, also from a server that was restarted.
    package var resume: ShareCredentials?
    /// Sessions that are still running, so that their addresses go on working.
    package var sessions: [SessionTicket]?

    package init(
        name: DisplayName? = nil, viewerToken: BearerToken? = nil, maxViewers: Int? = nil,
        resume: ShareCredentials? = nil, sessions: [SessionTicket]? = nil
    ) {
        self.name = name
        self.viewerToken = viewerToken
        self.maxViewers = maxViewers
        self.resume = resume
        self.sessions = sessions
    }
}

/// The address of a share and the secret that opens it.
package struct ShareCredentials: Codable, Sendable, Equatable {
    package var shareId: RandomID
    package var secret: BearerToken

    package init(shareId: RandomID, secret: BearerToken) {
        self.shareId = shareId
        self.secret = secret
    }
}

/// What server and sharer both know about a running session.
package struct SessionTicket: Codable, Sendable, Equatable {
    package var sessionId: RandomID
    /// The entity-tag of its ICE session.
    package var etag: EntityTag
    /// The viewer's ICE user name fragment, by which a restart is told from a trickle.
    package var ufrag: String?

    package init(sessionId: RandomID, etag: EntityTag, ufrag: String?) {
        self.sessionId = sessionId
        self.etag = etag
        self.ufrag = ufrag
    }
}

/// The answer to a `ShareRequest`.
package struct ShareReceipt: Codable, Sendable {
    package var shareId: RandomID
    package var secret: BearerToken
    /// True where the server still had this share: event numbers go on. False: they start again.
    package var resumed: Bool
    /// Names the numbering of the events: a share that was made anew has another. Missing at older servers.
    package var epoch: RandomID?
    /// Path (or URL, where the server knows its own) of the event stream; the other addresses hang below its parent.
    package var eventsUrl: String
    /// How often the server writes into an idle event stream, and how often it wants to hear the sharer at least.
    package var heartbeatSeconds: Double
    /// After this time without a word from the sharer, viewers are turned away.
    package var silenceSeconds: Double

    package init(
        shareId: RandomID, secret: BearerToken, resumed: Bool, epoch: RandomID? = nil, eventsUrl: String,
        heartbeatSeconds: Double, silenceSeconds: Double
    ) {
        self.shareId = shareId
        self.secret = secret
        self.resumed = resumed
        self.epoch = epoch
        self.eventsUrl = eventsUrl
        self.heartbeatSeconds = heartbeatSeconds
        self.silenceSeconds = silenceSeconds
    }
}

/// `PUT …/state`: the sharer is alive.
package struct ShareState: Codable, Sendable, Equatable {
    package enum Phase: String, NeededWord {
        case live, paused

        package static let unknown = Phase.paused
    }

    package var state: Phase
    /// Viewers with a connection.
    package var viewers: Int
    /// Missing where no sound is shared.
    package var audio: RoomState.Audio?
    /// Kinds of sound that are shared, but muted; missing where there is none.
    package var muted: [RoomState.Sound]?
    /// The number of the last event the sharer has taken in: the server forgets all up to it.
    package var seen: UInt64?
    /// The receipt's, which `seen` is of; missing where it had none.
    package var epoch: RandomID?
    /// Sessions whose path takes too little for moving pictures; missing where there is none.
    package var narrow: [RandomID]?

    package init(
        state: Phase, viewers: Int, audio: RoomState.Audio? = nil, muted: [RoomState.Sound]? = nil, seen: UInt64? = nil,
        epoch: RandomID? = nil, narrow: [RandomID]? = nil
    ) {
        self.state = state
        self.viewers = viewers
        self.audio = audio
        self.muted = muted
        self.seen = seen
        self.epoch = epoch
        self.narrow = narrow
    }
}
