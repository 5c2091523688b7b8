import Logging
import PeerCore
import PeerDriver
import SignalingClient
import SystemClock
import Timebase

/// A sharer that is not heard any more: its network or ours is another now, one of the two has slept, or it is gone.
extension ViewSession {
    /// Restarts ICE by the sharer's server whenever nothing comes any more; media goes on as soon as a way is found.
    ///
    /// - Returns: whether to join anew, because the server knows nothing of this session; false where it can't restart any.
    nonisolated func recover(_ session: WHEPSession, _ negotiation: ViewNegotiation, _ hub: PeerHub) async -> Bool {
        guard await session.takesCandidates else { return false }
        var heard = (packets: 0, at: SystemClock.now())
        while (try? await Task.sleep(for: ViewLimits.stallLook)) != nil {
            let now = SystemClock.now()
            let incoming = await hub.statistics().first?.statistics
            guard let incoming, incoming.isConnected else {
                heard.at = now
                continue
            }
            let packets = incoming.incoming?.packets ?? 0
            if packets != heard.packets { heard = (packets, now) }
            guard now - heard.at >= ViewLimits.stall else { continue }
            heard.at = now + ViewLimits.restartTime - ViewLimits.stall
            do throws(SignalingError) {
                try await restart(session, negotiation)
            } catch {
                logger.info("ICE was not restarted.", metadata: ["reason": .string(error.description)])
                switch error {
                case .gone: return true
                case .unreachable, .notThereYet, .stale, .unreadable: continue
                case .badAddress, .roomTaken, .tokenRequired, .forbidden, .refused, .cancelled: return false
                }
            }
        }
        return false
    }

    private nonisolated func restart(
        _ session: WHEPSession, _ negotiation: ViewNegotiation
    ) async throws(SignalingError) {
        guard let fragment = await negotiation.restart() else { return }
        await negotiation.follow(try await session.restart(fragment))
    }
}
