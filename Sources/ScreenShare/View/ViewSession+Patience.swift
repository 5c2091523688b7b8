import PeerCore

/// How long a viewer waits where there is nothing to see.
extension ViewSession {
    /// Nothing to see for longer than was asked for.
    var isTired: Bool { patienceLeft <= .zero }

    var patienceLeft: Duration {
        guard let patience = configuration.patience, let nothingSince else { return .seconds(Int64.max / 2) }
        return patience - (ContinuousClock.now - nothingSince)
    }

    /// A connection may bring nothing: the share is paused, or a server has no sharer. Called once it stands; one that
    /// never does ends by itself.
    func giveUp(_ signals: AsyncStream<PeerEvent>.Continuation) async {
        guard let patience = configuration.patience, let nothingSince else { return }
        let deadline = max(nothingSince + patience, ContinuousClock.now + ViewLimits.firstPicture)
        guard (try? await Task.sleep(until: deadline)) != nil, isTired else { return }
        signals.finish()
    }
}
