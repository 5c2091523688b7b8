import Testing

@testable import SDP

@Suite("Reading and writing descriptions")
struct ParsingTests {
    static let smallest = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"

    static func error(_ text: String) -> SDPError? {
        do {
            _ = try SessionDescription(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("real offers are read and written back line by line", arguments: Fixture.names)
    func roundTrip(name: String) throws {
        let text = try Fixture.text(name).with("\r\n", "\n")
        let description = try SessionDescription(text)
        #expect(description.media.count == 2)
        // aiortc writes attributes of the session and of sections after each other as we do, and so do the others.
        #expect(description.description.with("\r\n", "\n") == (text.hasSuffix("\n") ? text : text + "\n"))
        #expect(try SessionDescription(description.description) == description)
    }

    @Test("lines may end with CRLF, LF or both in turn, and the last one with nothing")
    func lineEnds() throws {
        let expected = try SessionDescription(Self.smallest + "a=mid:0\r\n")
        for text in [
            (Self.smallest + "a=mid:0\r\n").with("\r\n", "\n"), Self.smallest + "a=mid:0",
            Self.smallest + "a=mid:0\n", Self.smallest + "a=mid:0\r\n\r\n\n",
        ] {
            #expect(try SessionDescription(text) == expected)
        }
    }

    @Test("unknown attributes stay, in order and unchanged")
    func unknownAttributes() throws {
        let text = Self.smallest + "a=x-one: spaced  value:with:colons \r\na=x-two\r\na=x-three:\r\n"
        let description = try SessionDescription(text)
        #expect(
            description.attributes == [
                Attribute("x-one", " spaced  value:with:colons "), Attribute("x-two"), Attribute("x-three", ""),
            ])
        #expect(description.description == text)
    }

    @Test("other lines of RFC 8866 are kept where they stood")
    func otherLines() throws {
        let text =
            "v=0\r\no=jdoe 3724394400 3724394405 IN IP4 198.51.100.1\r\ns=Call to John Smith\r\n"
            + "i=SDP Offer #1\r\nu=http://www.jdoe.example.com/home.html\r\ne=Jane Doe <jane@jdoe.example.com>\r\n"
            + "p=+1 617 555-6011\r\nc=IN IP4 198.51.100.1\r\nb=AS:300\r\nt=0 0\r\na=recvonly\r\n"
            + "m=audio 49170/2 RTP/AVP 0\r\nb=TIAS:64000\r\n"
            + "m=video 49180 RTP/AVP 0\r\ni=second\r\nc=IN IP6 2001:db8::2\r\n"
        let description = try SessionDescription(text)
        #expect(description.description == text)
        #expect(description.origin.username == "jdoe" && description.name == "Call to John Smith")
        #expect(description.media[0].portCount == 2 && description.media[0].bandwidth == 64_000)
        #expect(description.media[1].bandwidth == nil)
    }

    @Test("errors name the line and the reason", arguments: [
        ("", 1, SDPError.Reason.unsupportedVersion),
        ("\r\n", 1, .unsupportedVersion),
        ("v=1\r\n", 1, .unsupportedVersion),
        ("m=audio 9 RTP/SAVPF 111\n", 1, .unsupportedVersion),
        ("v=0\n", 2, .missingOrigin),
        ("v=0\ns=-\n", 2, .missingOrigin),
        ("v=0\no=- 1 1 IN IP4\n", 2, .malformedOrigin),
        ("v=0\no=- 1 1 IN IP4 h x\n", 2, .malformedOrigin),
        ("v=0\no=- 1 1 IN IP4 h\nt=0 0\n", 3, .missingName),
        (smallest + "b\n", 5, .malformedLine),
        (smallest + "a\n", 5, .malformedLine),
        (smallest + " a=mid:0\n", 5, .malformedLine),
        (smallest + "A=mid:0\n", 5, .malformedLine),
        (smallest + "a=mi\u{0}d\n", 5, .malformedLine),
        (smallest + "a=mi\rd\n", 5, .malformedLine),
        (smallest + "\na=mid:0\n", 5, .malformedLine),
        (smallest + "x=1\n", 5, .unknownLine),
        (smallest + "v=0\n", 5, .misplacedLine),
        (smallest + "m=audio 9 RTP/SAVPF 0\nt=0 0\n", 6, .misplacedLine),
        (smallest + "m=audio 9 RTP/SAVPF\n", 5, .malformedMedia),
        (smallest + "m=audio x RTP/SAVPF 0\n", 5, .malformedMedia),
        (smallest + "m=audio 65536 RTP/SAVPF 0\n", 5, .malformedMedia),
        (smallest + "m=audio -1 RTP/SAVPF 0\n", 5, .malformedMedia),
        (smallest + "m=audio 9/2/3 RTP/SAVPF 0\n", 5, .malformedMedia),
        (smallest + "m=\n", 5, .malformedMedia),
        (smallest + "a=" + String(repeating: "x", count: 4095) + "\n", 5, .lineTooLong),
    ])
    func errors(text: String, line: Int, reason: SDPError.Reason) {
        #expect(Self.error(text) == SDPError(line: line, reason))
    }

    @Test("what is long or many is refused at its bound")
    func bounds() throws {
        let media = "m=audio 9 RTP/SAVPF 0\n"
        #expect(try SessionDescription(Self.smallest + String(repeating: media, count: 64)).media.count == 64)
        #expect(
            Self.error(Self.smallest + String(repeating: media, count: 65))
                == SDPError(line: 69, .tooManyMediaDescriptions))
        let attributes = String(repeating: "a=x\n", count: 2044)
        #expect(try SessionDescription(Self.smallest + attributes).attributes.count == 2044)
        #expect(
            Self.error(Self.smallest + attributes + "a=x\n")
                == SDPError(line: 2049, .tooManyLines))
        #expect(Self.error(Self.smallest + String(repeating: "x", count: 65_536)) == SDPError(line: 0, .tooLarge))
        let formats = (0..<129).map { " \($0)" }.joined()
        #expect(Self.error(Self.smallest + "m=audio 9 RTP/SAVPF\(formats)\n") == SDPError(line: 5, .malformedMedia))
    }
}
