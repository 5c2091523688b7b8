/// A user name and a password for a TURN server, both already prepared (RFC 8265 OpaqueString).
package struct TURNCredentials: Hashable, Sendable {
    package let username: String
    package let password: String

    /// Nil where a text is empty or longer than STUN carries.
    package init?(username: String, password: String) {
        guard (1...Limits.usernameBytes).contains(username.utf8.count),
            (1...Limits.textBytes).contains(password.utf8.count)
        else { return nil }
        self.username = username
        self.password = password
    }

    /// Credentials that lapse by themselves, made from a secret which a TURN server and whoever hands them out share
    /// (coturn's `static-auth-secret`): the user name is the last second at which they count and a name, the password
    /// the user name's HMAC-SHA1 in Base64.
    /// - Parameters:
    ///   - name: for the server's log; may be empty.
    ///   - unixTime: the wall clock's seconds since 1970.
    ///   - lifetime: in seconds, from then on.
    package static func timeLimited(
        secret: String, name: String, unixTime: Int64, lifetime: Int64, with authenticator: any MessageAuthenticator
    ) -> TURNCredentials? {
        let (expiry, overflow) = unixTime.addingReportingOverflow(lifetime)
        guard !secret.isEmpty, expiry > 0, !overflow else { return nil }
        let username = name.isEmpty ? "\(expiry)" : "\(expiry):\(name)"
        let code = authenticator.hmacSHA1(key: Array(secret.utf8), message: Array(username.utf8))
        return TURNCredentials(username: username, password: base64(code))
    }

    /// RFC 4648 § 4.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for index in 0..<4 {
                let isPadding = index > group.count
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
