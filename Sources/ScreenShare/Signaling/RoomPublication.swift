import SignalingClient
import SignalingProtocol

/// A room on a signaling server, in which a share is to be found.
public struct RoomPublication: Sendable {
    /// The server's address, such as `https://meet.example.org`.
    public var server: String
    /// Letters, digits and `. _ ~ -`, at most 64; not `.` or `..` alone.
    public var room: String
    /// What the room is called on pages, 1…80 characters without line breaks; the room's name where missing.
    public var title: String?
    /// Viewers must present it, where given: 1…256 characters of a `b64token` (RFC 6750 § 2.1).
    public var viewerToken: String?
    /// How many the server lets in at one time, from 0 up and no more than its policy allows; nil: as many as that. The
    /// share's own `maximumViewers` counts besides.
    public var maximumViewers: Int?
    /// What the server itself demands of those who share: 1…8192 visible characters of ASCII, as a signed statement has.
    public var sharerToken: String?
    /// Asked before each registration: why there is to be none now, in words.
    package var objection: @Sendable () -> String? = { nil }

    /// Nothing is checked here: `ShareSession.publish` does.
    public init(
        server: String, room: String, title: String? = nil, viewerToken: String? = nil, maximumViewers: Int? = nil,
        sharerToken: String? = nil
    ) {
        self.server = server
        self.room = room
        self.title = title
        self.viewerToken = viewerToken
        self.maximumViewers = maximumViewers
        self.sharerToken = sharerToken
    }

    func configuration() throws(ShareError) -> SharerClient.Configuration {
        guard let address = try? ServerAddress(server) else { throw .signaling("\"\(server)\" is no server's address") }
        guard let room = RoomName(room) else { throw .invalid("\"\(room)\" can't be the name of a room") }
        let viewers = viewerToken.flatMap { BearerToken($0) }
        if viewerToken != nil, viewers == nil { throw .invalid("a token has 1…256 letters, digits and -._~+/") }
        let sharers = sharerToken.flatMap { BearerToken(foreign: $0) }
        if sharerToken != nil, sharers == nil { throw .invalid("a sharer's token has 1…8192 visible characters") }
        let name = title.flatMap(DisplayName.init)
        if title != nil, name == nil { throw .invalid("a title has 1…80 characters and no line breaks") }
        var configuration = SharerClient.Configuration(
            server: address, room: room, name: name, viewerToken: viewers, maxViewers: maximumViewers,
            sharerToken: sharers)
        configuration.objection = objection
        return configuration
    }
}

extension ShareSession {
    /// Makes the share joinable in a room: viewers' offers are answered from now on, by WHEP on the server's side.
    ///
    /// A server that is lost is found again in the background (`ShareEvent.roomLost`); running media doesn't notice.
    /// - Returns: what is to be kept: once nobody holds it, the room is given back, and nobody finds the share any more.
    /// - Throws: `ShareError.unavailable` where the server can't be reached, or can't do it now, `.signaling` where it never
    ///   will, `.roomTaken` where somebody else has the room, `.forbidden` where it demands a token or takes none of ours,
    ///   `.cancelled` in a task that is, `.network` where the process may open too few files or start too few threads, with what
    ///   to do about it, `.invalid` after `stop`, or where room, title or token are malformed; what ended the share where nobody
    ///   stopped it.
    public func publish(_ publication: RoomPublication) async throws(ShareError) -> PublishedRoom {
        let client = SharerClient(try publication.configuration(), logger: logger)
        try checkRunning()
        // The share may not have been started, or have been when there was room.
        try ProcessLimits.checkRequests()
        do throws(SignalingError) { try await client.connect() } catch {
            try checkRunning()
            throw error.shareError(publication.server)
        }
        do { try checkRunning() } catch {
            await client.end()
            throw error
        }
        let room = PublishedRoom(session: self, client: client, publication: publication, logger: logger)
        await room.start()
        return room
    }

    private func checkRunning() throws(ShareError) {
        if case .stopped(let cause) = state { throw cause ?? .invalid("the session has stopped") }
    }
}

extension SignalingError {
    func shareError(_ server: String) -> ShareError {
        switch self {
        case .tokenRequired: .forbidden("the server at \(server) demands a token")
        case .forbidden(let words): .forbidden(words)
        case .roomTaken(let time): .roomTaken(retryAfter: time)
        case .cancelled: .cancelled
        case .badAddress, .unreachable, .notThereYet, .gone, .stale, .elsewhere, .refused, .unreadable:
            isTemporary
                ? .later("\(server): \(description)", after: retryAfter)
                : .signaling("\(server): \(description)")
        }
    }
}
