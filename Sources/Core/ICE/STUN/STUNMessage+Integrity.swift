import Datagrams

extension STUNMessage {
    /// Which algorithm proves that someone with `key` wrote the message; nil: nobody did.
    ///
    /// Where both attributes are present SHA-256 decides (RFC 8489 § 9.1.3), so that nobody can bid it down.
    static func verify(
        _ bytes: RawSpan, key: [UInt8], with authenticator: any MessageAuthenticator
    ) -> IntegrityAlgorithm? {
        var found: (algorithm: IntegrityAlgorithm, field: AttributeWalk.Field)?
        var walk = AttributeWalk(bytes)
        while let field = (try? walk.next(bytes)) ?? nil {
            if field.type == .messageIntegritySHA256 { found = (.sha256, field) }
            if field.type == .messageIntegrity, found == nil { found = (.sha1, field) }
        }
        guard let found, let code = bytes.copy(found.field.value), code.count == found.algorithm.byteCount,
            var message = bytes.copy(0..<found.field.start), message.count >= STUNHeader.byteCount
        else { return nil }
        // RFC 8489 § 14.5: the length is "adjusted to point to the end" of the integrity attribute.
        setLength(of: &message, adding: 4 + found.algorithm.byteCount)
        let expected = found.algorithm.code(key: key, message: message, with: authenticator)
        return equalInConstantTime(code, expected) ? found.algorithm : nil
    }

    /// The key of long-term credentials: MD5 of `username:realm:password` (RFC 8489 § 9.2.2). The texts must have been
    /// prepared (OpaqueString) already.
    package static func longTermKey(
        username: String, realm: String, password: String, with authenticator: any MessageAuthenticator
    ) -> [UInt8] {
        authenticator.md5(Array("\(username):\(realm):\(password)".utf8))
    }
}

/// Takes as long for a near miss as for a wild guess.
func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
}
