import PeerCore
import TestSupport
import Testing

@testable import SecureTransport

@Suite("SRTP vectors")
struct VectorTests {
    /// RFC 3711 appendix B.3.
    static let counterModeKey = hex("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6")
    static let galoisKey = hex("000102030405060708090a0b0c0d0e0f a0a1a2a3a4a5a6a7a8a9aaab")
    static let rtp = hex("800f1234 decafbad cafebabe abababab abababab abababab abababab")
    static let rtcp = hex("81c8000b cafebabe abababab abababab abababab abababab")

    @Test("the reference makes the key stream of RFC 3711 B.2")
    func keyStream() {
        let stream = ReferenceSRTP.counterMode(
            key: hex("2B7E151628AED2A6ABF7158809CF4F3C"), block: hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000"),
            data: [UInt8](repeating: 0, count: 1_044_512))
        #expect(
            stream.prefix(48)
                == hex("E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB")[...]
                + hex("41E95B3BB0A2E8DD477901E4FCA894C0"))
        #expect(
            stream.suffix(48)
                == hex("EC8CDF7398607CB0F2D21675EA9EA1E4 362B7C3C6773516318A077D7FC5073AE")[...]
                + hex("6A2CC3787889374FBEB4C81B17BA6C44"))
    }

    @Test("the reference derives the keys of RFC 3711 B.3")
    func keyDerivation() {
        let reference = ReferenceSRTP(key: Self.counterModeKey)
        #expect(reference.derive(.rtpKey, count: 16) == hex("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(reference.derive(.rtpSalt, count: 14) == hex("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(
            reference.derive(.rtpAuthentication, count: 94)
                == hex(
                    """
                    CEBE321F6FF7716B6FD4AB49AF256A15 6D38BAA48F0A0ACF3C34E2359E6CDBCE
                    E049646C43D9327AD175578EF7227098 6371C10C9A369AC2F94A8C5FBCDDDC25
                    6D6E919A48B610EF17C2041E47403576 6B68642C59BBFC2F34DB60DBDFB2
                    """))
    }

    @Test("the reference makes the packets of RFC 7714 § 16.1 and § 17.1")
    func galoisPackets() {
        let key = hex("000102030405060708090a0b0c0d0e0f")
        let salt = hex("51756964 2070726f 2071756f")
        let rtp = hex(
            """
            8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070
            61727465 73207472 6573
            """)
        #expect(
            ReferenceSRTP.sealRTP(rtp, rolledOver: 0, key: key, salt: salt)
                == hex(
                    """
                    8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a
                    51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce
                    """))
        let rtcp = hex(
            """
            81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 deadbeef deadbeef
            deadbeef deadbeef deadbeef
            """)
        #expect(
            ReferenceSRTP.sealRTCP(rtcp, index: 0x5d4, key: key, salt: salt)
                == hex(
                    """
                    81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda
                    4ce09b46 86303ded 0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade 800005d4
                    """))
    }

    @Test("known packets of libsrtp's own validation come out, with RFC 3711 B.3's master key")
    func knownCounterModePackets() throws {
        let session = try SRTPSession(keys: .both(.aes128CMSHA1_80, Self.counterModeKey))
        var packet = Self.rtp
        try session.protectRTP(&packet)
        #expect(
            packet
                == hex(
                    "800f1234 decafbad cafebabe 4e55dc4c e79978d8 8ca4d215 949d2402 b78d6acc 99ea179b 8dbb"))
        packet = Self.rtcp
        try session.protectRTCP(&packet)
        #expect(
            packet
                == hex(
                    """
                    81c8000b cafebabe 7128035b e487b9bd bef89041 f977a5a8 80000001 993e08cd 54d6c123 0798
                    """))
    }

    @Test("libsrtp computes with OpenSSL's counter mode, GCM and HMAC-SHA1, and finds that they know its answers")
    func algorithms() {
        #expect(SRTPLibrary.isReady)
        #expect(SRTPLibrary.replaced == 3)
    }

    @Test("known packets of libsrtp's own validation come out with GCM")
    func knownGaloisPackets() throws {
        let session = try SRTPSession(keys: .both(.aeadAES128GCM, Self.galoisKey))
        var packet = Self.rtp
        try session.protectRTP(&packet)
        #expect(
            packet
                == hex(
                    """
                    800f1234 decafbad cafebabe c5002ede 04cfdd2e b91159e0 880aa06e d2976826 f796b201 df3131a1
                    27e8a392
                    """))
        packet = Self.rtcp
        try session.protectRTCP(&packet)
        #expect(
            packet
                == hex(
                    """
                    81c8000b cafebabe c98b8b5d f0392a55 852b6c21 ac8e7025 c52c6fbe a2b3b446 ea31123b a88ce61e
                    80000001
                    """))
    }

    @Test("each packet of a long stream is what the reference makes", arguments: SRTPProfile.allCases)
    func matchesReference(profile: SRTPProfile) throws {
        var random = SeededGenerator(seed: 0x5EC0DE)
        let key = random.bytes(profile == .aeadAES128GCM ? 28 : 30)
        let reference = ReferenceSRTP(key: key)
        let session = try SRTPSession(keys: .both(profile, key))
        for count in 0..<200 {
            let sequence = UInt16(truncatingIfNeeded: 65_400 + count)
            let rolledOver: UInt32 = count < 136 ? 0 : 1
            let plain = TestPacket.rtp(sequence: sequence, payload: random.bytes(count * 6))
            let plainReport = TestPacket.rtcp(payload: random.bytes(count * 4))
            var (packet, report) = (plain, plainReport)
            try session.protectRTP(&packet)
            try session.protectRTCP(&report)
            switch profile {
            case .aeadAES128GCM:
                #expect(packet == reference.sealRTP(plain, rolledOver: rolledOver))
                #expect(report == reference.sealRTCP(plainReport, index: UInt32(count + 1)))
            case .aes128CMSHA1_80:
                #expect(packet == reference.protectRTP(plain, rolledOver: rolledOver))
                #expect(report == reference.protectRTCP(plainReport, index: UInt32(count + 1)))
            }
        }
    }
}
