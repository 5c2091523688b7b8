import SignalingProtocol

/// What a sharer hears from its signaling server.
package enum SharerEvent: Sendable, Equatable {
    /// The room is ours, and viewers can come. `resumed`: the server still knew us.
    case connected(resumed: Bool)
    /// The server is lost; running media doesn't notice. Another attempt follows after that time.
    case disconnected(SignalingError, retryAfter: Duration)
    /// A viewer wants to join: `answer` or `refuse`.
    case offer(session: RandomID, sdp: String)
    /// More candidates of a viewer (RFC 8840 § 9).
    case candidates(session: RandomID, fragment: String)
    /// A viewer restarts ICE: `answerRestart` with the same tag.
    case restart(session: RandomID, fragment: String, tag: EntityTag)
    /// A viewer's answer to our counter-offer.
    case counterAnswer(session: RandomID, sdp: String)
    /// A viewer left, or gave up before it was answered.
    case left(session: RandomID)
}

extension SharerEvent {
    init(_ event: ShareEvent) {
        switch event {
        case .offer(let offer): self = .offer(session: offer.sessionId, sdp: offer.sdp)
        case .candidates(let candidates):
            if let tag = candidates.restart {
                self = .restart(session: candidates.sessionId, fragment: candidates.fragment, tag: tag)
            } else {
                self = .candidates(session: candidates.sessionId, fragment: candidates.fragment)
            }
        case .answer(let answer): self = .counterAnswer(session: answer.sessionId, sdp: answer.sdp)
        case .left(let left): self = .left(session: left.sessionId)
        }
    }
}
