import CSRTP
import CSRTPCrypto

/// libsrtp's global state: set up once for the process, by whichever thread comes first, and never torn down.
enum SRTPLibrary {
    static var isReady: Bool { replaced != nil }
    /// How many of its algorithms are OpenSSL's: counter mode, GCM, HMAC-SHA1. What OpenSSL was built without stays libsrtp's
    /// own. Nil where libsrtp can't be used.
    static let replaced: Int? = srtp_init() == srtp_err_status_ok ? Int(shim_srtp_use_openssl()) : nil
}
