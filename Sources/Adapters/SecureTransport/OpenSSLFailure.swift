import COpenSSL
import PeerCore

/// OpenSSL keeps a queue of errors per thread: it is emptied before each call that is asked about afterwards.
enum OpenSSLFailure {
    static func forget() { ERR_clear_error() }

    /// The reason of the latest error, or 0.
    static var reason: Int32 { ERR_GET_REASON(ERR_peek_last_error()) }

    static var text: String {
        guard let text = ERR_reason_error_string(ERR_peek_last_error()) else { return "unknown OpenSSL error" }
        return String(cString: text)
    }

    /// The latest error as what it means for a handshake.
    static var asHandshakeError: HandshakeError { handshakeError(reason, text) }

    static func handshakeError(_ reason: Int32, _ text: String) -> HandshakeError {
        switch reason {
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            .fingerprintMismatch
        case SSL_R_BAD_SRTP_PROTECTION_PROFILE_LIST, SSL_R_SRTP_COULD_NOT_ALLOCATE_PROFILES:
            .noCommonProfile
        case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255):
            // The peer's alerts have 8 bits; far above them are failures of OpenSSL itself (ERR_R_INTERNAL_ERROR).
            .closed
        default:
            .failed(text)
        }
    }
}
