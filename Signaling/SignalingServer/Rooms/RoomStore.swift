import Logging
import SignalingProtocol

/// All rooms and everyone in them: the one place where the server's state changes.
actor RoomStore {
    struct Room {
        var share: Share?
        var watchers: [UInt64: Watcher] = [:]

        var isEmpty: Bool { share == nil && watchers.isEmpty }
    }

    let configuration: SignalingConfiguration
    let clock: ServerClock
    let logger: Logger
    var rooms: [RoomName: Room] = [:]
    var random = SystemRandomNumberGenerator()
    var lastWatcher: UInt64 = 0
    private(set) var isStopping = false
    /// Of all who measure the way here.
    private var transfers: RateLimit

    var timing: Timing { configuration.timing }

    init(configuration: SignalingConfiguration, clock: ServerClock, logger: Logger) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        transfers = RateLimit(
            burst: ServerLimits.transferBurst, perSecond: ServerLimits.transfersPerSecond, at: clock.now())
    }

    // MARK: Rooms as others see them

    /// The rooms anyone may enter, as far as the server names them.
    func list() -> RoomList {
        guard configuration.listsRooms else { return RoomList(rooms: []) }
        let open = rooms.keys.filter { configuration.policy($0)?.isListed == true }
            .map { state(of: $0) }
            .filter { $0.state != .waiting && !$0.tokenRequired }
        return RoomList(rooms: open.sorted { $0.room.description < $1.room.description })
    }

    /// A room's state, as the viewer of that session sees it. A name nobody uses looks like a room that waits, and who may
    /// not watch sees no more than whether it does.
    func state(of name: RoomName, for session: RandomID? = nil, presented token: BearerToken? = nil) -> RoomState {
        let share = rooms[name]?.share
        let isNarrow = session.flatMap { id in share.map { isHeard($0) && $0.state.narrow?.contains(id) == true } } ?? false
        let wanted = viewerToken(in: name)
        let shown = wanted == nil || wanted == token ? share : nil
        let heard = shown.flatMap { isHeard($0) ? $0.state : nil }
        return RoomState(
            room: name, state: share.map(phase) ?? .waiting, viewers: shown.map { $0.state.viewers } ?? 0,
            tokenRequired: wanted != nil, name: shown?.name?.description,
            audio: heard?.audio, muted: heard?.muted, path: isNarrow ? .narrow : nil)
    }

    private func phase(of share: Share) -> RoomState.Phase {
        guard isHeard(share) else { return .waiting }
        switch share.state.state {
        case .live: return .live
        case .paused: return .paused
        }
    }

    // MARK: Rules

    /// What viewers must present in this room.
    func viewerToken(in name: RoomName) -> BearerToken? {
        rooms[name]?.share?.viewerToken ?? configuration.policy(name)?.viewerToken
    }

    /// Whether somebody who may share in this room may measure the way here just now.
    func takeTransfer(in name: RoomName, presented: BearerToken?) throws(ProblemError) {
        guard let policy = configuration.policy(name) else { throw ProblemError(.sharingNotAllowed) }
        if let token = policy.sharerToken, presented != token { throw .unauthorized(presented: presented) }
        guard transfers.take(at: clock.now()) else { throw ProblemError(.tooManyRequests, retryAfter: 1) }
    }

    func isHeard(_ share: Share) -> Bool {
        share.lastHeard.duration(to: clock.now()) < timing.silence
    }

    /// The share at an address; a wrong secret looks like no share at all.
    func share(at address: ShareAddress) throws(ProblemError) -> Share {
        guard let share = rooms[address.room]?.share, share.id == address.id, share.secret == address.secret else {
            throw ProblemError(.shareNotFound)
        }
        return share
    }

    /// The session at an address; one that may not be touched looks like none at all.
    func session(at address: SessionAddress) throws(ProblemError) -> Session {
        guard let session = rooms[address.room]?.share?.sessions[address.id], !session.isPending else {
            throw ProblemError(.sessionNotFound)
        }
        if let token = viewerToken(in: address.room), address.token != token { throw ProblemError(.sessionNotFound) }
        return session
    }

    // MARK: Keeping

    /// Drops what has run out, and tells the watchers what has changed by mere time.
    func sweep() {
        let now = clock.now()
        for name in Array(rooms.keys) {
            if let share = rooms[name]?.share {
                if share.lastHeard.duration(to: now) > timing.forget {
                    logger.info("The sharer hasn't been heard for a while and is forgotten.", metadata: about(name))
                    endShare(in: name, because: ProblemError(.noSharer, retryAfter: RetryAfter.noSharer))
                } else {
                    expireCounterOffers(in: name, at: now)
                }
            }
            publish(name)
        }
    }

    /// Takes the share out of its room; everyone who waits for it is told.
    func endShare(in name: RoomName, because problem: ProblemError) {
        guard var share = rooms[name]?.share else { return }
        share.endListening()
        for session in share.sessions.values { session.fail(problem) }
        rooms[name]?.share = nil
    }

    /// Ends all streams and all waiting, so that the server can stop.
    func stop() {
        isStopping = true
        for name in Array(rooms.keys) {
            endShare(in: name, because: ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy))
            for watcher in rooms[name]?.watchers.values ?? [:].values { watcher.stream.finish() }
        }
        rooms = [:]
    }

    private func expireCounterOffers(in name: RoomName, at now: ServerClock.Instant) {
        for (id, session) in rooms[name]?.share?.sessions ?? [:] {
            switch session.state {
            case .countered(let until) where until < now: remove(id, from: name, tellSharer: true)
            case .offered, .countered, .established: break
            }
        }
    }

    /// Forgets a session; the sharer hears of it unless it was its own wish.
    func remove(_ id: RandomID, from name: RoomName, tellSharer: Bool) {
        guard rooms[name]?.share?.sessions.removeValue(forKey: id) != nil, tellSharer else { return }
        try? rooms[name]?.share?.tell(.left(SessionLeft(sessionId: id)))
    }

    func about(_ name: RoomName, session: RandomID? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["room": .string(name.description)]
        if let session { metadata["session"] = .string(session.description) }
        return metadata
    }
}

/// How long a client should wait before it tries again, in seconds.
enum RetryAfter {
    static let noSharer = 2
    static let sharerSilent = 1
    static let sharerBusy = 1
    static let roomFull = 5
    static let serverBusy = 1
}
