import Timebase

/// Why a picture that the source had was not encoded.
package enum DropReason: Hashable, Sendable {
    /// The hand-off to the network was full.
    case outboxFull
    /// A newer picture of the same frame period took its place.
    case superseded
    /// It showed nothing new.
    case repeated
}

/// What to do now.
package enum FrameDecision: Hashable, Sendable {
    /// Read the source, convert, encode.
    case encode(MediaTime)
    /// Encode the last picture again: it is not sharp yet, or a viewer needs a keyframe.
    case encodeAgain(MediaTime)
    /// Encode the last picture for slower viewers, who lack what has changed; the others have it.
    case catchUp(MediaTime)
    /// Tell receivers that nothing changed, without the encoder.
    case keepalive(MediaTime)
    /// Nothing, until then or the next change.
    case wait(until: Instant)
}
