/// `a=setup`: who begins the DTLS handshake (RFC 4145 § 4, RFC 8842 § 5).
package enum SetupRole: String, Hashable, Sendable {
    case active
    case passive
    case actpass
    case holdconn
}
