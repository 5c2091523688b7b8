/// Why an offer cannot be answered. A WHEP endpoint then answers 406, with an offer of its own.
package enum AnswerRefusal: Error, Hashable, Sendable {
    case noMedia
    case noVideo
    /// Video there is, but no section of it wants to receive.
    case nothingToReceive
    case noH264
    /// A section over something else than RTP, or plain RTP without any key exchange of WebRTC's.
    case unsupportedProtocol
    /// Several sections outside a BUNDLE group (RFC 9143), or tags that are not unique.
    case notBundled
    case noRTCPMux
    case transport(TransportFault)
}
