/// One access unit of the shared video, in decoding order (ITU-T H.264, no B pictures).
public struct VideoUnit: Sendable {
    /// NAL units with start codes (Annex B); a keyframe begins with SPS and PPS.
    public var annexB: [UInt8]
    /// Ticks of 1/90000 s since the first picture, rising; the time goes on where the sharer begins anew.
    public var timestamp: Int64
    /// Decoding can start here.
    public var isKeyframe: Bool
    /// Pictures in `annexB` that the sharer sent (1, or 0 in a unit that only fills time).
    public var pictures: Int
    /// Pictures in `annexB` that repeat the one before.
    public var repeated: Int
    /// When it is to be shown, at the source's own pace and in step with the sound's `playAt`.
    public var showAt: ContinuousClock.Instant
}
