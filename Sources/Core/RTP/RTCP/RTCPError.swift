/// Why bytes are not an RTCP datagram.
package enum RTCPError: Error, Hashable, Sendable {
    case truncated
    /// The version is not 2 (RFC 3550 § 6.4.1).
    case version
    /// A padding count that is zero or too large (RFC 3550 § 6.4.1).
    case padding
    /// A packet's contents do not fit its type, count or format.
    case malformed(RTCPType)
    /// More packets or entries than `Limits` allows.
    case tooMany
}

/// Packet types (RFC 3550 § 12.1, RFC 4585 § 6.1).
package enum RTCPType: UInt8, Hashable, Sendable {
    case senderReport = 200
    case receiverReport = 201
    case sourceDescription = 202
    case goodbye = 203
    /// RTPFB.
    case transportFeedback = 205
    /// PSFB.
    case payloadFeedback = 206
}
