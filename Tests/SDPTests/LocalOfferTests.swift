import Foundation
import Testing

@testable import SDP

@Suite("Our own offers")
struct LocalOfferTests {
    static let transport = LocalTransport(
        credentials: ICECredentials(usernameFragment: "view", password: "zyxwvutsrqponmlkjihgfe"),
        fingerprint: [UInt8](repeating: 0xEF, count: 32), candidates: ["1 1 udp 1 192.0.2.7 50000 typ host"],
        isComplete: false)
    static let viewer = LocalOffer.receiving(transport: transport, sessionID: 5)
    static let viewerWithSound = LocalOffer.receiving(transport: transport, sessionID: 5, audio: true)

    /// The answer of our own sharer to an offer, as text.
    static func sharersAnswer(to offer: LocalOffer, audio: LocalStream? = nil) throws -> String {
        let understood = try Offer(SessionDescription(offer.description.description))
        return understood.makeAnswer(AnswerTests.plan(understood, audio: audio)).description
    }

    static func fault(_ text: String, to offer: LocalOffer = viewer) -> AnswerFault? {
        do {
            _ = try AcceptedAnswer(SessionDescription(text), to: offer)
            return nil
        } catch {
            return error as? AnswerFault
        }
    }

    @Test("a viewer's offer says what it must")
    func viewerOffer() throws {
        let description = Self.viewer.description
        let video = description.media[0]
        #expect(try SessionDescription(description.description) == description)
        #expect(description.direction(of: video) == .recvonly && description.group("BUNDLE") == ["0"])
        #expect(video.formats == ["96", "97", "98", "99", "100"] && video.mid == "0")
        #expect(
            video.attributes.values(of: "fmtp") == [
                "96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f", "97 apt=96",
                "98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f", "99 apt=98",
                "100 repair-window=200000",
            ])
        #expect(video.attributes.value(of: "setup") == "actpass")
        for name in ["rtcp-mux", "rtcp-mux-only", "rtcp-rsize", "ice-ufrag", "ice-pwd", "fingerprint"] {
            #expect(video.attributes.has(name))
        }
        #expect(video.headerExtensions.map(\.uri) == HeaderExtensionURI.video)
        #expect(video.headerExtensions.map(\.id) == [1, 2, 3, 4, 5, 6])
        let ids = Self.viewerWithSound.description.media[1].headerExtensions.map(\.id)
        #expect(ids == [1, 2, 3, 6], "an extension has one id in the whole bundle")
    }

    @Test("a viewer's offer says how much sound it takes, where that is limited, and our sharer reads it")
    func soundLimit() throws {
        let offer = LocalOffer.receiving(
            transport: Self.transport, sessionID: 5, audio: true, maximumAudioBitrate: 24_000)
        let opus = try #require(offer.description.media[1].payloadFormats.first)
        #expect(opus.parameters["maxaveragebitrate"] == "24000" && opus.parameters["stereo"] == "1")
        let read = try Offer(SessionDescription(offer.description.description)).audio
        #expect(read?.opus.maximumBitrate == 24_000)
        #expect(!Self.viewerWithSound.description.description.contains("maxaveragebitrate"))
    }

    @Test("a viewer's offer has no feedback that it never sends (REMB, FIR); a sharer's has what the sharer goes by")
    func unsentFeedback() throws {
        let offered = Self.viewerWithSound.description.description
        #expect(!offered.contains("goog-remb") && !offered.contains("ccm fir"))
        for format in Self.viewer.description.media[0].payloadFormats where format.isEncoding("H264") {
            #expect(format.feedback.isSuperset(of: [.nack, .pli, .transportCC, .ccfb]))
        }
        let counter = LocalOffer.sending(
            AnswerTests.screen, levelIDC: 40, transport: AnswerTests.transport, sessionID: 9)
        #expect(counter.description.media[0].payloadFormats[0].feedback.isSuperset(of: [.remb, .fir]))
    }

    @Test("our sharer's answer to our viewer, understood")
    func ownAnswer() throws {
        let answer = try AcceptedAnswer(SessionDescription(Self.sharersAnswer(to: Self.viewer)), to: Self.viewer)
        #expect(answer.localSetup == .passive && answer.transport.setup == .active)
        #expect(answer.transport.credentials == AnswerTests.transport.credentials)
        #expect(answer.transport.fingerprint == AnswerTests.transport.fingerprint)
        #expect(answer.transport.candidates == AnswerTests.transport.candidates && answer.transport.isComplete)
        #expect(answer.transport.options == ["trickle", "ice2"])
        #expect(answer.video.mid == "0" && answer.video.option.payloadType == 96)
        #expect(answer.video.option.retransmissionPayloadType == 97)
        #expect(answer.video.option.profileLevel.text == "42e028")
        #expect(answer.video.extensions.count == 6 && answer.video.takesReducedSizeRTCP)
        #expect(answer.opus == nil)
    }

    @Test("with sound, and without it where it was asked for")
    func sound() throws {
        let offer = Self.viewerWithSound
        let with = try AcceptedAnswer(
            SessionDescription(Self.sharersAnswer(to: offer, audio: AnswerTests.sound)), to: offer)
        #expect(with.opus?.payloadType == 111)
        let without = try AcceptedAnswer(SessionDescription(Self.sharersAnswer(to: offer)), to: offer)
        #expect(without.opus == nil && without.video.option.payloadType == 96)
    }

    @Test("a sharer that sends High, with repair packets and without")
    func high() throws {
        let understood = try Offer(SessionDescription(Self.viewer.description.description))
        #expect(understood.video.flexFECPayloadType == 100)
        var plan = AnswerTests.plan(understood)
        plan.option = try #require(understood.video.options.first { $0.profile == .constrainedHigh })
        let answer = try AcceptedAnswer(
            SessionDescription(understood.makeAnswer(plan).description), to: Self.viewer)
        #expect(answer.video.flexFECPayloadType == nil, "none are sent where the stream has no SSRC for them")
        plan.video.flexFECSSRC = 77
        let repaired = try AcceptedAnswer(
            SessionDescription(understood.makeAnswer(plan).description), to: Self.viewer)
        #expect(repaired.video.flexFECPayloadType == 100)
        let moved = understood.makeAnswer(plan).description.with(" 100\r\n", " 101\r\n").with(":100 ", ":101 ")
        let foreign = try AcceptedAnswer(SessionDescription(moved), to: Self.viewer)
        #expect(foreign.video.flexFECPayloadType == nil, "nor where they have a type that was not offered")
        #expect(answer.video.option.payloadType == 98 && answer.video.option.retransmissionPayloadType == 99)
    }

    @Test("answers that cannot be used", arguments: [
        ("m=video 9", "m=video 0", AnswerFault.rejected),
        ("a=sendonly", "a=recvonly", .wrongDirection),
        ("a=sendonly", "a=inactive", .wrongDirection),
        ("a=rtcp-mux\r\n", "", .noRTCPMux),
        ("a=mid:0", "a=mid:1", .mismatchedMedia),
        ("m=video", "m=audio", .mismatchedMedia),
        ("m=video 9 UDP/TLS/RTP/SAVPF 96", "m=video 9 UDP/TLS/RTP/SAVPF 120", .noCommonFormat),
        ("packetization-mode=1", "packetization-mode=0", .noCommonFormat),
        ("profile-level-id=42e028", "profile-level-id=640028", .noCommonFormat),
        ("H264/90000", "VP8/90000", .noCommonFormat),
        ("a=setup:active", "a=setup:actpass", .transport(.contradictorySetup)),
        ("a=setup:active\r\n", "", .transport(.contradictorySetup)),
        ("a=ice-ufrag:ours\r\n", "", .transport(.noCredentials)),
        ("sha-256", "sha-1", .transport(.noSHA256Fingerprint)),
        ("CD:CD", "CD:C", .transport(.malformedFingerprint)),
    ])
    func faults(old: String, new: String, expected: AnswerFault) throws {
        let text = try Self.sharersAnswer(to: Self.viewer)
        #expect(text.contains(old))
        #expect(Self.fault(text.with(old, new)) == expected)
    }

    @Test("who offers to begin the handshake does, and no answer may say otherwise")
    func beginning() throws {
        let offer = LocalOffer.receiving(transport: Self.transport, sessionID: 5, setup: .active, audio: true)
        #expect(offer.description.media.allSatisfy { $0.attributes.value(of: "setup") == "active" })
        let text = try Self.sharersAnswer(to: offer)
        #expect(try AcceptedAnswer(SessionDescription(text), to: offer).localSetup == .active)
        #expect(Self.fault(text.with("a=setup:passive", "a=setup:active"), to: offer) == .transport(.contradictorySetup))
    }

    @Test("an answer with more or fewer sections is none to our offer")
    func sectionCount() throws {
        let text = try Self.sharersAnswer(to: Self.viewer)
        #expect(Self.fault(text + "m=audio 0 UDP/TLS/RTP/SAVPF 111\r\n") == .mismatchedMedia)
        #expect(Self.fault(text.components(separatedBy: "m=video")[0]) == .mismatchedMedia)
    }

    @Test("sections on transports of their own are refused")
    func unbundledAnswer() throws {
        let offer = Self.viewerWithSound
        let text = try Self.sharersAnswer(to: offer, audio: AnswerTests.sound)
        #expect(Self.fault(text.with("a=group:BUNDLE 0 1\r\n", ""), to: offer) == .notBundled)
        #expect(Self.fault(text.with("a=group:BUNDLE 0 1\r\n", "a=group:BUNDLE 1\r\n"), to: offer) == .notBundled)
        #expect(Self.fault(text.with("a=group:BUNDLE 0 1\r\n", "a=group:BUNDLE 0\r\n"), to: offer) == .notBundled)
    }

    @Test("sound of a type that was not offered is none")
    func foreignSound() throws {
        let offer = Self.viewerWithSound
        let text = try Self.sharersAnswer(to: offer, audio: AnswerTests.sound)
        let accepted = try AcceptedAnswer(SessionDescription(text), to: offer)
        let type = try #require(accepted.opus?.payloadType)
        let moved = text.with("m=audio 9 UDP/TLS/RTP/SAVPF \(type)", "m=audio 9 UDP/TLS/RTP/SAVPF 96")
            .with("a=rtpmap:\(type) opus", "a=rtpmap:96 opus")
        #expect(moved != text)
        #expect(try AcceptedAnswer(SessionDescription(moved), to: offer).opus == nil)
    }

    @Test("whatever of our formats the answer keeps may come")
    func twoFormats() throws {
        let text = try Self.sharersAnswer(to: Self.viewer)
        let both = text.with("SAVPF 96 97", "SAVPF 96 97 98 99").with(
            "a=fmtp:97 apt=96\r\n",
            "a=fmtp:97 apt=96\r\na=rtpmap:98 H264/90000\r\n"
                + "a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f\r\n"
                + "a=rtpmap:99 rtx/90000\r\na=fmtp:99 apt=98\r\n")
        let answer = try AcceptedAnswer(SessionDescription(both), to: Self.viewer)
        #expect(answer.video.options.map(\.payloadType) == [96, 98])
        #expect(answer.video.options.map(\.retransmissionPayloadType) == [97, 99])
    }

    @Test("an answer that does not repeat the profile agrees to the one that was offered under its payload type")
    func unsaidProfile() throws {
        let text = try Self.sharersAnswer(to: Self.viewer)
        let unsaid = text.with("level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e028", "packetization-mode=1")
        #expect(unsaid != text)
        let option = try AcceptedAnswer(SessionDescription(unsaid), to: Self.viewer).video.option
        #expect(option.payloadType == 96 && option.profileLevel.text == "42e01f")
        let high = unsaid.with("SAVPF 96 97", "SAVPF 98 99").with(":96 ", ":98 ").with(":97 ", ":99 ")
            .with("apt=96", "apt=98")
        let highOption = try AcceptedAnswer(SessionDescription(high), to: Self.viewer).video.option
        #expect(highOption.payloadType == 98 && highOption.profile == .constrainedHigh)
        #expect(Self.fault(unsaid.with("packetization-mode=1", "packetization-mode=0")) == .noCommonFormat)
    }

    @Test("parameter sets that an answer tells are read, what is none is left out")
    func parameterSets() throws {
        let text = try Self.sharersAnswer(to: Self.viewer)
        func sets(_ told: String) throws -> [[UInt8]] {
            let answer = text.with("profile-level-id=42e028", "profile-level-id=42e028\(told)")
            return try AcceptedAnswer(SessionDescription(answer), to: Self.viewer).video.option.parameterSets
        }
        #expect(try sets("") == [])
        #expect(try sets(";sprop-parameter-sets=Z0LAHg==,aMuMsg==") == [[0x67, 0x42, 0xC0, 0x1E], [0x68, 0xCB, 0x8C, 0xB2]])
        #expect(try sets(";sprop-parameter-sets=Z//vvg,Z0?=,,aMuM") == [[0x67, 0xFF, 0xEF, 0xBE], [0x68, 0xCB, 0x8C]])
    }

    @Test("extension ids and retransmission types that are not ours are not believed")
    func foreignIDs() throws {
        let text = try Self.sharersAnswer(to: Self.viewer)
            .with("a=extmap:2 ", "a=extmap:9 ").with("a=fmtp:97 apt=96", "a=fmtp:99 apt=96").with(":97 rtx", ":99 rtx")
            .with("SAVPF 96 97", "SAVPF 96 99")
        let answer = try AcceptedAnswer(SessionDescription(text), to: Self.viewer)
        #expect(answer.video.extensions.map(\.id) == [1, 3, 4, 5, 6])
        #expect(answer.video.option.retransmissionPayloadType == nil)
        // An id of ours with another meaning is not ours either.
        let renamed = try Self.sharersAnswer(to: Self.viewer).with(HeaderExtensionURI.video[1], "urn:another")
        let other = try AcceptedAnswer(SessionDescription(renamed), to: Self.viewer)
        #expect(other.video.extensions.map(\.id) == [1, 3, 4, 5, 6])
    }

    @Test("candidates are found in whichever section of the bundle an answer names them")
    func candidatesElsewhere() throws {
        let offer = Self.viewerWithSound
        let text = try Self.sharersAnswer(to: offer, audio: AnswerTests.sound)
        let ours = AnswerTests.transport.candidates
        let lines = ours.map { "a=candidate:\($0)\r\n" }.joined() + "a=end-of-candidates\r\n"
        let moved = text.with(lines, "") + lines
        try #require(moved != text + lines)
        let transport = try AcceptedAnswer(SessionDescription(moved), to: offer).transport
        #expect(transport.candidates == ours && transport.isComplete)
    }

    @Test("an answer without tags, as small servers write it")
    func untagged() throws {
        let text = try Self.sharersAnswer(to: Self.viewer).with("a=mid:0\r\n", "").with("a=group:BUNDLE 0\r\n", "")
        #expect(try AcceptedAnswer(SessionDescription(text), to: Self.viewer).video.mid == "0")
    }

    @Test("a counter-offer, which has no payload type for repair packets, names no stream of them")
    func unofferedRepair() throws {
        var stream = AnswerTests.screen
        stream.flexFECSSRC = 14
        let counter = LocalOffer.sending(stream, levelIDC: 40, transport: AnswerTests.transport, sessionID: 9)
        let video = counter.description.media[0]
        #expect(video.attributes.values(of: "ssrc-group") == ["FID 11 12"])
        #expect(video.attributes.values(of: "ssrc") == ["11 cname:sharer", "12 cname:sharer"])
    }

    @Test("a counter-offer sends, and its answer receives")
    func counterOffer() throws {
        let counter = LocalOffer.sending(
            AnswerTests.screen, levelIDC: 40, transport: AnswerTests.transport, sessionID: 9)
        let video = counter.description.media[0]
        #expect(counter.description.direction(of: video) == .sendonly)
        #expect(video.payloadFormats[0].parameters["profile-level-id"] == "42e028")
        #expect(video.attributes.values(of: "ssrc-group") == ["FID 11 12"])
        #expect(video.attributes.value(of: "msid") == "screen picture")
        #expect(video.formats == ["96", "97"])
        let answer = counter.description.description.with("a=sendonly", "a=recvonly").with("actpass", "passive")
        let accepted = try AcceptedAnswer(SessionDescription(answer), to: counter)
        #expect(accepted.localSetup == .active && accepted.video.option.payloadType == 96)
        #expect(accepted.video.bandwidth == nil)
        let limited = answer.with("c=IN IP4 0.0.0.0\r\n", "c=IN IP4 0.0.0.0\r\nb=TIAS:300000\r\n")
        #expect(try AcceptedAnswer(SessionDescription(limited), to: counter).video.bandwidth == 300_000)
        #expect(Self.fault(answer.with("a=recvonly", "a=sendonly"), to: counter) == .wrongDirection)
        #expect(RefusalTests.refusal(counter.description.description) == .nothingToReceive)
    }
}
