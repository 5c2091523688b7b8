import Timebase

/// One access unit as an encoder made it (ITU-T H.264 § 7.4.1.2): NAL units without start codes, in one array.
package struct EncodedUnit: Sendable {
    package var bytes: [UInt8]
    /// Where each NAL unit lies in `bytes`, in decoding order.
    package var nalUnits: [Range<Int>]
    package var mediaTime: MediaTime
    /// When the source showed it.
    package var capturedAt: Instant
    /// Decoding can start here: SPS, PPS and an IDR picture.
    package var isKeyframe: Bool
    /// False for what later pictures do not need (`nal_ref_idc` 0).
    package var isReference: Bool
    /// The mean quantiser (0…51), by which the encoder's owner knows when a still picture is sharp.
    package var quantiser: Double

    package init(
        bytes: [UInt8], nalUnits: [Range<Int>], mediaTime: MediaTime, capturedAt: Instant, isKeyframe: Bool,
        isReference: Bool, quantiser: Double
    ) {
        self.bytes = bytes
        self.nalUnits = nalUnits
        self.mediaTime = mediaTime
        self.capturedAt = capturedAt
        self.isKeyframe = isKeyframe
        self.isReference = isReference
        self.quantiser = quantiser
    }
}
