import CSRTP

/// libsrtp's global state: set up once for the process, by whichever thread comes first, and never torn down.
enum SRTPLibrary {
    static let isReady = srtp_init() == srtp_err_status_ok
}
