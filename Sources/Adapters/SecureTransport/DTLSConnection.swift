import COpenSSL
import PeerCore

/// One `SSL` handle: the only owner of it, with OpenSSL's answers as values.
final class DTLSConnection {
    enum Progress {
        case waiting
        case finished
        case failed(HandshakeError)
    }

    private let handle: OpaquePointer
    private let pipe: DatagramPipe

    init(context: DTLSContext, role: HandshakeRole, pipe: DatagramPipe) throws(HandshakeError) {
        OpenSSLFailure.forget()
        guard let handle = context.makeConnection() else { throw .failed(OpenSSLFailure.text) }
        guard let bio = pipe.makeBIO() else {
            SSL_free(handle)
            throw .failed(OpenSSLFailure.text)
        }
        self.handle = handle
        self.pipe = pipe
        SSL_set_bio(handle, bio, bio)  // takes the BIO over
        shim_set_datagram_size(handle, Limits.datagramBytes)
        DTLS_set_timer_cb(handle, Self.nextTimeout)
        switch role {
        case .active: SSL_set_connect_state(handle)
        case .passive: SSL_set_accept_state(handle)
        }
    }

    deinit {
        SSL_free(handle)
    }

    /// Goes on with the handshake as far as the delivered datagram allows.
    func handshake() -> Progress {
        OpenSSLFailure.forget()
        return progress(after: SSL_do_handshake(handle))
    }

    /// Reads what an established connection got. Application data is thrown away: there is no data channel. A repeated
    /// last flight of the peer makes OpenSSL repeat ours.
    func read() -> Progress {
        var scratch = [UInt8](repeating: 0, count: 2048)
        var result: Int32
        repeat {
            OpenSSLFailure.forget()
            result = SSL_read(handle, &scratch, Int32(scratch.count))
        } while result > 0
        return progress(after: result)
    }

    private func progress(after result: Int32) -> Progress {
        if result == 1 { return .finished }
        switch SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waiting
        case SSL_ERROR_ZERO_RETURN: return .failed(.closed)
        // OpenSSL also ends here where it dropped a record without an error to tell.
        case SSL_ERROR_SYSCALL: return OpenSSLFailure.reason == 0 ? .waiting : .failed(OpenSSLFailure.asHandshakeError)
        default: return .failed(OpenSSLFailure.asHandshakeError)
        }
    }

    /// Writes a close_notify, if the handshake is done.
    func shutDown() {
        OpenSSLFailure.forget()
        // Buffers were released after the handshake, and writing does not make them again.
        if SSL_is_init_finished(handle) == 1, SSL_alloc_buffers(handle) == 1 { SSL_shutdown(handle) }
    }

    /// Gives back the record buffers (34 KiB) until something arrives.
    func releaseBuffers() {
        _ = SSL_free_buffers(handle)
    }
}

// MARK: - Retransmission

extension DTLSConnection {
    /// Time until the flight must be sent again.
    var timeout: Duration? {
        let left = shim_timeout_microseconds(handle)
        return left < 0 ? nil : min(.microseconds(left), Limits.longestTimeout)
    }

    /// Sends the flight again if its time has come.
    func handleTimeout() -> Progress {
        OpenSSLFailure.forget()
        return shim_handle_timeout(handle) < 0 ? .failed(OpenSSLFailure.asHandshakeError) : .waiting
    }

    /// OpenSSL asks with 0 for the first timeout, then with the one that has passed.
    static let nextTimeout: @convention(c) (OpaquePointer?, UInt32) -> UInt32 = { _, last in
        last == 0 ? Limits.firstTimeoutMicroseconds : min(last &* 2, Limits.longestTimeoutMicroseconds)
    }
}

// MARK: - What the handshake brought

extension DTLSConnection {
    /// What the agreed cipher suite adds to a record: none that it protected is shorter. Where none is agreed on yet,
    /// the most that one of ours adds: only a Finished could be that early, and it is longer.
    var leastProtectedBytes: Int {
        let suite = SSL_get_current_cipher(handle) ?? SSL_get_pending_cipher(handle)
        let isChaCha = suite.map { SSL_CIPHER_get_cipher_nid($0) == NID_chacha20_poly1305 } ?? false
        return isChaCha ? Limits.chaChaOverheadBytes : Limits.gcmOverheadBytes
    }

    /// Whether the peer's certificate is the announced one; compared in constant time.
    func peerMatches(_ fingerprint: Fingerprint) -> Bool {
        guard let certificate = SSL_get1_peer_certificate(handle) else { return false }
        defer { X509_free(certificate) }
        let announced = fingerprint.sha256
        guard let digest = Identity.sha256(of: certificate), digest.count == announced.count else { return false }
        return CRYPTO_memcmp(digest, announced, digest.count) == 0
    }

    /// The agreed SRTP profile; nil where the peer supports none of ours.
    var profile: SRTPProfile? {
        guard let selected = SSL_get_selected_srtp_profile(handle) else { return nil }
        return UInt16(exactly: selected.pointee.id).flatMap(SRTPProfile.init(rawValue:))
    }

    /// RFC 5764 § 4.2: client key, server key, client salt, server salt.
    func exportKeys(profile: SRTPProfile, role: HandshakeRole) -> SRTPKeys? {
        let (key, salt) = (SRTPProfile.masterKeyBytes, profile.masterSaltBytes)
        var material = [UInt8](repeating: 0, count: 2 * (key + salt))
        let label = "EXTRACTOR-dtls_srtp"
        let done = SSL_export_keying_material(
            handle, &material, material.count, label, label.utf8.count, nil, 0, 0)
        guard done == 1 else { return nil }
        let client = Array(material[..<key] + material[(2 * key)..<(2 * key + salt)])
        let server = Array(material[key..<(2 * key)] + material[(2 * key + salt)...])
        switch role {
        case .active: return SRTPKeys(profile: profile, local: client, remote: server)
        case .passive: return SRTPKeys(profile: profile, local: server, remote: client)
        }
    }
}

extension SRTPProfile {
    static let masterKeyBytes = 16

    /// RFC 5764 § 4.1.2 and RFC 7714 § 12.1.
    var masterSaltBytes: Int {
        switch self {
        case .aeadAES128GCM: 12
        case .aes128CMSHA1_80: 14
        }
    }
}
