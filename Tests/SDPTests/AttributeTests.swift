import Testing

@testable import SDP

@Suite("Attributes")
struct AttributeTests {
    static func media(_ attributes: String, kind: String = "video", formats: String = "96 97 98") throws
        -> MediaDescription
    {
        let line = "m=\(kind) 9 UDP/TLS/RTP/SAVPF \(formats)\n"
        return try SessionDescription(ParsingTests.smallest + line + attributes).media[0]
    }

    @Test("fingerprints are strict hexadecimal pairs between colons", arguments: [
        ("sha-256 AB:0c", CertificateFingerprint(digest: [0xAB, 0x0C])),
        (" SHA-256  AB:CD ", CertificateFingerprint(digest: [0xAB, 0xCD])),
        ("sha-1 00", CertificateFingerprint(algorithm: "sha-1", digest: [0])),
        ("sha-256", nil), ("sha-256 ", nil), ("sha-256 A", nil), ("sha-256 ABC", nil), ("sha-256 AB:", nil),
        ("sha-256 :AB", nil), ("sha-256 AB-CD", nil), ("sha-256 ABCD", nil), ("sha-256 AB:C", nil),
        ("sha-256 AB:CG", nil), ("sha-256 AB: C", nil), ("sha-256 AB CD", nil), ("sha-256 ＡＢ:CD", nil), ("", nil),
    ])
    func fingerprints(text: String, expected: CertificateFingerprint?) {
        #expect(CertificateFingerprint(parsing: text) == expected)
    }

    @Test("a fingerprint is written in upper case")
    func fingerprintText() {
        #expect(CertificateFingerprint(digest: [0x0A, 0xFF, 0x10]).text == "sha-256 0A:FF:10")
    }

    @Test("the direction is the section's, else the session's, else both ways")
    func direction() throws {
        let text = ParsingTests.smallest + "a=sendonly\nm=video 9 RTP/SAVPF 96\nm=video 9 RTP/SAVPF 96\na=recvonly\n"
        let description = try SessionDescription(text)
        #expect(description.media.map(description.direction(of:)) == [.sendonly, .recvonly])
        let bare = try SessionDescription(ParsingTests.smallest + "m=video 9 RTP/SAVPF 96\n")
        #expect(bare.direction(of: bare.media[0]) == .sendrecv)
    }

    @Test("payload formats come in the m= line's order, with parameters and feedback of their own and of all")
    func payloadFormats() throws {
        let section = try Self.media(
            """
            a=fmtp:98 profile-level-id=42e01f; packetization-mode=1;flag
            a=rtpmap:98 H264/90000
            a=rtcp-fb:98 nack pli
            a=rtcp-fb:* ccm fir
            a=rtpmap:96 opus/48000/2
            a=rtpmap:96 VP8/90000
            a=rtpmap:99 VP8/90000
            a=rtpmap:97 broken
            a=rtpmap:200 VP8/90000

            """)
        let formats = section.payloadFormats
        #expect(formats.map(\.payloadType) == [96, 98])
        #expect(formats[0].encoding == "opus" && formats[0].clockRate == 48_000 && formats[0].channels == 2)
        #expect(formats[0].feedback == [.fir] && formats[1].feedback == [.fir, .pli])
        #expect(formats[1].parameters["Packetization-Mode"] == "1" && formats[1].parameters["flag"] == "")
        #expect(formats[1].parameters["missing"] == nil)
    }

    @Test("formats that RTCP could be taken for on a common port are left out, whatever they encode (RFC 5761 § 4)")
    func collisions() throws {
        let section = try Self.media(
            """
            a=rtpmap:63 H264/90000
            a=rtpmap:64 rtx/90000
            a=rtpmap:72 opus/48000/2
            a=rtpmap:95 red/48000/2
            a=rtpmap:96 rtx/90000

            """, formats: "63 64 72 95 96")
        #expect(section.payloadFormats.map(\.payloadType) == [63, 96])
    }

    @Test("header extensions: id, direction, URI; the first of equal ones counts")
    func headerExtensions() throws {
        let section = try Self.media(
            """
            a=extmap:1 urn:one
            a=extmap:2/recvonly urn:two config here
            a=extmap:1 urn:three
            a=extmap:3 urn:one
            a=extmap:0 urn:zero
            a=extmap:15 urn:reserved
            a=extmap:16 urn:two-byte
            a=extmap:4096 urn:later
            a=extmap:5/upwards urn:five
            a=extmap:6
            a=extmap:x urn:six

            """)
        #expect(
            section.headerExtensions == [
                HeaderExtension(id: 1, uri: "urn:one"), HeaderExtension(id: 2, direction: .recvonly, uri: "urn:two"),
            ])
    }

    @Test("bandwidth: TIAS in bits before AS in kilobits, less its headers; others, 0 and nonsense not at all", arguments: [
        ("b=TIAS:4000000\n", 4_000_000), ("b=AS:300\n", 269_000), ("b=CT:5\nb=AS:1\n", 1), ("b=AS:x\n", nil),
        ("b=AS:300\nb=TIAS:250000\n", 250_000), ("b=AS:0\n", nil), ("b=TIAS:0\nb=AS:300\n", 269_000),
        ("b=AS:99999999999999999999\n", nil), ("b=AS:9223372036854775807\n", nil), ("", nil),
    ])
    func bandwidth(line: String, expected: Int?) throws {
        #expect(try Self.media(line).bandwidth == expected)
    }

    @Test("profile-level-id names the profile by RFC 6184's table 5", arguments: [
        ("42e01f", H264Profile.constrainedBaseline), ("42c01f", .constrainedBaseline), ("42400a", .constrainedBaseline),
        ("42F00B", .constrainedBaseline), ("4d801f", .constrainedBaseline), ("58c01f", .constrainedBaseline),
        ("42001f", .baseline), ("42a01f", .baseline), ("4d001f", .main), ("4d401f", .main), ("640028", .high),
        ("640c1f", .constrainedHigh), ("58001f", .other), ("f4001f", .other), ("6e0028", .other), ("42e11f", .other),
    ])
    func profiles(text: String, profile: H264Profile) throws {
        let value = try #require(H264ProfileLevel(parsing: text))
        #expect(value.profile == profile && value.text == text.lowercased())
    }

    @Test("a malformed profile-level-id is none", arguments: [
        "", "42e01", "42e01f0", "42e01g", " 42e01", "+42e01", "４２e01f",
    ])
    func malformedProfiles(text: String) {
        #expect(H264ProfileLevel(parsing: text) == nil)
    }

    @Test("the level changes alone")
    func levels() {
        #expect(H264ProfileLevel(parsing: "42001f")?.at(levelIDC: 0x28).text == "420028")
    }

    @Test("credentials keep to RFC 8839's lengths and characters", arguments: [
        ("abcd", String(repeating: "p", count: 22), true), ("a+/Z", String(repeating: "9", count: 256), true),
        ("abc", String(repeating: "p", count: 22), false), ("abcd", String(repeating: "p", count: 21), false),
        (String(repeating: "u", count: 257), String(repeating: "p", count: 22), false),
        ("abcd", String(repeating: "p", count: 257), false), ("ab d", String(repeating: "p", count: 22), false),
        ("abcd", String(repeating: "é", count: 22), false), ("", "", false),
    ])
    func credentials(fragment: String, password: String, isWellFormed: Bool) {
        #expect((ICECredentials(checking: fragment, password: password) != nil) == isWellFormed)
    }

    @Test("numbers are digits, and fit", arguments: [
        ("0", 0), ("255", 255), ("256", nil), ("-1", nil), ("+1", nil), ("", nil), ("1 ", nil), ("0x1", nil),
        ("٣", nil),
    ])
    func decimals(text: String, expected: UInt8?) {
        #expect(text.decimal(UInt8.self) == expected)
    }

    @Test("groups are found by their semantics")
    func groups() throws {
        let description = try SessionDescription(
            ParsingTests.smallest + "a=group:LS 0 1\na=group:BUNDLE a b\na=group:BUNDLE c\na=group:\n")
        #expect(description.group("BUNDLE") == ["a", "b"] && description.group("LS") == ["0", "1"])
        #expect(description.group("FID") == nil)
    }
}
