import Logging
import SignalingClient
import SignalingProtocol

/// A share's place in a room, until `end()`, the share's end, or nobody holds this any more. Holds the session until then.
public actor PublishedRoom {
    private var session: ShareSession?
    private let client: SharerClient
    private let publication: RoomPublication
    private let logger: Logger
    private var tasks: [Task<Void, Never>] = []
    /// The server's sessions and ours.
    private var viewers: [RandomID: String] = [:]
    /// Why the server could not be reached when that was last said, in words; nil while it can.
    private var lostBecause: String?
    /// Candidates that came while their offer was being answered.
    private var early: [RandomID: [String]] = [:]
    private static let statePeriod = Duration.milliseconds(500)
    /// Fragments kept for one offer; a browser sends a candidate each.
    private static let earlyFragments = 32

    init(session: ShareSession, client: SharerClient, publication: RoomPublication, logger: Logger) {
        self.session = session
        self.client = client
        self.publication = publication
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
        session = nil
    }

    /// Pages show whether the share is paused or has nothing to show any more, what of its sound is muted, how many watch,
    /// and to whom too little gets through. False when there is nothing more to tell.
    private func tellState() async -> Bool {
        guard !Task.isCancelled, let session else { return false }
        let (connected, sound) = (await session.connectedViewers, await session.soundState)
        let starved = await session.starvedViewers
        let narrow = viewers.filter { starved.contains($0.value) }.keys.sorted { $0.text < $1.text }
        func tell(_ phase: SignalingProtocol.ShareState.Phase) async {
            await client.update(phase, viewers: connected, audio: sound.audio, muted: sound.muted, narrow: narrow)
        }
        switch await session.state {
        case .idle, .live: await tell(session.hasSourceEnded ? .paused : .live)
        case .paused: await tell(.paused)
        case .stopped:
            // Nobody finds a share here any more.
            await client.end()
            self.session = nil
            return false
        }
        await forgetLost()
        return true
    }

    /// Sessions whose peers are gone free their places on the server.
    private func forgetLost() async {
        guard let known = await session?.viewerNames else { return }
        for (id, name) in viewers where !known.contains(name) {
            viewers[id] = nil
            await client.dismiss(id)
        }
    }

    func take(_ event: SharerEvent) async {
        guard let session else { return }
        switch event {
        case .connected:
            if lostBecause != nil {
                await session.tell(.roomFound(RoomReturn(room: publication.room, server: publication.server)))
            }
            lostBecause = nil
        case .disconnected(let error, _):
            // Once, however often it is tried again, and however long each try is to wait.
            let reason = error.description
            guard lostBecause != reason else { return }
            lostBecause = reason
            let loss = RoomLoss(
                room: publication.room, server: publication.server, error: error.shareError(publication.server),
                reason: reason)
            await session.tell(.roomLost(loss))
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
            if let viewer = viewers.removeValue(forKey: id) { await session.remove(viewer, because: .saidGoodbye) }
        }
    }

    private func answer(_ id: RandomID, _ sdp: String) async {
        guard let session else { return }
        do throws(ShareError) {
            let answer = try await session.answer(offer: sdp)
            viewers[id] = answer.viewer
            for fragment in early.removeValue(forKey: id) ?? [] { await add(fragment, to: id) }
            do throws(SignalingError) {
                try await client.answer(id, sdp: answer.sdp)
            } catch {
                logger.info("An answer was not taken.", metadata: ["reason": .string(error.description)])
                viewers[id] = nil
                await session.remove(answer.viewer, because: .answerLost)
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
            try? await session?.addCandidates(fragment, from: viewer)
        } else if let count = early[id]?.count, count < Self.earlyFragments {
            early[id]?.append(fragment)
        }
    }

    private func refuse(_ id: RandomID, _ error: ShareError) async {
        guard let session else { return }
        logger.info("An offer was refused.", metadata: ["reason": .string(error.description)])
        let refusal: Refusal
        switch error {
        case .full: refusal = Refusal(.full, detail: error.description)
        case .malformedDescription: refusal = Refusal(.malformed, detail: error.description)
        case .offerRefused:
            let counter = try? await session.counterOffer()
            viewers[id] = counter?.viewer
            refusal = Refusal(.unsupported, detail: error.description, counterOffer: counter?.sdp)
        case .source, .codec, .network, .invalid, .signaling, .unavailable, .roomTaken, .forbidden, .cancelled:
            refusal = Refusal(.busy, detail: "The sharer can't answer now.")
        }
        do throws(SignalingError) {
            try await client.refuse(id, refusal)
        } catch {
            // Nobody answers a counter-offer that did not arrive.
            guard let viewer = viewers.removeValue(forKey: id) else { return }
            await session.remove(viewer, because: .offerLost)
        }
    }

    private func restart(_ id: RandomID, _ fragment: String, _ tag: EntityTag) async {
        guard let viewer = viewers[id] else { return await client.dismiss(id) }
        // Where it can't be followed, what there is goes on (the WHEP draft, "ICE Restarts"): no answer comes in time.
        guard let answer = try? await session?.restartICE(fragment, from: viewer) else { return }
        try? await client.answerRestart(id, tag: tag, fragment: answer)
    }
}

extension ShareSession {
    /// What a room's page says of the sound: whether there is any, and which kinds of it are muted.
    fileprivate var soundState: (audio: RoomState.Audio?, muted: [RoomState.Sound]) {
        let shared = configuration.audio.kinds
        if !offersSound || shared.isEmpty { return (nil, []) }
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
