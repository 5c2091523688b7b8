/// Our side of a connection to one viewer, to be carried there: an SDP answer (`ShareSession.answer`), or an offer
/// (`ShareSession.counterOffer`).
public struct LocalDescription: Sendable {
    /// Names the viewer in events, statistics and the session's calls, until `ShareEvent.viewerLeft` or `viewerFailed`
    /// tells of it, or the share stops. It counts up and is no secret: an address that is given out to the viewer is to have
    /// something random in its place.
    public let viewer: String
    /// With all candidates of ours that are known (RFC 8839); none follow.
    public let sdp: String
}
