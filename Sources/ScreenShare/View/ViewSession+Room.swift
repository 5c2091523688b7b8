import SignalingClient
import SignalingProtocol

/// What only the room tells.
extension ViewSession {
    /// What comes seldom may be a screen at rest, a path that takes too little, or a pause.
    func watchRoom(_ session: WHEPSession) async {
        await session.followRoom { [weak self] room in
            if room.state != .waiting { await self?.hear(narrow: room.path == .narrow, paused: room.state == .paused) }
        }
    }

    func hear(narrow: Bool, paused: Bool) {
        if narrow != isPathNarrow { eventSink.yield(narrow ? .pathNarrow : .pathRecovered) }
        if paused, !isSharePaused, nothingSince != nil { eventSink.yield(.waiting("the share is paused")) }
        (isPathNarrow, isSharePaused) = (narrow, paused)
    }
}
