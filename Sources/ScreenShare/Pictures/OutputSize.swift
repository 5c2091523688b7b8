/// The encoded picture's size in pixels, always even. The aspect is always kept, nothing is cropped, nothing enlarged.
/// What no level of H.264 has room for (table A-1) becomes the nearest size that one has.
@nonexhaustive public enum OutputSize: Hashable, Sendable {
    /// What suits the mode, also where that changes: `native` in `detail`, else `within` 1920 by 1080 pixels.
    case automatic
    /// The source's own size, made even.
    case native
    /// As large as fits into the box.
    case fit(width: Int, height: Int)
    /// As large as fits into the box, which is turned for a picture that stands upright.
    case within(longSide: Int, shortSide: Int)
    /// No more pixels than these.
    case maximumPixels(Int)
    /// Exactly this size, with black bars where the source is smaller or of another aspect.
    case exactly(width: Int, height: Int)
}
