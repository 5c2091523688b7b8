/// Why bytes are not an RTP packet.
package enum RTPError: Error, Hashable, Sendable {
    case truncated
    /// The version is not 2 (RFC 3550 § 5.1).
    case version
    /// The padding count is zero or larger than what is there (RFC 3550 § 5.1).
    case padding
    /// A header extension element reaches past the block (RFC 8285 § 4).
    case extensionElement
}
