import COpenSSL
import PeerCore

/// What all handshakes of a run share: one `SSL_CTX` with our certificate, for both roles.
///
/// DTLS 1.2 alone: a peer that offers 1.3 as well answers to 1.2. No sessions, tickets or renegotiation.
final class DTLSContext: @unchecked Sendable {
    // `SSL_CTX` is not changed after `init` and locks what it changes itself.
    private let handle: OpaquePointer

    /// Forward secret and authenticated encryption only (RFC 8827 § 6.5 demands the first one). The RSA suites are for
    /// peers whose own certificate is RSA and who play the server: GStreamer's.
    private static let cipherSuites = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA-AES256-GCM-SHA384",
    ]
    private static let groups = "X25519:P-256:P-384"
    private static let signatureAlgorithms =
        "ECDSA+SHA256:ECDSA+SHA384:RSA-PSS+SHA256:RSA-PSS+SHA384:RSA+SHA256:RSA+SHA384:ECDSA+SHA512:RSA+SHA512"
    /// By preference; as the server we choose, as the client the peer does.
    private static let protectionProfiles = "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80"

    init(identity: Identity) throws(HandshakeError) {
        OpenSSLFailure.forget()
        guard let handle = SSL_CTX_new(DTLS_method()) else { throw .failed(OpenSSLFailure.text) }
        guard Self.configure(handle, identity: identity) else {
            SSL_CTX_free(handle)
            throw .failed(OpenSSLFailure.text)
        }
        self.handle = handle
    }

    deinit {
        SSL_CTX_free(handle)
    }

    /// A connection's handle, which the caller owns; it keeps the context alive.
    func makeConnection() -> OpaquePointer? { SSL_new(handle) }

    private static func configure(_ handle: OpaquePointer, identity: Identity) -> Bool {
        shim_ctx_disable_session_cache(handle)
        shim_ctx_limit_certificate_message(handle, Limits.certificateMessageBytes)
        shim_ctx_release_buffers(handle)
        shim_ctx_set_dtls_options(handle)
        demandCertificate(handle)
        return shim_ctx_use_dtls12_only(handle) == 1
            && SSL_CTX_set_cipher_list(handle, cipherSuites.joined(separator: ":")) == 1
            && shim_ctx_set_groups(handle, groups) == 1
            && shim_ctx_set_signature_algorithms(handle, signatureAlgorithms) == 1
            && SSL_CTX_set_tlsext_use_srtp(handle, protectionProfiles) == 0  // 0 is success here
            && SSL_CTX_use_certificate(handle, identity.certificate) == 1
            && SSL_CTX_use_PrivateKey(handle, identity.privateKey) == 1
    }

    /// A certificate from both sides. Any chain passes here, because a self-signed one proves nothing; what counts is
    /// the fingerprint, compared before keys are exported (RFC 8827 § 6.5).
    private static func demandCertificate(_ handle: OpaquePointer) {
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(handle, { _, _ in 1 }, nil)
    }
}
