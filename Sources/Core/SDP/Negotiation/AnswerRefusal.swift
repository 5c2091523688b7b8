/// Why an offer cannot be answered. A WHEP endpoint then answers 406, with an offer of its own.
package enum AnswerRefusal: Error, Hashable, Sendable {
    case noMedia
    case noVideo
    /// Video there is, but no section of it wants to receive.
    case nothingToReceive
    case noH264
    /// A section over something else than RTP, or plain RTP without any key exchange of WebRTC's.
    case unsupportedProtocol
    /// Two sections have the same tag (`a=mid`), or one has a tag that is too long.
    case unusableTags
    case noRTCPMux
    case transport(TransportFault)
}
