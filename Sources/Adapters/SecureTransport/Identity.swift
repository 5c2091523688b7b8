import COpenSSL
import PeerCore

/// Our certificate and its private key: self-signed ECDSA P-256 (RFC 8827 § 6.5), made anew for each run and never
/// written anywhere. It names neither the host nor the user.
///
/// Immutable after `init`, and OpenSSL counts references to both handles atomically; so it may cross threads.
package final class Identity: @unchecked Sendable {
    let certificate: OpaquePointer
    let privateKey: OpaquePointer
    /// SHA-256 of the certificate, for `a=fingerprint`.
    let fingerprint: Fingerprint

    init() throws(HandshakeError) {
        OpenSSLFailure.forget()
        guard let privateKey = shim_generate_p256_key() else { throw .failed(OpenSSLFailure.text) }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(privateKey)
            throw .failed(OpenSSLFailure.text)
        }
        let digest = Self.fill(certificate, signedBy: privateKey) ? Self.sha256(of: certificate) : nil
        guard let digest else {
            X509_free(certificate)
            EVP_PKEY_free(privateKey)
            throw .failed(OpenSSLFailure.text)
        }
        self.privateKey = privateKey
        self.certificate = certificate
        fingerprint = Fingerprint(sha256: digest)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(privateKey)
    }

    /// SHA-256 of a certificate's DER form (RFC 8122 § 5).
    static func sha256(of certificate: OpaquePointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &digest, &length) == 1, length == 32 else { return nil }
        return Array(digest.prefix(32))
    }

    private static func fill(_ certificate: OpaquePointer, signedBy key: OpaquePointer) -> Bool {
        let begin = -Limits.certificateClockSkewSeconds
        return X509_set_version(certificate, 2) == 1  // 2 stands for version 3 (RFC 5280 § 4.1.2.1)
            && setSerialNumber(certificate)
            && X509_gmtime_adj(X509_getm_notBefore(certificate), begin) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), Limits.certificateLifetimeSeconds) != nil
            && setName(certificate)
            && X509_set_pubkey(certificate, key) == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
    }

    /// A random positive number of 20 octets at most (RFC 5280 § 4.1.2.2).
    private static func setSerialNumber(_ certificate: OpaquePointer) -> Bool {
        guard let number = BN_new() else { return false }
        defer { BN_free(number) }
        return BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    /// The name browsers give theirs; issuer and subject are the same.
    private static func setName(_ certificate: OpaquePointer) -> Bool {
        let name = X509_get_subject_name(certificate)
        let text = Array("WebRTC".utf8)
        return X509_NAME_add_entry_by_txt(name, "CN", V_ASN1_UTF8STRING, text, Int32(text.count), -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }
}
