import Testing

@testable import SDP

@Suite("Trickle fragments")
struct TrickleFragmentTests {
    /// The WHEP draft's example of a PATCH, shortened.
    static let trickle = """
        a=group:BUNDLE 0 1
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        a=mid:0
        a=ice-ufrag:EsAw
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
        a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1
        a=candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0 ufrag EsAw network-id 1
        a=end-of-candidates

        """

    @Test("the WHEP draft's trickle example")
    func trickleExample() throws {
        let fragment = try TrickleFragment(Self.trickle)
        #expect(fragment.bundle == ["0", "1"] && fragment.sections.count == 1)
        #expect(fragment.sections[0].kind == "audio" && fragment.sections[0].mid == "0")
        #expect(
            fragment.credentials
                == ICECredentials(usernameFragment: "EsAw", password: "P2uYro0UCOQ4zxjKXaWCBui1"))
        #expect(fragment.candidates.count == 2 && fragment.candidates[0].hasPrefix("1387637174 1 udp"))
        #expect(fragment.isComplete)
    }

    @Test("the WHEP draft's answer to a restart, with ICE lite and options")
    func restartExample() throws {
        let fragment = try TrickleFragment(
            """
            a=ice-lite
            a=ice-options:trickle ice2
            a=group:BUNDLE 0 1
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            a=mid:0
            a=ice-ufrag:289b31b754eaa438
            a=ice-pwd:0b66f472495ef0ccac7bda653ab6be49ea13114472a5d10a
            a=candidate:1 1 udp 2130706431 198.51.100.1 39132 typ host
            a=end-of-candidates
            """)
        #expect(fragment.isLite && fragment.options == ["trickle", "ice2"])
        #expect(fragment.credentials?.usernameFragment == "289b31b754eaa438" && fragment.candidates.count == 1)
    }

    @Test("a fragment is read again as it was written")
    func roundTrip() throws {
        var fragment = TrickleFragment()
        fragment.options = ["trickle", "ice2"]
        fragment.bundle = ["0"]
        fragment.sections = [TrickleFragment.Section(kind: "video", mid: "0")]
        fragment.sections[0].credentials = AnswerTests.transport.credentials
        fragment.sections[0].candidates = AnswerTests.transport.candidates
        fragment.sections[0].isComplete = true
        #expect(try TrickleFragment(fragment.description) == fragment)
        #expect(fragment.description.hasPrefix("a=ice-options:trickle ice2\r\na=group:BUNDLE 0\r\nm=video 9 "))
        var session = TrickleFragment()
        session.sessionCredentials = AnswerTests.transport.credentials
        session.isSessionComplete = true
        #expect(try TrickleFragment(session.description) == session && session.isComplete)
    }

    @Test("the fragment of a description has its tagged section and the new transport")
    func ofDescription() throws {
        let fragment = TrickleFragment(of: try AnswerTests.answer("firefox"), transport: LocalOfferTests.transport)
        #expect(fragment.bundle == ["0", "1"] && fragment.sections.map(\.mid) == ["0"])
        #expect(fragment.sections[0].kind == "audio" && fragment.credentials?.usernameFragment == "view")
        #expect(fragment.candidates == LocalOfferTests.transport.candidates && !fragment.isComplete)
    }

    @Test("what answers a restart has its group and tagged section, and the options of our descriptions")
    func ofRestart() throws {
        let ours = AnswerTests.transport
        func answer(_ restart: String) throws -> TrickleFragment {
            TrickleFragment(
                answering: try TrickleFragment(restart), credentials: ours.credentials, candidates: ours.candidates)
        }
        let text = try answer(Self.trickle).description
        #expect(
            text.hasPrefix(
                "a=ice-options:trickle ice2\r\na=group:BUNDLE 0 1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n"
                    + "a=ice-ufrag:ours\r\n"))
        let read = try TrickleFragment(text)
        #expect(read.candidates == ours.candidates && read.isComplete)
        let second = "a=group:BUNDLE 1 0\nm=audio 9 x 0\na=mid:0\nm=video 9 x 0\na=mid:1\n"
        #expect(try answer(second).sections.map(\.mid) == ["1"], "the first of the group has the transport")
        let bare = try answer("a=ice-ufrag:EsAw\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\n")
        #expect(bare.bundle.isEmpty && bare.sections.map(\.kind) == ["video"] && bare.sections[0].mid == nil)
    }

    @Test("without the sections of other transports it has the picture's credentials, candidates and end alone")
    func withoutOthers() throws {
        let sound =
            "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:1\na=ice-ufrag:else\na=ice-pwd:abcdefghijklmnopqrstuvwx\n"
            + "a=candidate:1 1 udp 1 192.0.2.1 61764 typ host\na=end-of-candidates\n"
        let picture =
            "m=video 9 x 0\na=mid:0\na=ice-ufrag:abcd\na=ice-pwd:abcdefghijklmnopqrstuvwx\n"
            + "a=candidate:2 1 udp 1 192.0.2.1 61765 typ host\n"
        let text = OfferTests.minimal.with("a=group:BUNDLE 0", "a=tool:bundles nothing").with("m=video", sound + "m=video")
        let tags = try Offer(SessionDescription(text)).foreignTags
        #expect(tags == ["1"])
        let both = try TrickleFragment(sound + picture).without(tags)
        #expect(try both == TrickleFragment(picture))
        #expect(both.credentials?.usernameFragment == "abcd" && both.candidates.count == 1 && !both.isComplete)
        let other = try TrickleFragment(sound).without(tags)
        #expect(other.credentials == nil && other.candidates.isEmpty && !other.isComplete)
        #expect(try Offer(SessionDescription(OfferTests.minimal)).foreignTags.isEmpty)
    }

    @Test("credentials at session level, as browsers' clients write them, and tags without pseudo m= lines")
    func looseForms() throws {
        let fragment = try TrickleFragment(
            """
            a=ice-ufrag:EsAw
            a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
            a=mid:0
            a=candidate:1 1 udp 1 6ec2c1c3-60c0-4926-b97c-e1289103d572.local 52830 typ host
            a=mid:1
            a=candidate:2 1 udp 1 192.0.2.1 61764 typ host
            a=end-of-candidates
            """)
        #expect(fragment.credentials?.usernameFragment == "EsAw" && fragment.sections.map(\.mid) == ["0", "1"])
        #expect(fragment.candidates.count == 2 && !fragment.isComplete)
        #expect(try TrickleFragment("a=candidate:1 1 udp 1 192.0.2.1 1 typ host").candidates.count == 1)
        let trailed = try TrickleFragment(Self.trickle.with("\n", " \n"))
        #expect(try trailed == TrickleFragment(Self.trickle), "spaces at the ends of lines say nothing")
    }

    @Test("half of a section's credentials makes none with half of another's")
    func halves() throws {
        let text = Self.trickle.with("a=ice-pwd", "m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:1\na=ice-pwd")
        let fragment = try TrickleFragment(text)
        #expect(fragment.sections.map(\.mid) == ["0", "1"] && fragment.credentials == nil)
    }

    @Test("an empty fragment is one, and says nothing")
    func empty() throws {
        let fragment = try TrickleFragment("")
        #expect(fragment == TrickleFragment() && fragment.credentials == nil && !fragment.isComplete)
    }

    @Test("malformed fragments are errors with their line", arguments: [
        ("hello", 1, SDPError.Reason.malformedLine),
        ("a=mid:0\n\na=mid:1", 2, .malformedLine),
        ("m=\n", 1, .malformedMedia),
        ("a=ice-ufrag:EsAw\na=ice-pwd:short\n", 2, .malformedCredentials),
        ("a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\na=ice-ufrag:x\n", 2, .malformedCredentials),
        (String(repeating: "m=audio 9 x 0\n", count: 65), 65, .tooManyMediaDescriptions),
        (String(repeating: "a=mid:0\n", count: 65), 65, .tooManyMediaDescriptions),
        (String(repeating: "a=x\n", count: 2049), 2049, .tooManyLines),
        (String(repeating: "x", count: 65_537), 0, .tooLarge),
    ])
    func malformed(text: String, line: Int, reason: SDPError.Reason) {
        #expect(throws: SDPError(line: line, reason)) { try TrickleFragment(text) }
    }

    @Test("32 candidates are taken, over all sections")
    func candidateLimit() throws {
        let section = "m=video 9 x 0\n" + String(repeating: "a=candidate:1 1 udp 1 192.0.2.1 9 typ host\n", count: 20)
        #expect(try TrickleFragment(section + section).candidates.count == 32)
    }
}
