import Timebase

/// One access unit as RTP payloads, made once and shared by all viewers of a lane: an immutable value behind a
/// reference, which each viewer's queue and history only counts.
///
/// It holds no packets: payload type, SSRC, sequence number, timestamp offset and extensions are each viewer's own.
package final class PacketizedUnit: Sendable {
    /// All payloads, back to back.
    package let bytes: [UInt8]
    package let payloads: [Range<Int>]
    package let mediaTime: MediaTime
    /// When the source showed it.
    package let capturedAt: Instant
    package let isKeyframe: Bool
    /// False for what later pictures do not need (`nal_ref_idc` 0).
    package let isReference: Bool
    /// The picture before once more, only sharper: it need not hurry.
    package let isRefinement: Bool
    /// How long after it, where it is a keyframe, its lane may have the next at the soonest.
    package let keyframeInterval: Duration

    package init(
        bytes: [UInt8], payloads: [Range<Int>], mediaTime: MediaTime, capturedAt: Instant, isKeyframe: Bool,
        isReference: Bool, isRefinement: Bool = false, keyframeInterval: Duration = .seconds(1)
    ) {
        self.bytes = bytes
        self.payloads = payloads
        self.mediaTime = mediaTime
        self.capturedAt = capturedAt
        self.isKeyframe = isKeyframe
        self.isReference = isReference
        self.isRefinement = isRefinement
        self.keyframeInterval = keyframeInterval
    }

    /// The same payloads, not copied, with other times.
    package func retimed(_ mediaTime: MediaTime, capturedAt: Instant) -> PacketizedUnit {
        PacketizedUnit(
            bytes: bytes, payloads: payloads, mediaTime: mediaTime, capturedAt: capturedAt, isKeyframe: isKeyframe,
            isReference: isReference, isRefinement: isRefinement, keyframeInterval: keyframeInterval)
    }

    /// The M bit: set on the last packet of the access unit (RFC 6184 § 5.1).
    package func isMarked(_ index: Int) -> Bool { index == payloads.count - 1 }
}
