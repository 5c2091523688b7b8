import SignalingProtocol
import TestSupport
import Testing

@Suite("SDP as a relay looks at it")
struct SDPOutlineTests {
    static let offer = """
        v=0\r
        o=- 1 2 IN IP4 127.0.0.1\r
        s=-\r
        t=0 0\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        a=ice-ufrag:EsAw\r
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r

        """

    @Test("An offer shows its first user name fragment, with any line ends")
    func ufrag() {
        #expect(SDPOutline(description: Self.offer)?.ufrag == "EsAw")
        let plain = Self.offer.replacing("\r\n", with: "\n")
        #expect(SDPOutline(description: plain)?.ufrag == "EsAw")
        let spaced = "\n\r\n" + Self.offer.replacing("\r\n", with: "\r\n\n\r\n") + "s=\u{301}\u{1F469}\u{200D}\u{1F4BB}"
        #expect(SDPOutline(description: spaced)?.ufrag == "EsAw")
        #expect(SDPOutline(description: "v=0\r\nm=video 9 RTP/AVP 96\r\n")?.ufrag == .some(nil))
        let trailed = Self.offer.replacing("EsAw", with: "EsAw ").replacing("CBui1", with: "CBui1 ")
        #expect(SDPOutline(description: trailed)?.ufrag == "EsAw")
    }

    @Test("Sections that are not bundled have a user name fragment each: each is shown once, in order, and sixteen at most")
    func unbundled() {
        let sound = "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=ice-ufrag:Snd1\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n"
        let both = Self.offer.replacing("m=video", with: sound + sound + "m=video")
        #expect(SDPOutline(description: both)?.ufrags == ["Snd1", "EsAw"])
        #expect(TrickleFragment(sound + sound)?.ufrags == ["Snd1"])
        let many = (0..<100).map { "m=audio\na=ice-ufrag:many\($0)\n" }.joined()
        #expect(SDPOutline(description: "v=0\n" + many)?.ufrags == (0..<16).map { "many\($0)" })
    }

    @Test(
        "What hasn't the shape of a session description is none",
        arguments: [
            "", "\r\n", "hello", "{\"sdp\":1}", "v=0", "v=1\r\nm=video 9 RTP/AVP 96", "m=video 9 RTP/AVP 96\r\nv=0",
            "v=0\r\nM=video", "v=0\r\nm=video\r\nnonsense", "v=0\rm=video", "v=0\r\nm=a\0b",
            "v=0\r\nm=video\r", "v=0\r\r\nm=video\r\n", "v=0\nm\u{301}=video",
            "v=0\r\nm=video\r\na=ice-ufrag:abc\r\n", "v=0\r\nm=video\r\na=ice-pwd:short\r\n",
        ])
    func malformed(_ text: String) {
        #expect(SDPOutline(description: text) == nil)
    }

    @Test("A line longer than 2048 bytes is refused")
    func longLine() {
        let line = "a=" + String(repeating: "x", count: 2046)
        #expect(SDPOutline(description: "v=0\nm=video\n\(line)") != nil)
        #expect(SDPOutline(description: "v=0\nm=video\n\(line)x") == nil)
    }

    @Test("64 KiB in 21,000 lines give a result")
    func manyLines() {
        #expect(SDPOutline(description: "v=0\nm=video\n" + String(repeating: "a=\n", count: 21_000)) != nil)
    }

    @Test("The fragment of the WHEP draft's example is one, and shows whose it is")
    func fragment() {
        let text = """
            a=group:BUNDLE 0 1
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            a=mid:0
            a=ice-ufrag:EsAw
            a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
            a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1
            a=end-of-candidates
            """
        #expect(TrickleFragment(text)?.ufrag == "EsAw")
        #expect(TrickleFragment("a=candidate:1 1 udp 1 192.0.2.1 1 typ host\r\n")?.ufrag == .some(nil))
    }

    @Test(
        "What isn't made of a= and m= lines is no fragment; a user name fragment needs its password",
        arguments: [
            "", "\r\n", "v=0\r\na=mid:0", "a=ice-ufrag:EsAw\r\n", "b=AS:1", "x", "a=ice-ufrag:abc\na=ice-pwd:x",
        ])
    func malformedFragment(_ text: String) {
        #expect(TrickleFragment(text) == nil)
    }

    @Test("Any bytes at all give a result and never a trap (seed 11)")
    func noise() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = SDPOutline(description: text)
            _ = SDPOutline(description: "v=0\n" + text)
            _ = TrickleFragment("a=" + text)
        }
    }
}
