/// What happens to a share, in order. Read from `ShareSession.events`.
public enum ShareEvent: Sendable {
    case stateChanged(ShareState)
    case viewerJoined(viewer: String, viewers: Int)
    case viewerLeft(viewer: String, viewers: Int, reason: String)
    /// A viewer's path takes too little for moving pictures; it is sent one now and then.
    case viewerStarved(viewer: String)
    /// It takes enough again.
    case viewerRecovered(viewer: String)
    /// The source's size or the encoded size changed.
    case sourceChanged(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int)
    /// Nothing can be captured for now (a minimised window, an unplugged monitor); the text says why.
    case sourceHidden(String)
    case sourceVisible
    /// Something began to play, or has ended, or its rate is known, or no longer.
    case contentChanged(SharedContent, cadence: CadenceStatistics?)
    /// The processor was too busy for the preset before, or has room for a better one.
    case presetChanged(EncoderPreset)
    /// A source of sound can't be opened, or is gone; silence is sent in its place, and it is tried again.
    case audioInterrupted(SharedAudio, reason: String)
    /// It is heard again.
    case audioResumed(SharedAudio)
    /// What is muted now.
    case audioMuted(Set<SharedAudio>)
    /// Something a person should know that does not end the share.
    case notice(String)
}

/// The life of a share.
public enum ShareState: Hashable, Sendable {
    case idle
    case live
    case paused
    /// Ended, with the error that ended it if it was not asked to.
    case stopped(ShareError?)
}

/// What can go wrong, in words for a person.
public enum ShareError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The source can't be opened, or has gone; what to do is in the text.
    case source(String)
    /// Encoding failed.
    case codec(String)
    /// Sockets, addresses.
    case network(String)
    /// The offer is not SDP, or breaks its rules; the text names what is wrong.
    case malformedOffer(String)
    /// The offer has nothing that can be served (no H.264, no fingerprint); the text names what is wrong.
    case offerRefused(String)
    /// As many viewers as allowed are connected.
    case full
    /// No such session, or the call does not fit the state.
    case invalid(String)
    /// The token is missing or wrong.
    case forbidden(String)
    /// The signaling server refused, or can't be reached.
    case signaling(String)

    public var description: String {
        switch self {
        case .source(let text), .codec(let text), .network(let text), .malformedOffer(let text),
            .offerRefused(let text), .invalid(let text), .forbidden(let text), .signaling(let text):
            text
        case .full: "as many viewers as allowed are connected"
        }
    }
}
