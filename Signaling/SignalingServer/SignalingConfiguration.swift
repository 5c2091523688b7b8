public import SignalingProtocol

/// How a signaling server listens, and whom it lets in.
public struct SignalingConfiguration: Sendable {
    /// The address to listen at. The default is reached from this machine alone.
    public var host = "127.0.0.1"
    /// The port to listen at; 0 takes any that is free.
    public var port = 8080
    /// The address the world knows this server by, such as `https://share.example.org`, where it differs.
    public var baseURL: String?
    /// Host names that requests may name, besides `localhost`, plain IP addresses, `host` and that of `baseURL`. All
    /// others are turned away, so that a page whose name is rebound to this address gets nothing.
    public var allowedHosts: [String] = []
    /// Origins besides our own whose pages may use this server, such as `https://player.example.org`.
    public var allowedOrigins: [String] = []
    /// Lets pages of any origin watch rooms that need no token (CORS `*`). Off by default: a page that is merely open
    /// in a browser on this machine could otherwise watch a screen that is shared here for this machine alone.
    public var viewersFromAnyOrigin = false
    /// Whether `GET /v1/rooms` names the rooms that are open to everyone.
    public var listsRooms = true
    /// STUN and TURN servers that viewers are told of.
    public var iceServers: [ICEServer] = []
    /// More of them, made anew for each viewer: TURN credentials that lapse.
    public var viewerICEServers: @Sendable () -> [ICEServer] = { [] }
    /// What holds in each room; nil: nobody may share there.
    public var policy: @Sendable (RoomName) -> RoomPolicy? = { _ in .open }
    /// Rooms at one time.
    public var maxRooms = 256
    /// Offers that wait for an answer, in all rooms. With one more the room that has most of them loses its oldest, unless
    /// the newcomer's has as many.
    public var maxPendingSessions = 128
    /// Open connections; more wait until one is closed. With seven of eight of them the oldest that has brought no request
    /// makes place for each that comes.
    public var maxConnections = 1024
    package var timing = Timing()

    /// For this machine alone: anyone on it may share and watch at `127.0.0.1:8080`.
    public init() {}

    /// One viewer's.
    var links: @Sendable () -> [String] {
        { [iceServers, viewerICEServers] in (iceServers + viewerICEServers()).compactMap(\.link) }
    }
}

/// What holds in one room.
public struct RoomPolicy: Sendable {
    /// What a sharer must present to take the room.
    public var sharerToken: BearerToken?
    /// What viewers must present, unless the sharer asks for a token of its own.
    public var viewerToken: BearerToken?
    /// Whether the room is in the list of rooms while it needs no token.
    public var isListed: Bool
    /// Viewers at one time, whatever the sharer asks for; never more than 1024.
    public var maxViewers: Int

    /// Without tokens anyone may share and watch.
    public init(
        sharerToken: BearerToken? = nil, viewerToken: BearerToken? = nil, isListed: Bool = true, maxViewers: Int = 256
    ) {
        self.sharerToken = sharerToken
        self.viewerToken = viewerToken
        self.isListed = isListed
        self.maxViewers = maxViewers
    }

    /// Anyone may share and anyone may watch.
    public static let open = RoomPolicy()
}

/// A STUN or TURN server as viewers are told of it (RFC 9725 § 4.6).
public struct ICEServer: Sendable {
    /// Such as `stun:stun.example.org:3478` or `turn:turn.example.org?transport=udp`.
    public var url: String
    /// TURN's; left out of what viewers are told where `credential` is nil.
    public var username: String?
    /// The password that goes with `username`. Whoever may join a room can read both.
    public var credential: String?

    /// Unchecked: what can't stand in a `Link` field (RFC 8288) is not told to viewers.
    public init(url: String, username: String? = nil, credential: String? = nil) {
        self.url = url
        self.username = username
        self.credential = credential
    }

    /// The server as a `Link` field, or nil where a value cannot stand in one.
    var link: String? {
        guard !url.isEmpty, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ">") }) else {
            return nil
        }
        let base = "<\(url)>; rel=\"ice-server\""
        guard let username, let credential else { return base }
        guard let username = Self.quoted(username), let credential = Self.quoted(credential) else { return nil }
        return "\(base); username=\(username); credential=\(credential); credential-type=\"password\""
    }

    /// A quoted-string (RFC 9110 § 5.6.4).
    private static func quoted(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
