import COpenSSL
import ICE

/// STUN's message integrity by OpenSSL. One per thread: a computation in progress is kept between calls.
package final class OpenSSLAuthenticator: MessageAuthenticator {
    private let sha1: HMACContext
    private let sha256: HMACContext
    private let md5: OpaquePointer

    /// Nil where OpenSSL lacks an algorithm (MD5 in a FIPS configuration).
    package init?() {
        guard let sha1 = HMACContext(digest: "SHA1"), let sha256 = HMACContext(digest: "SHA256"),
            let md5 = EVP_MD_fetch(nil, "MD5", nil)
        else { return nil }
        self.sha1 = sha1
        self.sha256 = sha256
        self.md5 = md5
    }

    deinit {
        EVP_MD_free(md5)
    }

    package func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] { sha1.authenticate(message, key: key) }
    package func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { sha256.authenticate(message, key: key) }

    /// Only for long-term credentials (RFC 8489 § 9.2.2), where the RFC demands it.
    package func md5(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let done = EVP_Digest(message, message.count, &digest, &length, md5, nil)
        precondition(done == 1, "OpenSSL has no memory for a digest")
        return Array(digest.prefix(Int(length)))
    }
}

/// One HMAC algorithm, looked up once: looking it up for each message costs more than the message.
private final class HMACContext {
    private let handle: OpaquePointer

    init?(digest: String) {
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        defer { EVP_MAC_free(mac) }
        guard let handle = EVP_MAC_CTX_new(mac) else { return nil }
        guard shim_mac_use_digest(handle, digest) == 1 else {
            EVP_MAC_CTX_free(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        EVP_MAC_CTX_free(handle)
    }

    func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length = 0
        // An empty array may have no address, and OpenSSL takes nil for "the key of before".
        let keyBytes = key.isEmpty ? [0] : key
        let done =
            EVP_MAC_init(handle, keyBytes, key.count, nil) == 1
            && EVP_MAC_update(handle, message, message.count) == 1
            && EVP_MAC_final(handle, &tag, &length, tag.count) == 1
        // These calls fail for lack of memory only, whatever the bytes are.
        precondition(done, "OpenSSL has no memory for an HMAC")
        return Array(tag.prefix(length))
    }
}
