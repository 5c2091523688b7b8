import Logging
import SignalingProtocol

/// What a viewer does (draft-ietf-wish-whep).
extension RoomStore {
    /// A viewer and what the sharer said to its offer.
    struct Joined: Sendable {
        let address: SessionAddress
        let etag: EntityTag
        let sdp: String
        /// The SDP is an offer of the sharer's own, which the viewer may answer.
        let isCounterOffer: Bool
    }

    /// Whether somebody shares there, and this token lets in.
    func admits(_ token: BearerToken?, to name: RoomName) -> Bool {
        rooms[name]?.share != nil && viewerToken(in: name).map { token == $0 } != false
    }

    /// Brings an offer to the sharer and waits for its answer. A request that fails or is cancelled leaves nothing.
    func join(
        _ name: RoomName, token: BearerToken?, sdp: String, ufrags: [String]
    ) async throws(ProblemError) -> Joined {
        let share = try admit(to: name, token: token)
        let id = RandomID(using: &random)
        let etag = EntityTag(using: &random)
        let verdict = OneShot<JoinVerdict>()
        let offer = SessionOffer(sessionId: id, sdp: sdp, etag: etag)
        rooms[name]?.share?.sessions[id] = Session(.offered(verdict), etag: etag, ufrags: ufrags, at: clock.now())
        try? rooms[name]?.share?.tell(.offer(offer))
        logger.debug("A viewer asks to join.", metadata: about(name, session: id))

        let result = await verdict.value(
            within: timing.answer, clock: clock, otherwise: .failed(ProblemError(.noAnswer)))
        let address = SessionAddress(room: name, id: id, token: token)
        switch result {
        case .answered(let sdp): return Joined(address: address, etag: etag, sdp: sdp, isCounterOffer: false)
        case .countered(let sdp): return Joined(address: address, etag: etag, sdp: sdp, isCounterOffer: true)
        case .failed(let problem):
            abandon(address, of: share)
            throw problem
        case nil:
            abandon(address, of: share)
            throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy)
        }
    }

    /// Lets one more viewer in, or says why not.
    private func admit(to name: RoomName, token: BearerToken?) throws(ProblemError) -> RandomID {
        if let needed = viewerToken(in: name), token != needed { throw .unauthorized(presented: token) }
        guard !isStopping else { throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy) }
        guard let share = rooms[name]?.share else {
            throw ProblemError(.noSharer, retryAfter: RetryAfter.noSharer)
        }
        guard isHeard(share) else { throw ProblemError(.sharerSilent, retryAfter: RetryAfter.sharerSilent) }
        guard share.sessions.count < share.maxViewers else {
            throw ProblemError(.roomFull, retryAfter: RetryAfter.roomFull)
        }
        guard share.pendingSessions < ServerLimits.pendingPerRoom, !share.outbox.isFull, hasPlace(for: share) else {
            throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy)
        }
        return share.id
    }

    /// Whether one more offer to a share may wait. Where all places are taken, the offer that waits longest in the room
    /// with most of them leaves its place to a room with fewer: a sharer who answers nobody keeps nobody out elsewhere.
    private func hasPlace(for share: Share) -> Bool {
        let waiting = rooms.mapValues { $0.share?.pendingSessions ?? 0 }
        if waiting.values.reduce(0, +) < configuration.maxPendingSessions { return true }
        guard let fullest = waiting.max(by: { $0.value < $1.value }), fullest.value > share.pendingSessions,
            let oldest = rooms[fullest.key]?.share?.oldestPending
        else { return false }
        oldest.session.fail(ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy))
        remove(oldest.id, from: fullest.key, tellSharer: true)
        return true
    }

    /// Forgets a session nobody got to know of.
    func abandon(_ address: SessionAddress, of share: RandomID? = nil) {
        guard share == nil || rooms[address.room]?.share?.id == share else { return }
        remove(address.id, from: address.room, tellSharer: true)
    }

    /// The entity-tag of a session's ICE session.
    func etag(of address: SessionAddress) throws(ProblemError) -> EntityTag {
        try session(at: address).etag
    }

    /// The viewer leaves.
    func leave(_ address: SessionAddress) throws(ProblemError) {
        let session = try session(at: address)
        session.fail(ProblemError(.sessionNotFound))
        remove(address.id, from: address.room, tellSharer: true)
        logger.debug("A viewer left.", metadata: about(address.room, session: address.id))
    }

    /// The viewer answers the sharer's counter-offer.
    func answer(_ address: SessionAddress, sdp: String, ufrags: [String]) throws(ProblemError) {
        let session = try session(at: address)
        switch session.state {
        case .countered: break
        case .offered, .established: throw ProblemError(.unsupportedMediaType)
        }
        rooms[address.room]?.share?.sessions[address.id]?.state = .established
        rooms[address.room]?.share?.sessions[address.id]?.ufrags = ufrags
        try? rooms[address.room]?.share?.tell(.answer(SessionAnswer(sessionId: address.id, sdp: sdp)))
    }

    /// What became of a PATCH with a trickle fragment.
    enum Patched: Sendable {
        /// The candidates are on their way: 204.
        case trickled
        /// ICE was restarted: 200 with the sharer's fragment and the new tag.
        case restarted(fragment: String, etag: EntityTag)
    }

    /// Brings candidates to the sharer. A user name fragment that is none of the session's restarts ICE, and then the
    /// sharer's own new candidates are waited for.
    func patch(
        _ address: SessionAddress, if condition: MatchCondition, _ text: String, _ fragment: TrickleFragment
    ) async throws(ProblemError) -> Patched {
        let session = try takePatch(address)
        guard condition.matches(session.etag) else { throw ProblemError(.preconditionFailed) }
        guard fragment.ufrags.contains(where: { !session.ufrags.contains($0) }) else {
            let candidates = SessionCandidates(sessionId: address.id, fragment: text)
            try? rooms[address.room]?.share?.tell(.candidates(candidates))
            return .trickled
        }
        return try await restart(address, text, ufrags: fragment.ufrags)
    }

    private func takePatch(_ address: SessionAddress) throws(ProblemError) -> Session {
        var session = try session(at: address)
        guard session.isEstablished else { throw ProblemError(.notEstablished) }
        let isAllowed = session.patches.take(at: clock.now())
        rooms[address.room]?.share?.sessions[address.id] = session
        guard isAllowed, rooms[address.room]?.share?.outbox.isFull == false else {
            throw ProblemError(.tooManyRequests, retryAfter: RetryAfter.serverBusy)
        }
        return session
    }

    /// Draft § ICE Restarts: a restart that fails leaves the session and its ICE session as they were.
    private func restart(
        _ address: SessionAddress, _ text: String, ufrags: [String]
    ) async throws(ProblemError) -> Patched {
        let restart = Session.Restart(tag: EntityTag(using: &random), ufrags: ufrags, reply: OneShot())
        rooms[address.room]?.share?.sessions[address.id]?.restart?.reply
            .resolve(.failed(ProblemError(.restartSuperseded)))
        rooms[address.room]?.share?.sessions[address.id]?.restart = restart
        let candidates = SessionCandidates(sessionId: address.id, fragment: text, restart: restart.tag)
        try? rooms[address.room]?.share?.tell(.candidates(candidates))

        let result = await restart.reply.value(
            within: timing.answer, clock: clock, otherwise: .failed(ProblemError(.noAnswer)))
        switch result {
        case .answered(let fragment): return .restarted(fragment: fragment, etag: restart.tag)
        case .failed(let problem):
            forget(restart, of: address)
            throw problem
        case nil:
            forget(restart, of: address)
            throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy)
        }
    }

    private func forget(_ restart: Session.Restart, of address: SessionAddress) {
        guard rooms[address.room]?.share?.sessions[address.id]?.restart?.tag == restart.tag else { return }
        rooms[address.room]?.share?.sessions[address.id]?.restart = nil
    }
}
