import Media

/// Every bound of the encoder's adapter, with its reason.
enum Limits {
    /// Wide and high enough for any screen; H.264 level 6.2 ends at 16,880 (table A-1).
    static let side = 2...16_384
    /// ITU-T H.264 table A-1 ends at 800 Mbit/s; below 16 kbit/s not even the headers of a large picture fit.
    static let bitsPerSecond = 16_000...800_000_000
    /// Frames a second; level 6.2 has 300 for the smallest sizes.
    static let framesPerSecond = 1.0...300.0
    /// ITU-T H.264 § A.3.1: at most sixteen reference frames.
    static let references = 1...16
    /// Slices in packetization-mode 0 must fit a packet, and a macroblock must fit a slice: at most 3200 bits (§ A.3.1)
    /// and its headers.
    static let slicePayload = 500...65_000
    static let threads = 1...64
    /// CABAC takes about an eighth off what CAVLC needs.
    static let costOfCABAC = 0.87
    /// A keyframe must fit 128 packets for some receivers' jitter buffers; a third is left for the estimate's error.
    static let keyframeBits = 128 * 1140 * 8 * 2 / 3
    /// Keyframes made in place of a picture that came out far too large, at most as often as the others.
    static let keyframeInterval = MediaLimits.keyframeInterval
}
