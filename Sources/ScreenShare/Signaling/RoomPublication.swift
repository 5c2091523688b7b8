import Logging
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
    /// What the server itself demands of those who share, of the same form.
    public var sharerToken: String?

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
        func token(_ text: String?) throws(ShareError) -> BearerToken? {
            guard let text else { return nil }
            guard let token = BearerToken(text) else { throw .invalid("a token has 1…256 letters, digits and -._~+/") }
            return token
        }
        let name = title.flatMap(DisplayName.init)
        if title != nil, name == nil { throw .invalid("a title has 1…80 characters and no line breaks") }
        return SharerClient.Configuration(
            server: address, room: room, name: name, viewerToken: try token(viewerToken),
            maxViewers: maximumViewers, sharerToken: try token(sharerToken))
    }
}

extension ShareSession {
    /// Makes the share joinable in a room: viewers' offers are answered from now on, by WHEP on the server's side.
    ///
    /// A server that is lost is found again in the background; running media doesn't notice.
    /// - Throws: `ShareError.signaling` where the server can't be reached or the room is taken, `.forbidden` where it
    ///   demands a token or takes none of ours, `.invalid` after `stop`, or where room, title or token are malformed.
    public func publish(_ publication: RoomPublication) async throws(ShareError) -> PublishedRoom {
        let client = SharerClient(try publication.configuration(), logger: logger)
        try checkRunning()
        do throws(SignalingError) { try await client.connect() } catch { throw error.shareError(publication.server) }
        do { try checkRunning() } catch {
            await client.end()
            throw error
        }
        let room = PublishedRoom(session: self, client: client, logger: logger)
        await room.start()
        return room
    }

    private func checkRunning() throws(ShareError) {
        if case .stopped = state { throw .invalid("the session has stopped") }
    }
}

extension ShareSession {
    /// What a room's page says of the sound: whether there is any, and which kinds of it are muted.
    fileprivate var soundState: (audio: RoomState.Audio?, muted: [RoomState.Sound]) {
        let shared = configuration.audio.kinds
        // A share that began without sound has none to offer.
        if audioControls == nil || shared.isEmpty { return (nil, []) }
        let muted = SharedAudio.allCases.filter { shared.contains($0) && mutedAudio.contains($0) }
        return (muted.count == shared.count ? .muted : .on, muted.map(\.sound))
    }
}

extension SharedAudio {
    fileprivate var sound: RoomState.Sound {
        switch self {
        case .system: .system
        case .microphone: .microphone
        }
    }
}

/// A share's place in a room, until `end()`, the share's end, or nobody holds this any more.
public actor PublishedRoom {
    private let session: ShareSession
    private let client: SharerClient
    private let logger: Logger
    private var tasks: [Task<Void, Never>] = []
    /// The server's sessions and ours.
    private var viewers: [RandomID: String] = [:]
    /// Why the server could not be reached when that was last said; nil while it can.
    private var lostBecause: SignalingError?
    /// Candidates that came while their offer was being answered.
    private var early: [RandomID: [String]] = [:]
    private static let statePeriod = Duration.milliseconds(500)
    /// Fragments kept for one offer; a browser sends a candidate each.
    private static let earlyFragments = 32

    init(session: ShareSession, client: SharerClient, logger: Logger) {
        self.session = session
        self.client = client
        self.logger = logger
    }

    /// Whoever lets go of it gives the room back too.
    deinit {
        if tasks.isEmpty { return }
        tasks.forEach { $0.cancel() }
        Task.detached { [client] in await client.end() }
    }

    func start() {
        let client = client
        tasks = [
            Task { await client.run() },
            Task { [weak self] in
                for await event in client.events { await self?.take(event) }
            },
            Task { [weak self] in
                while await self?.tellState() == true { try? await Task.sleep(for: Self.statePeriod) }
            },
        ]
    }

    /// Gives the room back. Viewers who are connected stay so.
    public func end() async {
        await client.end()
        tasks.forEach { $0.cancel() }
        tasks = []
    }

    /// Pages show whether the share is paused, what of its sound is muted, how many watch, and to whom too little gets
    /// through. False when there is nothing more to tell.
    private func tellState() async -> Bool {
        if Task.isCancelled { return false }
        let (connected, sound) = (await session.connectedViewers, await session.soundState)
        let starved = await session.starvedViewers
        let narrow = viewers.filter { starved.contains($0.value) }.keys.sorted { $0.text < $1.text }
        func tell(_ phase: SignalingProtocol.ShareState.Phase) async {
            await client.update(phase, viewers: connected, audio: sound.audio, muted: sound.muted, narrow: narrow)
        }
        switch await session.state {
        case .idle, .live: await tell(.live)
        case .paused: await tell(.paused)
        case .stopped:
            // Nobody finds a share here any more.
            await client.end()
            return false
        }
        await forgetLost()
        return true
    }

    /// Sessions whose peers are gone free their places on the server.
    private func forgetLost() async {
        let known = await session.viewerNames
        for (id, name) in viewers where !known.contains(name) {
            viewers[id] = nil
            await client.dismiss(id)
        }
    }

    private func take(_ event: SharerEvent) async {
        switch event {
        case .connected:
            if lostBecause != nil { session.sink.yield(.notice("The signaling server is there again.")) }
            lostBecause = nil
        case .disconnected(let error, _):
            // Once, however often it is tried again.
            guard lostBecause != error else { return }
            lostBecause = error
            session.sink.yield(.notice("Signaling is lost (\(error)); trying again. Viewers who are here don't notice."))
        case .offer(let id, let sdp):
            // Offers, and restarts, are answered side by side: one that is slow delays no other.
            early[id] = []
            Task { await self.answer(id, sdp) }
        case .candidates(let id, let fragment): await add(fragment, to: id)
        case .restart(let id, let fragment, let tag): Task { await self.restart(id, fragment, tag) }
        case .counterAnswer(let id, let sdp):
            if let viewer = viewers[id] { try? await session.accept(answer: sdp, from: viewer) }
        case .left(let id):
            early[id] = nil
            if let viewer = viewers.removeValue(forKey: id) { await session.remove(viewer) }
        }
    }

    private func answer(_ id: RandomID, _ sdp: String) async {
        do throws(ShareError) {
            let answer = try await session.answer(offer: sdp)
            viewers[id] = answer.viewer
            for fragment in early.removeValue(forKey: id) ?? [] { await add(fragment, to: id) }
            do throws(SignalingError) {
                try await client.answer(id, sdp: answer.sdp)
            } catch {
                logger.info("An answer was not taken.", metadata: ["reason": .string(error.description)])
                viewers[id] = nil
                await session.remove(answer.viewer)
                // It may have arrived all the same.
                await client.dismiss(id)
            }
        } catch {
            early[id] = nil
            await refuse(id, error)
        }
    }

    private func add(_ fragment: String, to id: RandomID) async {
        if let viewer = viewers[id] {
            try? await session.addCandidates(fragment, from: viewer)
        } else if let count = early[id]?.count, count < Self.earlyFragments {
            early[id]?.append(fragment)
        }
    }

    private func refuse(_ id: RandomID, _ error: ShareError) async {
        logger.info("An offer was refused.", metadata: ["reason": .string(error.description)])
        let refusal: Refusal
        switch error {
        case .full: refusal = Refusal(.full, detail: error.description)
        case .malformedDescription: refusal = Refusal(.malformed, detail: error.description)
        case .offerRefused:
            let counter = try? await session.counterOffer()
            viewers[id] = counter?.viewer
            refusal = Refusal(.unsupported, detail: error.description, counterOffer: counter?.sdp)
        case .source, .codec, .network, .invalid, .signaling, .forbidden:
            refusal = Refusal(.busy, detail: "The sharer can't answer now.")
        }
        do throws(SignalingError) {
            try await client.refuse(id, refusal)
        } catch {
            // Nobody answers a counter-offer that did not arrive.
            if let viewer = viewers.removeValue(forKey: id) { await session.remove(viewer) }
        }
    }

    private func restart(_ id: RandomID, _ fragment: String, _ tag: EntityTag) async {
        guard let viewer = viewers[id] else { return await client.dismiss(id) }
        // Where it can't be followed, what there is goes on (the WHEP draft, "ICE Restarts"): no answer comes in time.
        guard let answer = try? await session.restartICE(fragment, from: viewer) else { return }
        try? await client.answerRestart(id, tag: tag, fragment: answer)
    }
}

extension SignalingError {
    func shareError(_ server: String) -> ShareError {
        switch self {
        case .tokenRequired: .forbidden("the server at \(server) demands a token")
        case .forbidden(let words): .forbidden(words)
        case .roomTaken: .signaling("somebody else is sharing in this room; choose another name")
        case .badAddress, .unreachable, .notThereYet, .gone, .stale, .refused, .unreadable, .cancelled:
            .signaling("\(server): \(description)")
        }
    }
}

/// Whether a signaling server answers somewhere.
public enum SignalingProbe {
    /// Whether this user's, or root's, answers at a port of loopback; another user's is not trusted with tokens.
    public static func answersHere(port: Int) async -> Bool {
        guard LocalListener.isTrusted(port: port) else { return false }
        return await answers(at: "http://127.0.0.1:\(port)")
    }

    /// Whether it is this user's alone, and listens at loopback only: no other user, and nobody in the network, is served.
    public static func isOwnOnLoopback(port: Int) -> Bool { LocalListener.isOwnOnLoopback(port: port) }

    /// Whether one answers at an address, such as `https://meet.example.org`; false for one that is malformed.
    public static func answers(at server: String) async -> Bool {
        guard let address = try? ServerAddress(server) else { return false }
        return await address.answers()
    }
}
