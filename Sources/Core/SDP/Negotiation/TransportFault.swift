/// Why a section's transport cannot be used, in an offer or in an answer.
package enum TransportFault: Error, Hashable, Sendable {
    case noCredentials
    case malformedCredentials
    case noFingerprint
    /// Fingerprints there are, but only by other hash functions (RFC 8122 § 5 forbids MD5 and MD2; SHA-1 is too weak).
    case noSHA256Fingerprint
    case malformedFingerprint
    /// Two different SHA-256 fingerprints for one transport.
    case conflictingFingerprints
    /// `a=setup` is missing where it must stand, unknown, `holdconn`, or leaves nobody to begin.
    case contradictorySetup
}
