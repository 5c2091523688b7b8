import COpenSSL
import PeerCore

@testable import SecureTransport

/// A peer with habits of its own, straight over OpenSSL: for what our engine never does.
final class RawPeer {
    struct Habits {
        var profiles: String? = "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80"
        var certificate: Certificate = .p256
        var ciphers = "ALL:@SECLEVEL=0"
        var version = DTLS1_2_VERSION
    }

    enum Certificate {
        case p256
        case rsa2048
        case none
    }

    let handle: OpaquePointer
    private let context: OpaquePointer
    private let pipe = DatagramPipe()
    private(set) var fingerprint = Fingerprint(sha256: [UInt8](repeating: 0, count: 32))

    init(role: HandshakeRole, _ habits: Habits = Habits()) {
        context = SSL_CTX_new(DTLS_method())
        SSL_CTX_set_cipher_list(context, habits.ciphers)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(habits.version), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(habits.version), nil)
        if let profiles = habits.profiles { _ = SSL_CTX_set_tlsext_use_srtp(context, profiles) }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        handle = SSL_new(context)
        let bio = pipe.makeBIO()
        SSL_set_bio(handle, bio, bio)
        use(habits.certificate)
        switch role {
        case .active: SSL_set_connect_state(handle)
        case .passive: SSL_set_accept_state(handle)
        }
    }

    deinit {
        SSL_free(handle)
        SSL_CTX_free(context)
    }

    private func use(_ certificate: Certificate) {
        switch certificate {
        case .none:
            return
        case .p256:
            guard let identity = try? Identity() else { return }
            SSL_use_certificate(handle, identity.certificate)
            SSL_use_PrivateKey(handle, identity.privateKey)
            fingerprint = identity.fingerprint
        case .rsa2048:
            let generator = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
            defer { EVP_PKEY_CTX_free(generator) }
            var key: OpaquePointer?
            EVP_PKEY_keygen_init(generator)
            EVP_PKEY_CTX_set_rsa_keygen_bits(generator, 2048)
            EVP_PKEY_keygen(generator, &key)
            defer { EVP_PKEY_free(key) }
            useSelfSigned(key)
        }
    }

    private func useSelfSigned(_ key: OpaquePointer?) {
        let certificate = X509_new()
        defer { X509_free(certificate) }
        X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
        X509_set_pubkey(certificate, key)
        X509_sign(certificate, key, EVP_sha256())
        SSL_use_certificate(handle, certificate)
        SSL_use_PrivateKey(handle, key)
        if let certificate { fingerprint = Fingerprint(sha256: Identity.sha256(of: certificate) ?? []) }
    }

    var isFinished: Bool { SSL_is_init_finished(handle) == 1 }

    /// Carries datagrams until both are silent; the engine's error comes out.
    func exchange(with engine: any HandshakeEngine) throws {
        try engine.start()
        SSL_do_handshake(handle)
        while true {
            let (out, back) = (drain(), HandshakePair.drain(engine))
            if out.isEmpty && back.isEmpty { return }
            for datagram in back { take(datagram) }
            for datagram in out { try engine.receive(datagram) }
        }
    }

    func take(_ datagram: [UInt8]) {
        pipe.deliver(datagram)
        var scratch = [UInt8](repeating: 0, count: 2048)
        if isFinished { SSL_read(handle, &scratch, 2048) } else { SSL_do_handshake(handle) }
    }

    func drain() -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        while let datagram = pipe.popOutgoing() { datagrams.append(datagram) }
        return datagrams
    }
}
