/// The hash functions STUN signs with, as a port: Core has no cryptography of its own.
package protocol MessageAuthenticator: AnyObject {
    /// 20 bytes (RFC 8489 § 14.5).
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8]
    /// 32 bytes (RFC 8489 § 14.6).
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8]
    /// 16 bytes, the key of long-term credentials (RFC 8489 § 9.2.2).
    func md5(_ message: [UInt8]) -> [UInt8]
}

/// Which of the two integrity attributes.
package enum IntegrityAlgorithm: Hashable, Sendable {
    case sha1
    case sha256

    var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        }
    }

    func code(key: [UInt8], message: [UInt8], with authenticator: any MessageAuthenticator) -> [UInt8] {
        switch self {
        case .sha1: authenticator.hmacSHA1(key: key, message: message)
        case .sha256: authenticator.hmacSHA256(key: key, message: message)
        }
    }

    func attribute(_ code: [UInt8]) -> STUNAttribute {
        switch self {
        case .sha1: .messageIntegrity(code)
        case .sha256: .messageIntegritySHA256(code)
        }
    }
}
