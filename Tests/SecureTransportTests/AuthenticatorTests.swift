import ICE
import Testing

@testable import SecureTransport

@Suite("Message integrity")
struct AuthenticatorTests {
    let authenticator: any MessageAuthenticator

    init() throws {
        authenticator = try #require(OpenSSLAuthenticator())
    }

    @Test("HMAC-SHA1 of RFC 2202 § 3")
    func hmacSHA1() {
        #expect(
            authenticator.hmacSHA1(key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8))
                == hex("b617318655057264e28bc0b6fb378c8ef146be00"))
        #expect(
            authenticator.hmacSHA1(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
                == hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
        #expect(
            authenticator.hmacSHA1(
                key: [UInt8](repeating: 0xAA, count: 80),
                message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
                == hex("aa4ae5e15272d00e95705637ce8a3b55ed402112"))
    }

    @Test("HMAC-SHA256 of RFC 4231 § 4")
    func hmacSHA256() {
        #expect(
            authenticator.hmacSHA256(key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8))
                == hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
        #expect(
            authenticator.hmacSHA256(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
                == hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }

    @Test("an empty key and an empty message have their own HMAC, whatever was computed before")
    func emptyInputs() {
        _ = authenticator.hmacSHA1(key: Array("before".utf8), message: [1])
        #expect(authenticator.hmacSHA1(key: [], message: []) == hex("fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"))
        #expect(
            authenticator.hmacSHA256(key: [], message: [])
                == hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
        #expect(authenticator.md5([]) == hex("d41d8cd98f00b204e9800998ecf8427e"))
    }

    @Test("MD5 of RFC 1321, and the long-term key of RFC 8489 § 9.2.2")
    func md5() {
        #expect(authenticator.md5(Array("message digest".utf8)) == hex("f96b697d7cb7938d525a2f31aaf161d0"))
        #expect(authenticator.md5(Array("user:realm:pass".utf8)) == hex("8493fbc53ba582fb4c044c456bdc40eb"))
    }
}
