import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import SignalingProtocol
import Timebase

/// A sharer's side of signaling: it keeps a room at a server, hears of viewers and answers them.
///
/// `run()` keeps the connection until it is cancelled or `end()` is called. When the server is lost it registers anew,
/// with back-off, as the same share with the same sessions, also at a server that was restarted.
package actor SharerClient {
    package struct Configuration: Sendable {
        package var server: ServerAddress
        package var room: RoomName
        /// What people are shown.
        package var name: DisplayName?
        /// What viewers must present.
        package var viewerToken: BearerToken?
        package var maxViewers: Int?
        /// What the server asks of sharers.
        package var sharerToken: BearerToken?
        /// Asked before each registration: why there is to be none now, in words.
        package var objection: @Sendable () -> String? = { nil }

        package init(
            server: ServerAddress, room: RoomName, name: DisplayName? = nil, viewerToken: BearerToken? = nil,
            maxViewers: Int? = nil, sharerToken: BearerToken? = nil
        ) {
            self.server = server
            self.room = room
            self.name = name
            self.viewerToken = viewerToken
            self.maxViewers = maxViewers
            self.sharerToken = sharerToken
        }
    }

    /// Everything that happens, for one reader. Ends with `run()`.
    package nonisolated let events: AsyncStream<SharerEvent>

    private let configuration: Configuration
    private let logger: Logger
    private let continuation: AsyncStream<SharerEvent>.Continuation
    /// Of our own choice until a server gives others: what it has given is given back also where we were not told of it.
    private(set) var credentials: ShareCredentials
    private var receipt: ShareReceipt?
    /// The address of the events, by the last receipt.
    private var stream: URL?
    private var ledger = SessionLedger()
    private var undismissed: Set<RandomID> = []
    /// Those whose tickets were sent since the last receipt.
    private var ticketed: Set<RandomID> = []
    private var state = ShareState(state: .live, viewers: 0)
    /// Taken since the server was told last how far we have come, in events and in bytes.
    private var unsaid = (events: 0, bytes: 0)
    private var lastHeard = ContinuousClock.now
    private var isEnded = false
    /// The room is being given back.
    private var ending: Task<Void, Never>?

    package init(_ configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        var random = SystemRandomNumberGenerator()
        credentials = ShareCredentials(shareId: RandomID(using: &random), secret: BearerToken(using: &random))
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(ClientLimits.events))
    }

    // MARK: The connection

    /// One attempt to get the room, to know at the start whether it will work. `run()` goes on from here.
    package func connect() async throws(SignalingError) {
        do throws(SignalingError) { try await register() } catch {
            // The server may have given the room all the same, and would keep it for nobody.
            await giveBack(within: ClientLimits.withdrawal).value
            throw error
        }
    }

    private func register() async throws(SignalingError) {
        if let objection = configuration.objection() { throw .forbidden(words: objection) }
        let tickets = ledger.tickets
        ticketed.formUnion(tickets.map(\.sessionId))
        let message = ShareRequest(
            name: configuration.name, viewerToken: configuration.viewerToken, maxViewers: configuration.maxViewers,
            resume: credentials, sessions: tickets.isEmpty ? nil : tickets)
        let url = try configuration.server.url("v1/rooms/\(configuration.room)/share")
        let call = HTTPCall(.POST, url, token: configuration.sharerToken).with(message: message)
        let reply = try await HTTPTransport.send(call, within: ClientLimits.request)
        guard reply.status == 201 else { throw refusal(reply) }
        try adopt(reply.message(ShareReceipt.self, called: "receipt"))
    }

    private func refusal(_ reply: HTTPReply) -> SignalingError {
        switch SignalingError(reply) {
        case _ where reply.status == 401 && configuration.sharerToken != nil: .tokenRefused
        // Nobody asked for anything that could be gone: the address is another's.
        case .gone: .refused(status: reply.status, words: "no signaling server answers there")
        case let other: other
        }
    }

    private func adopt(_ receipt: ShareReceipt) throws(SignalingError) {
        // A share that was made anew numbers its events anew and knows sessions by their tickets alone, also where the
        // receipt that said so got lost.
        if !receipt.resumed || receipt.epoch != state.epoch {
            state.seen = nil
            undismissed = []
        }
        // What ended after its ticket had left may have come back with it.
        undismissed.formUnion(ticketed.subtracting(ledger.tickets.map(\.sessionId)))
        ticketed = []
        state.epoch = receipt.epoch
        credentials = ShareCredentials(shareId: receipt.shareId, secret: receipt.secret)
        stream = configuration.server.ownURL(receipt.eventsUrl)
        guard stream != nil else { throw .unreadable("event address") }
        self.receipt = receipt
    }

    /// Keeps the room until the task is cancelled or `end()` is called.
    package func run() async {
        defer { continuation.finish() }
        var backoff = Backoff.signaling
        var random = SystemRandomNumberGenerator()
        while !isEnded, !Task.isCancelled {
            let failure: SignalingError
            do {
                if receipt == nil { try await register() }
                if isEnded {
                    // It was given back while it was being taken.
                    _ = try? await send(.DELETE, "")
                    return
                }
                let began = ContinuousClock.now
                failure = await listen()
                // One that ends at once, at a proxy that lets no stream through for one, is tried ever less often.
                if .now - began > ClientLimits.lastingStream { backoff.reset() }
            } catch {
                failure = error
            }
            receipt = nil
            guard !isEnded, !Task.isCancelled else { return }
            let pause = max(backoff.next(using: &random), failure.retryAfter)
            logger.info("Signaling is lost.", metadata: ["reason": .string(failure.description)])
            continuation.yield(.disconnected(failure, retryAfter: pause))
            try? await Task.sleep(for: pause)
        }
    }

    /// Gives the room back. What is running goes on until its owner ends it.
    package func end() async {
        if let ending { return await ending.value }
        isEnded = true
        let task = giveBack(within: ClientLimits.request)
        ending = task
        await task.value
        receipt = nil
    }

    /// In a task of its own: what cancelled ours must not cancel that.
    private func giveBack(within limit: Duration) -> Task<Void, Never> {
        Task { _ = try? await send(.DELETE, "", within: limit) }
    }

    /// Reads events and says that we are alive, until one of both fails.
    private func listen() async -> SignalingError {
        guard let receipt, let stream else { return .gone }
        continuation.yield(.connected(resumed: receipt.resumed))
        lastHeard = .now
        return await withTaskGroup(of: SignalingError?.self) { group in
            defer { group.cancelAll() }
            group.addTask { await self.readEvents(stream, receipt) }
            group.addTask { await self.beat(receipt) }
            // Beside both: it takes a round trip or two for each who left meanwhile.
            group.addTask {
                await self.dismissRest()
                return nil
            }
            for await case let failure? in group { return failure }
            return .cancelled
        }
    }

    // MARK: Events

    private func readEvents(_ stream: URL, _ receipt: ShareReceipt) async -> SignalingError {
        let parser = EventParser()
        let call = HTTPCall(.GET, stream, token: receipt.secret)
            .with("Accept", ServerSentEvent.mediaType).with("Last-Event-ID", state.seen.map(String.init))
        do {
            try await HTTPTransport.stream(call) { piece in
                try await self.take(parser.receive(piece.readableBytesView))
                try await self.acknowledge()
            }
            return .unreachable(.brokenOff)
        } catch {
            return SignalingError(transport: error)
        }
    }

    private func take(_ events: [ServerSentEvent]) throws {
        lastHeard = .now
        for event in events {
            // An event that comes again after a broken stream has been taken already.
            guard let number = event.id, number > state.seen ?? 0 else { continue }
            if let decoded = ShareEvent(event) {
                ledger.take(decoded)
                guard case .enqueued = continuation.yield(SharerEvent(decoded)) else {
                    throw SignalingError.unreachable(.brokenOff)
                }
            }
            // Also where it is passed over: the server would keep it for us, in others' places.
            state.seen = number
            unsaid = (unsaid.events + 1, unsaid.bytes + event.data.utf8.count)
        }
    }

    /// What is kept for us at the server takes others' places there: much of it does not wait for the next sign of life.
    private func acknowledge() async throws(SignalingError) {
        guard unsaid.events >= ClientLimits.unsaidEvents || unsaid.bytes >= ClientLimits.unsaidBytes else { return }
        try await sendState()
    }

    // MARK: Signs of life

    private func beat(_ receipt: ShareReceipt) async -> SignalingError {
        // Whatever a server writes there.
        let heartbeat = Duration.seconds(min(max(receipt.heartbeatSeconds, 0.1), ClientLimits.slowestHeartbeat))
        let interval = min(heartbeat, ClientLimits.heartbeat)
        let silence = heartbeat * ClientLimits.missedHeartbeats
        do {
            // A server that did not heed that the room is given back would keep it as long as it hears of us.
            while !isEnded {
                try await sendState()
                guard (try? await Task.sleep(for: interval)) != nil else { return .cancelled }
                guard ContinuousClock.now - lastHeard < max(silence, .seconds(1)) else {
                    return .unreachable(.silent)
                }
            }
            return .cancelled
        } catch {
            return error
        }
    }

    private func sendState() async throws(SignalingError) {
        unsaid = (0, 0)
        let reply = try await send(.PUT, "/state", message: state)
        guard reply.isSuccess else { throw SignalingError(reply) }
    }

    /// Tells the server, and through it all pages, how we are. Sent at once and with each sign of life.
    ///
    /// - Parameters:
    ///   - muted: kinds of sound that are shared, but muted.
    ///   - narrow: sessions whose path takes too little for moving pictures.
    package func update(
        _ phase: ShareState.Phase, viewers: Int, audio: RoomState.Audio? = nil, muted: [RoomState.Sound] = [],
        narrow: [RandomID] = []
    ) async {
        let next = ShareState(
            state: phase, viewers: viewers, audio: audio, muted: muted.isEmpty ? nil : muted, seen: state.seen,
            epoch: state.epoch, narrow: narrow.isEmpty ? nil : narrow)
        guard state != next else { return }
        state = next
        if receipt != nil { try? await sendState() }
    }

    // MARK: Answers

    /// Answers an offer. `.gone`: the viewer has given up.
    package func answer(_ session: RandomID, sdp: String) async throws(SignalingError) {
        try await post("/sessions/\(session.text)/answer", SessionReply.answer(sdp: sdp))
        ledger.answered(session)
    }

    /// Refuses an offer, with or without a counter-offer.
    package func refuse(_ session: RandomID, _ refusal: Refusal) async throws(SignalingError) {
        var isOver = true
        // Nobody answers a counter-offer that did not arrive.
        defer { if isOver { ledger.forget(session) } }
        try await post("/sessions/\(session.text)/answer", SessionReply.refusal(refusal))
        isOver = refusal.counterOffer == nil
    }

    /// Answers an ICE restart with our new user name fragment, password and candidates.
    package func answerRestart(_ session: RandomID, tag: EntityTag, fragment: String) async throws(SignalingError) {
        try await post("/sessions/\(session.text)/fragment", RestartReply(fragment: fragment, restart: tag))
        ledger.restarted(session, tag)
    }

    /// Tells the server that a session is over, so that its place is free again.
    package func dismiss(_ session: RandomID) async {
        ledger.forget(session)
        undismissed.insert(session)
        await dismissRest()
    }

    /// Also those of which the server did not hear when they ended: each would keep a viewer out. Where it does not hear of
    /// one, the rest is left to the next connection.
    private func dismissRest() async {
        while let session = undismissed.popFirst() {
            let reply = try? await send(.DELETE, "/sessions/\(session.text)")
            // A proxy's word is not the server's.
            guard let reply, reply.isSuccess || reply.status == 404 else {
                undismissed.insert(session)
                return
            }
        }
    }

    /// Posts until it arrives: a viewer is waiting. Where an earlier attempt did arrive, the server says so with 409.
    private func post(_ path: String, _ message: some Encodable & Sendable) async throws(SignalingError) {
        var failure = SignalingError.cancelled
        for attempt in 0..<ClientLimits.attempts {
            if attempt > 0, (try? await Task.sleep(for: ClientLimits.attemptPause)) == nil { throw .cancelled }
            do throws(SignalingError) {
                let reply = try await send(.POST, path, message: message)
                if reply.isSuccess || attempt > 0 && reply.status == 409 { return }
                throw SignalingError(reply)
            } catch {
                guard case .unreachable = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func send(
        _ method: HTTPMethod, _ path: String, message: (any Encodable & Sendable)? = nil,
        within limit: Duration = ClientLimits.request
    ) async throws(SignalingError) -> HTTPReply {
        let call = HTTPCall(method, try url(path), token: credentials.secret)
        return try await HTTPTransport.send(call.with(message: message), within: limit)
    }

    /// Beside the events, where the server has told of them; else where one of ours has a share.
    private func url(_ path: String) throws(SignalingError) -> URL {
        if let url = stream?.beside(path) { return url }
        let share = "v1/rooms/\(configuration.room)/share/\(credentials.shareId.text)"
        return try configuration.server.url(share + path)
    }
}

extension ShareEvent {
    /// Nil where it can't be read, or is one of a later version's.
    fileprivate init?(_ event: ServerSentEvent) {
        guard let name = Name(rawValue: event.name) else { return nil }
        let data = ByteBuffer(string: event.data)
        guard let known = try? ShareEvent(name, decode: { try JSONCoding.decode($0, from: data) }) else { return nil }
        self = known
    }
}

extension HTTPCall {
    func with(message: (any Encodable)?) -> HTTPCall {
        guard let message else { return self }
        return with(body: JSONCoding.encode(message), type: JSONCoding.mediaType)
    }
}
