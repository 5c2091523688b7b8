/// What happens to a share, in order. Read from `ShareSession.events`.
public enum ShareEvent: Sendable {
    /// The share is live, paused or stopped from now on.
    case stateChanged(ShareState)
    /// A viewer is connected; `viewers` counts those who are, this one among them.
    case viewerJoined(viewer: String, viewers: Int)
    /// One that was connected is gone, with the reason in words for a person; `viewers` are still there.
    case viewerLeft(viewer: String, viewers: Int, reason: String)
    /// A viewer's path takes too little for moving pictures; it is sent one now and then.
    case viewerStarved(viewer: String)
    /// It takes enough again.
    case viewerRecovered(viewer: String)
    /// The source's size or the encoded size changed; both in pixels. Told of the first picture too.
    case sourceChanged(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int)
    /// Nothing can be captured for now (a minimised window, an unplugged monitor); the text says why.
    case sourceHidden(String)
    /// It can be captured again.
    case sourceVisible
    /// Something began to play, or has ended, or its rate is known, or no longer. Where nobody looks any more, in mode
    /// `detail` and at a fixed rate, what played counts as ended.
    case contentChanged(SharedContent, cadence: CadenceStatistics?)
    /// The processor was too busy for the preset before, or has room for a better one. Of slow viewers' own encodings a
    /// `notice` tells.
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
    /// Not started, still opening its source and sockets, or `start` has failed and may be tried again.
    case idle
    /// Viewers are answered, and pictures flow.
    case live
    /// Viewers are answered and stay connected; nothing is captured for them.
    case paused
    /// Ended, with the error that ended it if it was not asked to.
    case stopped(ShareError?)
}

/// What can go wrong in a share or a view, in words for a person.
public enum ShareError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The source can't be opened, or has gone; what to do is in the text.
    case source(String)
    /// Encoding failed.
    case codec(String)
    /// Sockets, addresses, servers' names; for a viewer, that the sharer can't be reached.
    case network(String)
    /// An offer, an answer or a trickle fragment is not SDP, or breaks its rules; the text names what is wrong.
    case malformedDescription(String)
    /// The offer has nothing that can be served (no H.264, no fingerprint); the text names what is wrong.
    case offerRefused(String)
    /// As many viewers as allowed are connected.
    case full
    /// No such viewer, the call does not fit the state, or what it was given is malformed.
    case invalid(String)
    /// A token is missing or wrong, or a TURN server refuses the credentials.
    case forbidden(String)
    /// The signaling server refused, or can't be reached.
    case signaling(String)

    /// The case's text; `full` has one of its own.
    public var description: String {
        switch self {
        case .source(let text), .codec(let text), .network(let text), .malformedDescription(let text),
            .offerRefused(let text), .invalid(let text), .forbidden(let text), .signaling(let text):
            text
        case .full: "as many viewers as allowed are connected"
        }
    }
}
