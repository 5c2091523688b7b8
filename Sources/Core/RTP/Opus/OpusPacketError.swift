/// Why bytes are not an Opus packet, with the rule of RFC 6716 § 3.4 that they break.
package enum OpusPacketError: Error, Hashable, Sendable {
    /// Not a byte [R1], or fewer than the header asks for [R4, R6, R7].
    case truncated
    /// A frame longer than 1275 bytes [R2].
    case frameTooLong
    /// No frame, or more than 120 ms of them [R5].
    case frameCount
    /// Frames of one size that don't divide the bytes that are there [R3, R6].
    case unevenFrames
}
