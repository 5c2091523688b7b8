/// SRTP protection profiles (RFC 5764 § 4.1.2, RFC 7714 § 14.2), by their DTLS numbers.
package enum SRTPProfile: UInt16, Sendable, CaseIterable {
    case aeadAES128GCM = 0x0007
    case aes128CMSHA1_80 = 0x0001
}

/// What a finished handshake exported (RFC 5764 § 4.2): key and salt, concatenated, for each direction.
package struct SRTPKeys: Sendable {
    package var profile: SRTPProfile
    /// Protects what we send.
    package var local: [UInt8]
    /// Opens what the peer sends.
    package var remote: [UInt8]

    package init(profile: SRTPProfile, local: [UInt8], remote: [UInt8]) {
        self.profile = profile
        self.local = local
        self.remote = remote
    }
}

/// A certificate's SHA-256 digest, as `a=fingerprint` carries it (RFC 8122 § 5).
package struct Fingerprint: Hashable, Sendable {
    package var sha256: [UInt8]

    package init(sha256: [UInt8]) {
        self.sha256 = sha256
    }
}
