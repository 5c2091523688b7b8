import Timebase

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
    /// Pictures in `annexB` that repeat the one before, in front of the sharer's; those in front of a keyframe are a unit by
    /// themselves.
    public var repeated: Int
    /// When it is to be shown, at the source's own pace and in step with the sound's `playAt`.
    public var showAt: ContinuousClock.Instant
    /// Bytes of each repeat: they are alike, and stand in front of the picture.
    var repeatSize = 0
}

extension VideoUnit {
    /// The first of its pictures alone, for who wants no more; the whole unit where it holds no more.
    package func prefix(_ count: Int) -> VideoUnit {
        guard count < pictures + repeated else { return self }
        var first = self
        (first.pictures, first.repeated) = (0, max(0, min(count, repeated)))
        first.annexB = Array(annexB.prefix(first.repeated * repeatSize))
        first.isKeyframe = false
        return first
    }

    /// A keyframe, and apart from it the repeats in front of it, which are still of the pictures before; all else is one.
    ///
    /// - Parameter begin: the timestamp of the first repeat.
    func parted(from begin: Int64) -> [VideoUnit] {
        guard isKeyframe, repeated > 0 else { return [self] }
        var (repeats, keyframe) = (prefix(repeated), self)
        repeats.timestamp = min(begin, timestamp)
        repeats.showAt = showAt - MediaTime(ticks: timestamp.subtractingSaturating(repeats.timestamp)).elapsed
        keyframe.annexB.removeFirst(repeats.annexB.count)
        (keyframe.repeated, keyframe.repeatSize) = (0, 0)
        return [repeats, keyframe]
    }
}
