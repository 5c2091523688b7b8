import Logging
import SignalingProtocol

/// What a sharer does.
extension RoomStore {
    /// Gives the room to whoever asks, unless somebody else is heard in it.
    func open(
        _ name: RoomName, _ request: ShareRequest, presented: BearerToken?
    ) throws(ProblemError) -> ShareReceipt {
        guard !isStopping else { throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy) }
        guard request.maxViewers ?? 0 >= 0 else {
            throw ProblemError(.malformedJSON, detail: "maxViewers is a number from 0 up.")
        }
        let isResuming = try makeRoom(name, for: request, presented: presented)
        if !isResuming { rooms[name, default: Room()].share = newShare(request) }
        guard var share = rooms[name]?.share, let policy = configuration.policy(name) else {
            throw ProblemError(.internalError)
        }
        share.name = request.name
        share.viewerToken = request.viewerToken
        share.maxViewers = min(request.maxViewers ?? policy.maxViewers, policy.maxViewers, Limits.viewersPerShare)
        share.lastHeard = clock.now()
        rooms[name]?.share = share
        logger.info(isResuming ? "A sharer is back." : "A sharer has come.", metadata: about(name))
        publish(name)
        return receipt(for: share, in: name, resumed: isResuming)
    }

    /// Whether the room's present share is the caller's own; throws where the caller may not have the room.
    private func makeRoom(
        _ name: RoomName, for request: ShareRequest, presented: BearerToken?
    ) throws(ProblemError) -> Bool {
        guard let policy = configuration.policy(name) else { throw ProblemError(.sharingNotAllowed) }
        let present = rooms[name]?.share
        if let present, present.secret == presented || present.secret == request.resume?.secret { return true }
        if let token = policy.sharerToken, presented != token { throw .unauthorized(presented: presented) }
        if let present {
            // Whose viewers have a key is waited for: they would come to the newcomer by themselves.
            let isKeyLost = present.viewerToken != nil && present.viewerToken != request.viewerToken
            let patience = isKeyLost ? timing.forget : timing.silence
            let rest = patience - present.lastHeard.duration(to: clock.now())
            if rest > .zero { throw ProblemError(.roomTaken, retryAfter: Int((rest / .seconds(1)).rounded(.up))) }
            endShare(in: name, because: ProblemError(.noSharer, retryAfter: RetryAfter.noSharer))
        } else if rooms.values.count(where: { $0.share != nil }) >= configuration.maxRooms {
            throw ProblemError(.serverBusy, detail: "There are too many rooms.", retryAfter: RetryAfter.serverBusy)
        }
        return false
    }

    /// A share with the credentials the sharer had before, where they are strong enough, and its running sessions.
    private func newShare(_ request: ShareRequest) -> Share {
        let now = clock.now()
        let isStrong = (request.resume?.secret.secret.utf8.count ?? 0) >= ServerLimits.secretCharacters
        let fresh = ShareCredentials(shareId: RandomID(using: &random), secret: BearerToken(using: &random))
        var share = Share(isStrong ? request.resume ?? fresh : fresh, epoch: RandomID(using: &random), at: now)
        for ticket in (request.sessions ?? []).prefix(Limits.viewersPerShare) {
            let ufrags = ticket.ufrag.map { [$0] } ?? []
            share.sessions[ticket.sessionId] = Session(.established, etag: ticket.etag, ufrags: ufrags, at: now)
        }
        return share
    }

    private func receipt(for share: Share, in name: RoomName, resumed: Bool) -> ShareReceipt {
        ShareReceipt(
            shareId: share.id, secret: share.secret, resumed: resumed, epoch: share.epoch,
            eventsUrl: "/v1/rooms/\(name)/share/\(share.id.text)/events",
            heartbeatSeconds: timing.shareHeartbeat / .seconds(1), silenceSeconds: timing.silence / .seconds(1))
    }

    /// The sharer's events: all it hasn't taken in, then each new one.
    func listen(_ address: ShareAddress, after last: UInt64?) throws(ProblemError) -> EventChannel {
        let epoch = try share(at: address).epoch
        try hear(address)
        let (parts, continuation) = AsyncStream<StreamPart>.makeStream(
            bufferingPolicy: .bufferingOldest(ServerLimits.streamParts))
        if let last { rooms[address.room]?.share?.acknowledge(upTo: last) }
        let number = rooms[address.room]?.share?.listen(continuation) ?? 0
        return EventChannel(
            parts: parts, continuation: continuation,
            wrote: { await self.wrote($0, in: address.room, of: epoch) },
            close: { await self.leave(address.room, of: epoch, number) })
    }

    /// A stream may outlive its share; one made anew has the same id, and numbers events and streams from 1 as well.
    private func wrote(_ event: ServerSentEvent, in room: RoomName, of epoch: RandomID) {
        if rooms[room]?.share?.epoch == epoch { rooms[room]?.share?.wrote(event) }
    }

    private func leave(_ room: RoomName, of epoch: RandomID, _ number: Int) {
        if rooms[room]?.share?.epoch == epoch { rooms[room]?.share?.leave(number) }
    }

    func update(_ address: ShareAddress, _ state: ShareState) throws(ProblemError) {
        try hear(address)
        if let seen = state.seen { rooms[address.room]?.share?.acknowledge(upTo: seen, of: state.epoch) }
        rooms[address.room]?.share?.state = ShareState(
            state: state.state, viewers: min(max(state.viewers, 0), Limits.viewersPerShare), audio: state.audio,
            muted: state.muted.flatMap(Self.once),
            narrow: state.narrow.map { Array($0.prefix(Limits.viewersPerShare)) })
        publish(address.room)
    }

    /// Each kind once, however often a sharer names it.
    private static func once(_ muted: [RoomState.Sound]) -> [RoomState.Sound]? {
        muted.isEmpty ? nil : RoomState.Sound.allCases.filter { muted.contains($0) }
    }

    func close(_ address: ShareAddress) throws(ProblemError) {
        _ = try share(at: address)
        endShare(in: address.room, because: ProblemError(.noSharer, retryAfter: RetryAfter.noSharer))
        logger.info("The sharer has ended the sharing.", metadata: about(address.room))
        publishEnd(of: address.room)
    }

    /// The sharer's word on an offer.
    func reply(_ address: ShareAddress, to id: RandomID?, _ reply: SessionReply) throws(ProblemError) {
        let (id, session) = try ownSession(address, id)
        guard case .offered(let verdict) = session.state else { throw ProblemError(.alreadyAnswered) }
        switch reply {
        case .answer(let sdp):
            try require(sdp)
            rooms[address.room]?.share?.sessions[id]?.state = .established
            verdict.resolve(.answered(sdp: sdp))
        case .refusal(let refusal):
            if let counterOffer = refusal.counterOffer {
                try require(counterOffer)
                let limit = clock.now() + timing.counterOffer
                rooms[address.room]?.share?.sessions[id]?.state = .countered(until: limit)
                verdict.resolve(.countered(sdp: counterOffer))
            } else {
                remove(id, from: address.room, tellSharer: false)
                verdict.resolve(.failed(ProblemError(refusal)))
            }
        }
    }

    /// The sharer's side of an ICE restart.
    func reply(_ address: ShareAddress, to id: RandomID?, _ reply: RestartReply) throws(ProblemError) {
        var (id, session) = try ownSession(address, id)
        guard TrickleFragment(reply.fragment) != nil else { throw ProblemError(.malformedSDP) }
        guard let restart = session.restart, restart.tag == reply.restart else {
            throw ProblemError(.restartSuperseded)
        }
        session.restart = nil
        session.etag = restart.tag
        session.ufrags = restart.ufrags
        rooms[address.room]?.share?.sessions[id] = session
        restart.reply.resolve(.answered(fragment: reply.fragment))
    }

    /// The sharer has ended a session, or could not go on with it.
    func dismiss(_ address: ShareAddress, _ id: RandomID?) throws(ProblemError) {
        let (id, session) = try ownSession(address, id)
        session.fail(ProblemError(.sharerBusy, retryAfter: RetryAfter.sharerBusy))
        remove(id, from: address.room, tellSharer: false)
    }

    // MARK: Parts

    /// Each request of a sharer is a sign of life.
    private func hear(_ address: ShareAddress) throws(ProblemError) {
        _ = try share(at: address)
        rooms[address.room]?.share?.lastHeard = clock.now()
    }

    private func ownSession(
        _ address: ShareAddress, _ id: RandomID?
    ) throws(ProblemError) -> (id: RandomID, session: Session) {
        try hear(address)
        guard let id, let session = rooms[address.room]?.share?.sessions[id] else {
            throw ProblemError(.sessionNotFound)
        }
        return (id, session)
    }

    private func require(_ sdp: String) throws(ProblemError) {
        guard SDPOutline(description: sdp) != nil else { throw ProblemError(.malformedSDP) }
    }
}

extension ProblemError {
    /// What a viewer is told where the sharer doesn't take its offer.
    init(_ refusal: Refusal) {
        let detail = refusal.detail.map { String($0.prefix(Limits.detail)) }
        switch refusal.reason {
        case .malformed: self.init(.malformedSDP, detail: detail)
        case .unsupported: self.init(.offerNotServed, detail: detail)
        case .full: self.init(.roomFull, detail: detail, retryAfter: RetryAfter.roomFull)
        case .busy: self.init(.sharerBusy, detail: detail, retryAfter: RetryAfter.sharerBusy)
        }
    }
}
