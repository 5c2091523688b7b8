/// How hard the encoder tries, by x264's names. Where pictures would be late, a share goes down by itself, and up again
/// when there is room: `ShareEvent.presetChanged` says so.
///
/// | | a share of 1280×720, resident | of 1920×1080 |
/// |---|---|---|
/// | `minimal`, `ultrafast` | 48 MB | 75 MB |
/// | `superfast` to `medium` | 54 MB | 117 MB |
///
/// A share that has gone down keeps the memory of the preset that was asked for. Text gets a twentieth smaller from
/// `ultrafast` to `veryfast`, for about twice the work.
@nonexhaustive public enum EncoderPreset: String, Hashable, Sendable, CaseIterable {
    /// x264's `ultrafast` as it is: changed and scrolled text takes more bits.
    case minimal
    /// Named as x264's, each with more work for fewer bits than the one before. Unlike `minimal`, all search widely
    /// where a page changed or scrolls.
    case ultrafast, superfast, veryfast, faster, fast, medium
}
