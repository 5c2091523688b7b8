import SignalingClient
import SignalingProtocol

/// What only the room tells.
extension ViewLife {
    /// What comes seldom may be a screen at rest, a path that takes too little, or a pause.
    func watchRoom(_ session: WHEPSession) async {
        await session.followRoom { [weak self] room in
            if room.state != .waiting { await self?.hear(narrow: room.path == .narrow, paused: room.state == .paused) }
        }
    }

    func hear(narrow: Bool, paused: Bool) {
        if narrow != isPathNarrow { eventSink.yield(narrow ? .pathNarrow : .pathRecovered) }
        if paused != isSharePaused { tell(isPaused: paused) }
        (isPathNarrow, isSharePaused) = (narrow, paused)
    }

    /// What the room told of a connection that is left now. That doesn't end a pause.
    func forgetRoom() {
        isSharePaused = false
        hear(narrow: false, paused: false)
    }

    /// Who sees nothing yet waits for more than this; who has seen something would wonder why nothing moves.
    private func tell(isPaused: Bool) {
        if nothingSince == nil {
            eventSink.yield(.notice(isPaused ? "The share is paused." : "The share goes on."))
        } else if isPaused {
            eventSink.yield(.waiting("the share is paused"))
        }
    }
}
