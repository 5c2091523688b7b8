/// Differentiated services code point (RFC 2474 § 3): how routers may treat a datagram, by what RFC 8837 § 5 has for
/// interactive video and audio.
package enum DSCP: UInt8, Hashable, Sendable {
    case standard = 0
    /// AF41. Checks and handshakes as well: the same way is to be tried (RFC 8445 § 7.1).
    case video = 34
    /// EF.
    case audio = 46
}
