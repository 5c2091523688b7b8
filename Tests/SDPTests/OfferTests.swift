import Foundation
import Testing

@testable import SDP

@Suite("Understanding offers")
struct OfferTests {
    static func offer(_ name: String) throws -> Offer {
        try Offer(SessionDescription(Fixture.text(name)))
    }

    @Test("Chromium: constrained baseline in mode 1 first, with its retransmissions and feedback")
    func chromium() throws {
        let offer = try Self.offer("chromium")
        #expect(offer.video.index == 0 && offer.video.mid == "0" && offer.video.takesReducedSizeRTCP)
        #expect(offer.video.options.map(\.payloadType) == [108, 102, 116, 114, 104, 39])
        let best = offer.video.options[0]
        #expect(best.packetizationMode == 1 && best.profileLevel.text == "42e01f" && best.levelAsymmetryAllowed)
        #expect(best.retransmissionPayloadType == 109)
        #expect(best.feedback == [.nack, .pli, .fir, .remb, .transportCC])
        #expect(offer.video.extensions.contains(HeaderExtension(id: 5, uri: HeaderExtensionURI.playoutDelay)))
        #expect(offer.audio?.opus.payloadType == 111 && offer.audio?.opus.prefersStereo == false)
        #expect(offer.localSetup == .active)
    }

    @Test("Chromium: its candidates are .local names, and they are kept as they are")
    func localNames() throws {
        let transport = try Self.offer("chromium").transport
        #expect(
            transport.candidates == [
                "1979102310 1 udp 2113937151 6ec2c1c3-60c0-4926-b97c-e1289103d572.local 52830 typ host generation 0 "
                    + "network-cost 999",
                "3197138310 1 udp 2113942271 cf6423b5-b8f2-41fd-a351-c2bc96ad5128.local 54588 typ host generation 0 "
                    + "network-cost 999",
            ])
        #expect(!transport.isComplete && transport.options == ["trickle"] && !transport.isLite)
        #expect(transport.fingerprint.count == 32)
    }

    @Test("Firefox: the tagged section is the sound's, the fingerprint the session's")
    func firefox() throws {
        let offer = try Self.offer("firefox")
        #expect(offer.video.index == 1 && offer.video.mid == "1")
        #expect(offer.video.options.map(\.payloadType) == [126, 105, 97, 103])
        #expect(offer.video.options.map(\.packetizationMode) == [1, 1, 0, 0])
        #expect(offer.video.options[0].retransmissionPayloadType == 127)
        #expect(offer.transport.fingerprint.prefix(2) == [0x24, 0x67] && offer.transport.isComplete)
        #expect(offer.transport.candidates.count == 2)
        #expect(offer.audio?.opus.prefersStereo == true && offer.audio?.opus.usesInbandFEC == true)
        #expect(offer.video.extensions.contains(
            HeaderExtension(id: 6, direction: .recvonly, uri: HeaderExtensionURI.playoutDelay)))
    }

    @Test("GStreamer: without parameters H.264 is Baseline in mode 0, without retransmissions")
    func gstreamer() throws {
        let offer = try Self.offer("gstreamer")
        #expect(offer.video.mid == "video0" && offer.video.options.count == 1)
        let option = offer.video.options[0]
        #expect(option.payloadType == 96 && option.packetizationMode == 0 && !option.levelAsymmetryAllowed)
        #expect(option.profileLevel == .whenAbsent && option.profile == .baseline)
        #expect(option.retransmissionPayloadType == nil && option.feedback == [.pli, .fir, .transportCC])
        #expect(offer.transport.candidates.count == 9 && offer.video.extensions.isEmpty)
        #expect(offer.audio?.opus.payloadType == 97, "OPUS is opus, and port 0 with bundle-only is no rejection")
    }

    @Test("aiortc: SHA-256 among three fingerprints, the first section's candidates")
    func aiortc() throws {
        let offer = try Self.offer("aiortc")
        #expect(offer.video.options.map(\.payloadType) == [101, 99])
        #expect(offer.video.options[0].feedback == [.nack, .pli, .remb])
        #expect(offer.transport.fingerprint.count == 32 && offer.transport.candidates.count == 2)
        #expect(offer.transport.candidates[0].contains("192.0.2.2") && offer.transport.isComplete)
        #expect(!offer.video.takesReducedSizeRTCP)
    }

    @Test("High comes after baseline and before Main; mode 0 is always last")
    func preferences() throws {
        let formats = ["4d001f", "640c1f", "64001f", "42001f", "42e01f", "f4001f"]
        var text = Self.minimal.without("a=rtpmap").without("a=fmtp")
            .with("SAVPF 96", "SAVPF" + (0..<12).map { " \(100 + $0)" }.joined())
        for (index, profile) in formats.enumerated() {
            for mode in [0, 1] {
                text += "a=rtpmap:\(100 + index + 6 * mode) h264/90000\n"
                text += "a=fmtp:\(100 + index + 6 * mode) packetization-mode=\(mode);profile-level-id=\(profile)\n"
            }
        }
        let options = try Offer(SessionDescription(text)).video.options.map(\.payloadType)
        #expect(options == [110, 109, 108, 107, 106, 104, 103, 102, 101, 100])
    }

    @Test("formats we cannot serve are passed over", arguments: [
        "a=fmtp:96 packetization-mode=2;profile-level-id=42e01f", "a=fmtp:96 packetization-mode=x",
        "a=fmtp:96 packetization-mode=1;profile-level-id=42e0",
        "a=fmtp:96 packetization-mode=1;profile-level-id=f4001f",
    ])
    func unusableFormats(line: String) throws {
        let text = Self.minimal.with("a=fmtp:96 packetization-mode=1;profile-level-id=42e01f", line)
        #expect(RefusalTests.refusal(text) == .noH264)
    }

    @Test("of several video sections the first that wants to receive H.264 is served")
    func severalVideoSections() throws {
        let video = Self.minimal.components(separatedBy: "m=video")[1]
        let text =
            Self.minimal.with("a=group:BUNDLE 0", "a=group:BUNDLE 0 1 2 3").with("a=recvonly", "a=sendonly")
            + "m=video" + video.with("a=mid:0", "a=mid:1").with("H264", "VP8")
            + "m=video" + video.with("a=mid:0", "a=mid:2") + "m=video" + video.with("a=mid:0", "a=mid:3")
        #expect(try Offer(SessionDescription(text)).video.mid == "2")
    }

    @Test("who begins the handshake", arguments: [
        ("actpass", SetupRole.active), ("passive", .active), ("active", .passive),
    ])
    func setup(offered: String, ours: SetupRole) throws {
        let text = Self.minimal.with("a=setup:actpass", "a=setup:\(offered)")
        #expect(try Offer(SessionDescription(text)).localSetup == ours)
    }

    @Test("an offer that says nothing of setup begins itself, as RFC 4145 has it")
    func noSetup() throws {
        #expect(try Offer(SessionDescription(Self.minimal.without("a=setup"))).localSetup == .passive)
    }

    @Test("what the section lacks is taken from the session")
    func inheritance() throws {
        let moved = ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:", "a=setup:", "a=recvonly"]
        var text = Self.minimal
        var lines = ""
        for prefix in moved {
            lines += try #require(text.components(separatedBy: "\n").first { $0.hasPrefix(prefix) }) + "\n"
            text = text.without(prefix)
        }
        let offer = try Offer(SessionDescription(text.with("m=video", lines + "m=video")))
        #expect(offer.transport == (try Offer(SessionDescription(Self.minimal)).transport))
    }

    @Test("one section needs no BUNDLE and no tag")
    func singleSection() throws {
        let offer = try Offer(SessionDescription(Self.minimal.without("a=group").without("a=mid")))
        #expect(offer.video.mid == nil)
    }

    @Test("the viewer's bandwidth is heard")
    func bandwidth() throws {
        let text = Self.minimal.with("c=IN", "b=TIAS:1500000\nc=IN")
        #expect(try Offer(SessionDescription(text)).video.bandwidth == 1_500_000)
    }

    /// Of the same bundle.
    private static let sound = """
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        b=TIAS:24000
        a=mid:1
        a=recvonly
        a=rtcp-mux
        a=rtpmap:111 opus/48000/2
        a=fmtp:111 maxaveragebitrate=32000

        """

    @Test("the viewer's bandwidth for sound is heard, which some tell by the section and some by the format")
    func soundBandwidth() throws {
        let text = Self.minimal.with("BUNDLE 0", "BUNDLE 0 1") + Self.sound
        #expect(try Offer(SessionDescription(text)).audio?.opus.maximumBitrate == 24_000)
        #expect(try Offer(SessionDescription(text.without("b=TIAS"))).audio?.opus.maximumBitrate == 32_000)
    }

    @Test("who does no more than ICE lite says so for the session (RFC 8839 § 5.3)")
    func lite() throws {
        let text = Self.minimal.with("a=group:BUNDLE 0", "a=ice-lite\na=group:BUNDLE 0")
        #expect(try Offer(SessionDescription(text)).transport.isLite)
        #expect(try !Offer(SessionDescription(Self.minimal)).transport.isLite)
    }

    @Test("candidates that another section of the same ICE session names, be it a data channel's, count where this one has none")
    func candidatesElsewhere() throws {
        let candidate = "1 1 udp 1 192.0.2.1 1000 typ host"
        func transport(ufrag: String = "abcd", more: String = "") throws -> RemoteTransport {
            let data = """
                m=application 9 UDP/DTLS/SCTP webrtc-datachannel
                a=mid:d
                a=ice-ufrag:\(ufrag)
                a=ice-pwd:aaaaaaaaaaaaaaaaaaaaaa
                a=candidate:\(candidate)
                a=end-of-candidates

                """
            let text = Self.minimal.with("BUNDLE 0", "BUNDLE d 0").with("m=video", data + "m=video") + more
            return try Offer(SessionDescription(text)).transport
        }
        #expect(try transport().candidates == [candidate] && transport().isComplete)
        #expect(try transport(ufrag: "else").candidates.isEmpty)
        let own = "2 1 udp 1 192.0.2.2 2000 typ host"
        #expect(try transport(more: "a=candidate:\(own)\n").candidates == [own])
    }

    @Test("spaces at the ends of lines are no part of what they say")
    func trailingSpaces() throws {
        let plain = try Offer(SessionDescription(Self.minimal))
        let offer = try Offer(SessionDescription(Self.minimal.with("\n", " \n").with("v=0 ", "v=0")))
        #expect(offer.transport == plain.transport && offer.video == plain.video && offer.bundle == plain.bundle)
        #expect(offer.makeAnswer(AnswerTests.plan(offer)) == plain.makeAnswer(AnswerTests.plan(plain)))
    }

    @Test("32 candidates are taken, and no more")
    func candidateLimit() throws {
        let many = (0..<200).map { "a=candidate:\($0) 1 udp 1 192.0.2.1 \(1000 + $0) typ host\n" }.joined()
        let offer = try Offer(SessionDescription(Self.minimal + many))
        #expect(offer.transport.candidates.count == 32 && offer.transport.candidates.last?.hasPrefix("31 ") == true)
    }

    @Test("of those that nothing can be sent to none counts, so that a relayed one at the end is not cut off")
    func uselessCandidates() throws {
        let host = (0..<30).map { address in
            """
            a=candidate:\(address) 1 udp 9 192.0.2.1 \(1000 + address) typ host
            a=candidate:\(address) 2 udp 8 192.0.2.1 \(2000 + address) typ host
            a=candidate:\(address) 1 tcp 7 192.0.2.1 9 typ host tcptype active

            """
        }.joined()
        let relayed = "a=candidate:99 1 udp 1 198.51.100.1 5000 typ relay raddr 192.0.2.1 rport 1000\n"
        let offer = try Offer(SessionDescription(Self.minimal + host + relayed))
        #expect(offer.transport.candidates.last?.hasPrefix("99 ") == true)
        let fragment = "a=ice-ufrag:EsAw\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\n" + host + relayed
        #expect(try TrickleFragment(fragment).candidates.last?.hasPrefix("99 ") == true)
    }

    /// The least that is answered.
    static let minimal = """
        v=0
        o=- 1 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0
        m=video 9 UDP/TLS/RTP/SAVPF 96
        c=IN IP4 0.0.0.0
        a=ice-ufrag:abcd
        a=ice-pwd:aaaaaaaaaaaaaaaaaaaaaa
        a=fingerprint:sha-256 \(fingerprint)
        a=setup:actpass
        a=mid:0
        a=recvonly
        a=rtcp-mux
        a=rtpmap:96 H264/90000
        a=fmtp:96 packetization-mode=1;profile-level-id=42e01f

        """

    static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
}
