import Logging
import ScreenShare
import SignalingServer

/// Where and under which rules a share is published; decided by the options of `host`.
struct SignalingPlan: Sendable {
    let room: String
    let signaling: String?
    let listen: ListenAddress?
    /// What the server in this process answers to.
    let names: ServerNames
    let token: String?
    let open: Bool
    let maximumViewers: Int
    /// What viewers are told by the server in this process.
    let iceServers: @Sendable () -> [ICEServer]

    /// A running publication, and the server in this process if there is one.
    struct OpenRoom: Sendable {
        /// Lines.
        let greeting: [String]
        fileprivate let publication: PublishedRoom
        fileprivate let server: EmbeddedServer?
        /// Where the server is another process of this user's, for this machine alone: nobody else loses a port by it.
        fileprivate var standIn: StandInServer?

        func close() async {
            await publication.end()
            await server?.stop()
            await standIn?.stop()
        }
    }

    func open(session: ShareSession, logger: Logger) async throws -> OpenRoom {
        if let signaling { return try await publish(session, at: signaling, token: token, server: nil, note: nil) }
        let address = listen ?? .standard
        if listen == nil, await SignalingProbe.answersHere(port: address.port) {
            return try await openAtStandingServer(session, logger)
        }
        if listen == nil, await SignalingProbe.answers(at: Self.standing) {
            throw Failure(
                .unavailable,
                "another user's signaling server is at \(address): name it by --signaling \(Self.standing) if you trust it, "
                    + "or choose another --listen")
        }
        // Others in the network may watch here; a stranger's screen is not what they came for.
        let secret = address.isLoopback ? nil : PublicationToken.random()
        let server = makeServer(at: address, sharer: try sharer(secret), logger)
        let place = try await server.start()
        do {
            return try await publish(
                session, at: "http://\(place.own)", shown: "http://\(place.reachable)",
                token: viewerToken(isLocal: address.isLoopback), server: server, note: place.note, sharerToken: secret)
        } catch {
            await server.stop()
            throw error
        }
    }

    private static let standing = "http://\(ListenAddress.standard)"

    /// At this user's server, or root's, that runs at the standard address already.
    private func openAtStandingServer(_ session: ShareSession, _ logger: Logger) async throws -> OpenRoom {
        let port = ListenAddress.standard.port
        // It may listen elsewhere too: whoever started it so has not said --open for this share.
        let isLocal = SignalingProbe.isOnLoopback(port: port)
        do {
            let token = viewerToken(isLocal: isLocal)
            var room = try await publish(
                session, at: Self.standing, token: token, server: nil, note: standingNote(isLocal: isLocal),
                objection: { Self.objection(port: port, isForLoopback: token == nil && !open) })
            if SignalingProbe.isOwnOnLoopback(port: port) {
                room.standIn = StandInServer(port: port) { makeServer(at: .standard, logger) }
            }
            return room
        } catch let failure as Failure where failure.code == .noPermission {
            throw Failure(
                .noPermission,
                "\(failure.message) It runs at \(Self.standing); choose another --listen for one of your own.")
        }
    }

    /// Why the room is not to be asked for, be it anew: another server has taken the place of the one that was found.
    /// Nor is it where nobody listens, who may be somebody else by the time that the token arrives.
    ///
    /// - Parameter isForLoopback: viewers need no token, and are on this machine.
    static func objection(port: Int, isForLoopback: Bool) -> String? {
        let isBeyondLoopback = SignalingProbe.isBeyondLoopback(port: port)
        guard isBeyondLoopback || SignalingProbe.isOnLoopback(port: port) else {
            return "nobody listens at \(standing) any more"
        }
        guard SignalingProbe.isTrusted(port: port) else {
            return "another user's signaling server is at \(standing) by now: start the share anew"
        }
        guard isForLoopback, isBeyondLoopback else { return nil }
        return "others in the network reach the server by now, and viewers of this share need no token: start it anew"
    }

    /// - Parameter isLocal: the server is reached from this machine alone.
    func standingNote(isLocal: Bool) -> String {
        var note = "Using the signaling server that already runs at \(Self.standing)"
        if !names.isEmpty { note += ", which goes by its own --allow-host and --allow-origin, not by these" }
        if isLocal { return "\(note)." }
        return "\(note); others in the network reach it, and \(open ? "need no token (--open)" : "need the token")."
    }

    private func makeServer(
        at address: ListenAddress, sharer: (room: RoomName, token: BearerToken)? = nil, _ logger: Logger
    ) -> EmbeddedServer {
        EmbeddedServer(
            listen: address, sharer: sharer, allowedHosts: names.allowedHosts, allowedOrigins: names.allowedOrigins,
            iceServers: iceServers, logger: logger)
    }

    private func sharer(_ secret: String?) throws -> (room: RoomName, token: BearerToken)? {
        guard let secret else { return nil }
        guard let name = RoomName(room), let token = BearerToken(secret) else {
            throw Failure(.usage, "\(room) can't be the name of a room")
        }
        return (name, token)
    }

    /// Beyond this machine, viewers need a token unless the sharer says that they don't.
    ///
    /// - Parameter isLocal: the server is reached from this machine alone.
    func viewerToken(isLocal: Bool) -> String? {
        token ?? (isLocal || open ? nil : PublicationToken.random())
    }

    /// - Parameter shown: where others find the server; by default at the same address.
    private func publish(
        _ session: ShareSession, at server: String, shown: String? = nil, token: String?,
        server embedded: EmbeddedServer?, note: String?, sharerToken: String? = nil,
        objection: @escaping @Sendable () -> String? = { nil }
    ) async throws -> OpenRoom {
        var request = RoomPublication(
            // The session refuses who is too many; the server counts those on their way as well.
            server: server, room: room, viewerToken: token, maximumViewers: 2 * maximumViewers, sharerToken: sharerToken)
        request.objection = objection
        let publication: PublishedRoom
        do {
            publication = try await TakenRoom.askedTwice({ try await session.publish(request) })
        } catch let error as ShareError {
            throw Failure(error)
        }
        return OpenRoom(
            greeting: greeting(server: shown ?? server, token: token, note: note), publication: publication, server: embedded)
    }

    func greeting(server: String, token: String?, note: String?) -> [String] {
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        let link = "\(base)/r/\(room)" + (token.map { "#t=\($0)" } ?? "")
        let isStandard = base == "http://\(ListenAddress.standard)"
        var command = "\(ProcessSetup.program) view \(Shell.option("room", room))"
        if !isStandard { command += " \(Shell.option("signaling", base))" }
        if let token { command += " \(Shell.option("token", token))" }
        return (note.map { [$0] } ?? [])
            + ["Sharing in room \"\(room)\".", "  Open in a browser:  \(link)", "  Or watch with:      \(command) | ffplay -"]
    }
}
