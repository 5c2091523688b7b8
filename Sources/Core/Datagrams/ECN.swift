/// Explicit congestion notification: two bits of the IP header (RFC 3168 § 5), of which a router with a long queue makes
/// `congestionExperienced` instead of dropping a packet that allows it.
package enum ECN: UInt8, Hashable, Sendable {
    case notCapable = 0
    /// ECT(1): the sender gives way in proportion to how much is marked (L4S, RFC 9331).
    case capable1 = 1
    /// ECT(0): as it would to loss (RFC 3168).
    case capable0 = 2
    /// CE.
    case congestionExperienced = 3
}
