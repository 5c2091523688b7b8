/// What happens to a share, in order. Read from `ShareSession.events`.
@nonexhaustive public enum ShareEvent: Sendable {
    /// The share is live, paused or stopped from now on.
    case stateChanged(ShareState)
    /// A viewer is connected.
    case viewerJoined(ViewerArrival)
    /// One that was connected is gone. None comes for those who are there when the share stops.
    case viewerLeft(ViewerDeparture)
    /// One that was answered, or made an offer, did not connect, and is forgotten.
    case viewerFailed(ViewerDeparture)
    /// A viewer's path takes too little for moving pictures; it is sent one now and then.
    case viewerStarved(viewer: String)
    /// It takes enough again.
    case viewerRecovered(viewer: String)
    /// The source's size or the encoded size changed. Told of the first picture too.
    case sourceChanged(SourceChange)
    /// Nothing can be captured for now (a minimised window, an unplugged monitor); the text says why.
    case sourceHidden(SourceAbsence)
    /// There is nothing to capture any more (a closed window); the text says what to do. The share goes on, with its sound:
    /// it sends nothing of that source from now on, rooms show it as paused, and `setSource` may put another in its place.
    case sourceEnded(SourceAbsence)
    /// There is something to capture again, of that source or of another.
    case sourceVisible
    /// Something began to play, or has ended, or its rate is known, or no longer. Where nobody looks any more, in mode
    /// `detail` and at a fixed rate, what played counts as ended.
    case contentChanged(ContentChange)
    /// The processor was too busy for the preset before, or has room for a better one. Of slow viewers' own encodings a
    /// `notice` tells.
    case presetChanged(EncoderPreset)
    /// A source of sound can't be opened, or is gone; silence is sent in its place, and it is tried again.
    case audioInterrupted(SharedAudio, reason: String)
    /// It is heard again.
    case audioResumed(SharedAudio)
    /// What is muted now.
    case audioMuted(Set<SharedAudio>)
    /// The server of a `PublishedRoom` is lost, or gives us the room no more: nobody can join there, and those who have don't
    /// notice. It is tried again, and told once while the reason is the same.
    case roomLost(RoomLoss)
    /// It is there again.
    case roomFound(RoomReturn)
    /// Something a person should know that does not end the share.
    case notice(String)
}
