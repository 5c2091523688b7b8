import Logging
import PeerCore
import SignalingClient

/// What a viewer does where the way to its sharer is lost.
extension ViewSession {
    /// Looks after the way until the task is cancelled. ICE finds another by itself where one side's packets still reach the
    /// other; where they do not, as behind a NAT that only lets in what it knows, both sides have to begin anew (RFC 8445
    /// § 9). Where that does not help, or the server has forgotten the session, another is needed.
    nonisolated func watchPath(
        _ session: WHEPSession, _ negotiation: ViewNegotiation, _ signals: AsyncStream<PeerEvent>.Continuation
    ) async {
        guard await session.takesCandidates else { return }
        while (try? await Task.sleep(for: ViewLimits.pathInterval)) != nil {
            guard let quiet = await negotiation.quietTime(), quiet > ViewLimits.quietTime else { continue }
            do throws(SignalingError) {
                try await negotiation.restart(by: session)
            } catch {
                logger.info("ICE was not restarted.", metadata: ["reason": .string(error.description)])
                if error == .gone {
                    signals.yield(.disconnected(.closedByPeer))
                    return
                }
                // It may be the way to the server that is gone, and then both come back together.
                guard error.isTemporary else { return }
                try? await Task.sleep(for: max(error.retryAfter, ViewLimits.restartPause))
                continue
            }
            guard (try? await Task.sleep(for: ViewLimits.restartTime)) != nil else { return }
            guard let quiet = await negotiation.quietTime(), quiet > ViewLimits.restartTime else { continue }
            signals.yield(.disconnected(.unreachable))
            return
        }
    }
}
