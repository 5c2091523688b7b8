import Testing

@testable import SDP

@Suite("Answering offers")
struct AnswerTests {
    static let transport = LocalTransport(
        credentials: ICECredentials(usernameFragment: "ours", password: "0123456789abcdefghijkl"),
        fingerprint: [UInt8](repeating: 0xCD, count: 32),
        candidates: ["1 1 udp 2130706431 192.0.2.9 40000 typ host", "2 1 udp 2130706430 2001:db8::9 40000 typ host"])
    static let screen = LocalStream(
        ssrc: 11, retransmissionSSRC: 12, cname: "sharer", id: MediaStreamID(stream: "screen", track: "picture"))
    static let sound = LocalStream(ssrc: 13, cname: "sharer", id: MediaStreamID(stream: "screen", track: "sound"))

    static func plan(_ offer: Offer, audio: LocalStream? = nil) -> AnswerPlan {
        AnswerPlan(
            option: offer.video.options[0], levelIDC: 40, video: screen, audio: audio, transport: transport,
            sessionID: 77)
    }

    static func answer(_ name: String, audio: LocalStream? = nil) throws -> SessionDescription {
        let offer = try OfferTests.offer(name)
        return offer.makeAnswer(plan(offer, audio: audio))
    }

    @Test("the whole answer to the minimal offer")
    func wholeText() throws {
        let text = OfferTests.minimal + "a=extmap:3 \(HeaderExtensionURI.mid)\na=rtcp-rsize\na=rtcp-fb:96 nack pli\n"
        let offer = try Offer(SessionDescription(text))
        let expected = """
            v=0
            o=- 77 1 IN IP4 127.0.0.1
            s=-
            t=0 0
            a=group:BUNDLE 0
            a=ice-options:trickle ice2
            m=video 9 UDP/TLS/RTP/SAVPF 96
            c=IN IP4 0.0.0.0
            a=mid:0
            a=rtcp:9 IN IP4 0.0.0.0
            a=ice-ufrag:ours
            a=ice-pwd:0123456789abcdefghijkl
            a=fingerprint:sha-256 \(Array(repeating: "CD", count: 32).joined(separator: ":"))
            a=setup:active
            a=candidate:1 1 udp 2130706431 192.0.2.9 40000 typ host
            a=candidate:2 1 udp 2130706430 2001:db8::9 40000 typ host
            a=end-of-candidates
            a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
            a=sendonly
            a=rtcp-mux
            a=rtcp-rsize
            a=rtpmap:96 H264/90000
            a=rtcp-fb:96 nack pli
            a=fmtp:96 packetization-mode=1;profile-level-id=42e01f
            a=msid:screen picture
            a=ssrc:11 cname:sharer

            """
        #expect(offer.makeAnswer(Self.plan(offer)).description == expected.with("\n", "\r\n"))
    }

    @Test("answers keep the offer's sections, tags and kinds in order, and are read again as written",
        arguments: Fixture.names, [nil, sound])
    func sections(name: String, audio: LocalStream?) throws {
        let (offer, answer) = (try OfferTests.offer(name), try Self.answer(name, audio: audio))
        #expect(answer.media.map(\.kind) == offer.description.media.map(\.kind))
        #expect(answer.media.map(\.mid) == offer.description.media.map(\.mid))
        #expect(answer.media.map(\.transportProtocol) == offer.description.media.map(\.transportProtocol))
        #expect(answer.media.allSatisfy { !$0.attributes.has("bundle-only") && !$0.attributes.has("rtcp-mux-only") })
        #expect(try SessionDescription(answer.description) == answer)
    }

    @Test("Chromium: its payload types, its extension ids, our level")
    func chromium() throws {
        let answer = try Self.answer("chromium")
        let video = answer.media[0]
        #expect(video.formats == ["108", "109"] && answer.direction(of: video) == .sendonly)
        #expect(
            video.attributes.values(of: "fmtp") == [
                "108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e028", "109 apt=108",
            ])
        #expect(
            video.attributes.values(of: "rtcp-fb") == [
                "108 goog-remb", "108 transport-cc", "108 ccm fir", "108 nack", "108 nack pli",
            ])
        #expect(video.headerExtensions.map(\.id) == [2, 4, 5, 6, 9])
        #expect(video.attributes.values(of: "ssrc-group") == ["FID 11 12"])
        #expect(video.attributes.values(of: "ssrc") == ["11 cname:sharer", "12 cname:sharer"])
        #expect(answer.group("BUNDLE") == ["0", "1"])
    }

    @Test("an extension that the viewer only sends is none that we may send")
    func extensionDirections() throws {
        func answered(_ direction: String) throws -> [String] {
            let line = "a=extmap:3\(direction) \(HeaderExtensionURI.mid)\n"
            let offer = try Offer(SessionDescription(OfferTests.minimal + line))
            return offer.makeAnswer(Self.plan(offer)).media[0].attributes.values(of: "extmap")
        }
        #expect(try answered("/sendonly") == [])
        #expect(try answered("/recvonly") == ["3/sendonly \(HeaderExtensionURI.mid)"])
        let sound = "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:1\na=rtcp-mux\na=rtpmap:111 opus/48000/2\n"
        let text = OfferTests.minimal.with("BUNDLE 0", "BUNDLE 0 1")
        let lines = "a=extmap:3/sendonly \(HeaderExtensionURI.mid)\na=extmap:4 \(HeaderExtensionURI.absSendTime)\n"
        let offer = try Offer(SessionDescription(text + lines + sound + lines))
        #expect(offer.video.extensions.map(\.id) == [4] && offer.audio?.extensions.map(\.id) == [4])
    }

    @Test("sound that is not sent stays in the bundle as inactive", arguments: Fixture.names)
    func placeholder(name: String) throws {
        let (offer, answer) = (try OfferTests.offer(name), try Self.answer(name))
        let audio = answer.media[try #require(offer.audio?.index)]
        #expect(answer.direction(of: audio) == .inactive && audio.port == 9 && audio.formats.count == 1)
        #expect(answer.group("BUNDLE") == offer.description.group("BUNDLE"))
        #expect(!audio.attributes.has("ssrc") && !audio.attributes.has("msid"))
    }

    @Test("a section that nothing is sent in names a codec where it has one, and not RED or FEC, which Chromium refuses alone")
    func placeholderFormat() throws {
        let spare = """
            m=video 9 UDP/TLS/RTP/SAVPF 118 119 97 98
            a=mid:1
            a=rtcp-mux
            a=rtpmap:118 red/90000
            a=rtpmap:119 ulpfec/90000
            a=rtpmap:97 rtx/90000
            a=fmtp:97 apt=98
            a=rtpmap:98 VP8/90000

            """
        let text = OfferTests.minimal.with("BUNDLE 0", "BUNDLE 0 1") + spare
        let offer = try Offer(SessionDescription(text))
        #expect(offer.makeAnswer(Self.plan(offer)).media[1].formats == ["98"])
        let bare = try Offer(SessionDescription(text.without("a=rtpmap:98")))
        #expect(bare.makeAnswer(Self.plan(bare)).media[1].formats == ["118"])
    }

    @Test("Firefox: the tagged sound section has the transport's candidates; extension directions turn")
    func firefox() throws {
        let answer = try Self.answer("firefox")
        let (audio, video) = (answer.media[0], answer.media[1])
        #expect(answer.group("BUNDLE") == ["0", "1"] && answer.direction(of: audio) == .inactive)
        #expect(audio.formats == ["109"] && audio.port == 9 && audio.attributes.values(of: "candidate").count == 2)
        #expect(video.attributes.values(of: "candidate").isEmpty && video.attributes.has("ice-ufrag"))
        #expect(video.formats == ["126", "127"])
        #expect(video.attributes.values(of: "extmap").contains("6/sendonly \(HeaderExtensionURI.playoutDelay)"))
    }

    @Test("GStreamer: what it left unsaid stays unsaid; without its payload type nothing is retransmitted")
    func gstreamer() throws {
        let video = try Self.answer("gstreamer").media[0]
        #expect(video.formats == ["96"] && !video.attributes.has("fmtp") && !video.attributes.has("ssrc-group"))
        #expect(video.attributes.values(of: "ssrc") == ["11 cname:sharer"] && video.headerExtensions.isEmpty)
        #expect(video.attributes.values(of: "rtcp-fb") == ["96 transport-cc", "96 ccm fir", "96 nack pli"])
    }

    @Test("sound is sent where it is asked for", arguments: Fixture.names)
    func soundAskedFor(name: String) throws {
        let (offer, answer) = (try OfferTests.offer(name), try Self.answer(name, audio: Self.sound))
        let index = try #require(offer.audio?.index)
        let audio = answer.media[index]
        #expect(answer.direction(of: audio) == .sendonly && answer.group("BUNDLE") == offer.description.group("BUNDLE"))
        #expect(audio.payloadFormats.first?.payloadType == offer.audio?.opus.payloadType)
        #expect(audio.attributes.values(of: "ssrc") == ["13 cname:sharer"])
        #expect(audio.attributes.value(of: "msid") == "screen sound")
    }

    @Test("without level asymmetry the offer's level stands")
    func levels() throws {
        let offer = try Offer(SessionDescription(OfferTests.minimal))
        let format = offer.makeAnswer(Self.plan(offer)).media[0].payloadFormats[0]
        #expect(format.parameters["profile-level-id"] == "42e01f")
        #expect(format.parameters["level-asymmetry-allowed"] == nil)
    }

    @Test("an active offerer gets a passive answer")
    func passive() throws {
        let offer = try Offer(SessionDescription(OfferTests.minimal.with("actpass", "active")))
        #expect(offer.makeAnswer(Self.plan(offer)).media[0].attributes.value(of: "setup") == "passive")
    }

    @Test("sections we know nothing of are rejected, whatever they are, and the video has the transport")
    func otherSections() throws {
        let data = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\na=mid:d\na=sctp-port:5000\n"
        let before = OfferTests.minimal.with("BUNDLE 0", "BUNDLE d 0").with("m=video", data + "m=video")
        let offer = try Offer(SessionDescription(before))
        let answer = offer.makeAnswer(Self.plan(offer))
        #expect(answer.media[0].line.value == "application 0 UDP/DTLS/SCTP webrtc-datachannel")
        // GStreamer and aiortc demand these even of a rejected section.
        for name in ["fingerprint", "ice-ufrag", "ice-pwd", "setup"] { #expect(answer.media[0].attributes.has(name)) }
        #expect(!answer.media[0].attributes.has("candidate"))
        #expect(answer.group("BUNDLE") == ["0"] && answer.media[1].attributes.values(of: "candidate").count == 2)
        #expect(offer.transport.credentials.usernameFragment == "abcd")
    }

    @Test("what is on a transport of its own is rejected, and the picture served", arguments: [
        "a=tool:bundles nothing", "a=group:LS 0 1", "a=group:BUNDLE 1",
    ])
    func unbundled(group: String) throws {
        let sound = "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:1\na=rtcp-mux\na=ice-ufrag:else\na=rtpmap:111 opus/48000/2\n"
        let text = OfferTests.minimal.with("a=group:BUNDLE 0", group).with("m=video", sound + "m=video")
        let offer = try Offer(SessionDescription(text))
        let answer = offer.makeAnswer(Self.plan(offer, audio: Self.sound))
        #expect(answer.media[0].line.value == "audio 0 UDP/TLS/RTP/SAVPF 111")
        #expect(answer.group("BUNDLE") == nil && answer.direction(of: answer.media[1]) == .sendonly)
        #expect(answer.media[1].port == 9 && answer.media[1].attributes.values(of: "candidate").count == 2)
        #expect(offer.transport.credentials.usernameFragment == "abcd")
    }

    @Test("an unfinished gathering is not called complete")
    func incomplete() throws {
        let offer = try Offer(SessionDescription(OfferTests.minimal))
        var plan = Self.plan(offer)
        plan.transport.isComplete = false
        #expect(!offer.makeAnswer(plan).media[0].attributes.has("end-of-candidates"))
    }
}
