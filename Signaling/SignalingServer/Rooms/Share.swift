import SignalingProtocol

/// A sharer in its room.
struct Share {
    let id: RandomID
    let secret: BearerToken
    /// Names the numbering of its events, which begin at 1 where a sharer's share is made anew.
    let epoch: RandomID
    var name: DisplayName?
    var viewerToken: BearerToken?
    var maxViewers: Int
    var state = ShareState(state: .live, viewers: 0)
    var lastHeard: ServerClock.Instant
    var sessions: [RandomID: Session] = [:]
    var outbox = Outbox()
    /// Where events go while the sharer listens.
    private var listener: AsyncStream<StreamPart>.Continuation?
    private var listeners = 0
    /// The newest event that was written to the sharer: it can't have taken in more.
    private var written: UInt64 = 0

    init(_ credentials: ShareCredentials, epoch: RandomID, at now: ServerClock.Instant) {
        id = credentials.shareId
        secret = credentials.secret
        self.epoch = epoch
        maxViewers = 0
        lastHeard = now
    }

    var pendingSessions: Int { sessions.values.count(where: \.isPending) }

    /// The session whose offer waits longest.
    var oldestPending: (id: RandomID, session: Session)? {
        sessions.filter(\.value.isPending).min { $0.value.begun < $1.value.begun }.map { ($0.key, $0.value) }
    }

    /// Puts an event into the box, and into the stream where there is one.
    mutating func tell(_ event: ShareEvent) throws {
        deliver(try outbox.append(event))
    }

    /// Everything the sharer hasn't taken in yet goes into a new stream; an older stream ends.
    ///
    /// - Returns: by what `leave` knows the stream.
    mutating func listen(_ continuation: AsyncStream<StreamPart>.Continuation) -> Int {
        listener?.finish()
        listener = continuation
        listeners += 1
        for entry in outbox.events { deliver(entry.event) }
        return listeners
    }

    /// A stream's reader has gone: nothing is kept for it.
    mutating func leave(_ number: Int) {
        if number == listeners { endListening() }
    }

    mutating func endListening() {
        listener?.finish()
        listener = nil
    }

    mutating func wrote(_ event: ServerSentEvent) { written = max(written, event.id ?? 0) }

    /// The sharer says how far it has come; not further than what was written to it. A number of another epoch says
    /// nothing of these events.
    mutating func acknowledge(upTo number: UInt64, of epoch: RandomID? = nil) {
        guard epoch == nil || epoch == self.epoch else { return }
        outbox.acknowledge(upTo: min(number, written))
    }

    /// A stream whose reader is too slow is ended: the reader comes again and finds everything in the box.
    private mutating func deliver(_ event: ServerSentEvent) {
        guard let listener else { return }
        switch listener.yield(.event(event)) {
        case .enqueued: break
        case .dropped, .terminated: endListening()
        @unknown default: break
        }
    }
}

/// Part of an event stream on its way out.
enum StreamPart: Sendable {
    case event(ServerSentEvent)
    case heartbeat
}

/// A stream of parts, the end that writes into it, and what to do when its reader has gone.
struct EventChannel: Sendable {
    let parts: AsyncStream<StreamPart>
    let continuation: AsyncStream<StreamPart>.Continuation
    /// An event was written.
    var wrote: @Sendable (ServerSentEvent) async -> Void = { _ in }
    let close: @Sendable () async -> Void
}

/// The address of a share, with what the request brought to open it.
struct ShareAddress: Sendable {
    var room: RoomName
    var id: RandomID
    var secret: BearerToken
}

/// The address of a session, with what the request brought to open it.
struct SessionAddress: Sendable {
    var room: RoomName
    var id: RandomID
    var token: BearerToken?
}
