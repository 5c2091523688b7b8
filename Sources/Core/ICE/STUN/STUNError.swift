/// Why bytes are not a STUN message.
package enum STUNError: Error, Hashable, Sendable {
    case truncated
    /// The first two bits or the magic cookie say it is something else.
    case notSTUN
    case wrongLength
    case tooLong
    case tooManyAttributes
    /// An attribute reaches past the end of the message.
    case truncatedAttribute(UInt16)
    /// A comprehension-required attribute whose value does not fit its type.
    case malformedAttribute(UInt16)
    case wrongFingerprint
    /// RFC 8489 § 14.7: "the FINGERPRINT attribute MUST be the last attribute in the message".
    case misplacedFingerprint
}

/// ERROR-CODE (RFC 8489 § 14.8).
package struct STUNErrorCode: Hashable, Sendable {
    /// 300…699.
    package var code: UInt16
    package var reason: String

    package init(_ code: UInt16, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }

    package static let badRequest = STUNErrorCode(400)
    package static let unauthenticated = STUNErrorCode(401)
    /// RFC 7675 § 5.2: revokes consent at once.
    package static let forbidden = STUNErrorCode(403)
    package static let unknownAttribute = STUNErrorCode(420)
    /// RFC 8489 § 9.2.4: the nonce is too old; the error brings another.
    package static let staleNonce = STUNErrorCode(438)
    // RFC 8656 § 19.
    package static let allocationMismatch = STUNErrorCode(437)
    package static let wrongCredentials = STUNErrorCode(441)
    package static let quotaReached = STUNErrorCode(486)
    package static let insufficientCapacity = STUNErrorCode(508)
    /// RFC 8445 § 16.2.
    package static let roleConflict = STUNErrorCode(487)
}
