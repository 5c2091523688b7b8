/// What the pictures are about, and so what counts most: WebRTC's content hints for video, which `init(contentHint:)` takes.
@nonexhaustive public enum ContentMode: String, Hashable, Sendable, CaseIterable {
    /// `detail` for programs and pages; `motion` from a second or two after something begins to play, in the whole picture
    /// or in a part of it, until it ends.
    case auto
    /// Text and drawings: 15 frames a second at most, each as sharp as the bit rate allows, of the source's own size unless
    /// another was asked for. Where bits are too few, frames are left out so that the others stay sharp; not at a fixed rate
    /// (`ShareConfiguration.frameRate`).
    case detail
    /// Films, calls, games: as soon as it is known at which rate they play (23.976 to 60 a second), each of their
    /// pictures leaves once, when it is drawn, with a timestamp of that rate; of more than 30 a second every other one.
    case motion

    /// What a video track's `contentHint` asks for (W3C, MediaStreamTrack Content Hints).
    ///
    /// - Parameter contentHint: `""` for `auto`, `"text"` or `"detail"` for `detail`, `"motion"`; nil comes of any other.
    public init?(contentHint: String) {
        switch contentHint {
        case "": self = .auto
        case "text", "detail": self = .detail
        case "motion": self = .motion
        default: return nil
        }
    }
}
