import SignalingProtocol

/// The sessions a sharer has running, as it tells a server that has forgotten them.
struct SessionLedger: Sendable {
    private var offered: [RandomID: SessionTicket] = [:]
    private var running: [RandomID: SessionTicket] = [:]
    /// Fragments of restarts that wait for our answer.
    private var restarts: [RandomID: SessionTicket] = [:]

    var tickets: [SessionTicket] { Array(running.values) }

    mutating func take(_ event: ShareEvent) {
        switch event {
        case .offer(let offer):
            let ufrag = SDPOutline(description: offer.sdp)?.ufrag
            offered[offer.sessionId] = SessionTicket(sessionId: offer.sessionId, etag: offer.etag, ufrag: ufrag)
        case .candidates(let candidates):
            guard let tag = candidates.restart else { return }
            let ufrag = TrickleFragment(candidates.fragment)?.ufrag
            restarts[candidates.sessionId] = SessionTicket(sessionId: candidates.sessionId, etag: tag, ufrag: ufrag)
        case .answer(let answer):
            offered[answer.sessionId]?.ufrag = SDPOutline(description: answer.sdp)?.ufrag
            answered(answer.sessionId)
        case .left(let left):
            forget(left.sessionId)
        }
    }

    mutating func answered(_ id: RandomID) {
        if let ticket = offered.removeValue(forKey: id) { running[id] = ticket }
    }

    mutating func restarted(_ id: RandomID, _ tag: EntityTag) {
        guard let ticket = restarts[id], ticket.etag == tag else { return }
        restarts[id] = nil
        running[id] = ticket
    }

    mutating func forget(_ id: RandomID) {
        offered[id] = nil
        running[id] = nil
        restarts[id] = nil
    }
}
