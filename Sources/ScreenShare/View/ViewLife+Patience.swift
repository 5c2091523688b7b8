import PeerCore

/// How long a viewer waits where there is nothing to see.
extension ViewLife {
    /// Nothing to see for longer than was asked for.
    var isTired: Bool { patienceLeft <= .zero }

    var patienceLeft: Duration {
        guard let patience = configuration.patience, let nothingSince else { return .seconds(Int64.max / 2) }
        return patience - (ContinuousClock.now - nothingSince)
    }

    /// How long an answer to an offer is waited for; each step of a try has its time, even where no patience is left. Nil:
    /// for as long as a server may take.
    var answerTime: Duration? {
        configuration.patience == nil ? nil : max(patienceLeft, ViewLimits.step)
    }

    /// A connection may never stand, or bring nothing: the share is paused, or a server has no sharer. Called where it
    /// begins, and anew once it stands.
    ///
    /// - Parameter least: what the next step may take, even where no patience is left.
    func giveUp(_ signals: AsyncStream<PeerEvent>.Continuation, notBefore least: Duration) async {
        guard let patience = configuration.patience, let nothingSince else { return }
        let deadline = max(nothingSince + patience, ContinuousClock.now + least)
        guard (try? await Task.sleep(until: deadline)) != nil, !Task.isCancelled, isTired else { return }
        signals.finish()
    }
}
