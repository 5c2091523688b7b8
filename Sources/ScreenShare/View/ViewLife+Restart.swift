import Logging
import PeerCore
import SignalingClient
import Timebase

/// What a viewer does where the way to its sharer is lost.
extension ViewLife {
    /// Looks after the way until the task is cancelled. ICE finds another by itself where one side's packets still reach the
    /// other; where they do not, as behind a NAT that only lets in what it knows, both sides have to begin anew (RFC 8445
    /// § 9). Where that does not help, or the server has forgotten the session, another is needed.
    nonisolated func watchPath(
        _ session: WHEPSession, _ negotiation: ViewNegotiation, _ signals: AsyncStream<PeerEvent>.Continuation
    ) async {
        guard await session.takesCandidates else { return }
        var (backoff, random) = (Backoff.signaling, SystemRandomNumberGenerator())
        // A request whose answer got lost may have been heeded: then ICE has to begin anew on this side as well.
        var owed = 0
        while (try? await Task.sleep(for: ViewLimits.pathInterval)) != nil {
            if await isLost(negotiation, for: ViewLimits.doubtTime) { await negotiation.askSharer() }
            guard await isLost(negotiation, for: ViewLimits.lostTime) || owed > 0 else { continue }
            try? await Task.sleep(for: ViewLimits.restartSpread * Double.random(in: 0...1, using: &random))
            guard await isLost(negotiation, for: ViewLimits.lostTime) || owed > 0 else { continue }
            do throws(SignalingError) {
                try await negotiation.restart(by: session)
                owed = 0
                backoff.reset()
            } catch {
                logger.info("ICE was not restarted.", metadata: ["reason": .string(error.description)])
                guard await isWorthAnother(error, negotiation, signals) else { return }
                owed = owed > 0 ? owed - 1 : error.mayHaveBeenHeeded ? ViewLimits.owedRestarts : 0
                try? await Task.sleep(for: max(error.retryAfter, backoff.next(using: &random)))
                continue
            }
            guard (try? await Task.sleep(for: ViewLimits.restartTime)) != nil else { return }
            guard await isLost(negotiation, for: ViewLimits.restartTime) else { continue }
            signals.yield(.disconnected(.unreachable))
            return
        }
    }

    private nonisolated func isLost(_ negotiation: ViewNegotiation, for time: Duration) async -> Bool {
        await negotiation.lostTime().map { $0 > time } ?? false
    }

    /// A server that knows nothing of the session any more can't restart it; what still comes is watched to its end.
    private nonisolated func isWorthAnother(
        _ error: SignalingError, _ negotiation: ViewNegotiation, _ signals: AsyncStream<PeerEvent>.Continuation
    ) async -> Bool {
        guard error == .gone else { return error.isTemporary }
        if await isLost(negotiation, for: ViewLimits.lostTime) { signals.yield(.disconnected(.closedByPeer)) }
        return false
    }
}

extension SignalingError {
    /// The request may have come to the sharer, though no answer did.
    fileprivate var mayHaveBeenHeeded: Bool {
        switch self {
        case .unreachable(.timeout), .unreachable(.silent), .unreachable(.brokenOff), .notThereYet: true
        case .refused(let status, _): status >= 500
        case .badAddress, .unreachable, .roomTaken, .tokenRequired, .forbidden, .gone, .stale, .elsewhere, .unreadable,
            .cancelled: false
        }
    }
}
