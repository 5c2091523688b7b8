import Testing

/// The suite's own hash functions must be right before anything else means something.
@Suite("The suite's hash functions")
struct DigestTests {
    private let abc = Array("abc".utf8)

    @Test("agree with the standards' examples")
    func examples() {
        #expect(Digests.sha1(abc).hexText == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            Digests.sha256(abc).hexText == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digests.md5(abc).hexText == "900150983cd24fb0d6963f7d28e17f72")
    }

    @Test("agree with RFC 2202 and RFC 4231 where they are keyed")
    func keyed() {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        let sha1 = Digests.hmac(Digests.sha1, key: key, message: message)
        #expect(sha1.hexText == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        let sha256 = Digests.hmac(Digests.sha256, key: key, message: message)
        #expect(sha256.hexText == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
