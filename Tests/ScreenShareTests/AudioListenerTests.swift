import AudioCodec
import Media
import RTP
import SDP
import ScreenShare
import Testing

@Suite("Which encoding of the sound a viewer gets")
struct AudioListenerTests {
    /// What an offer with these Opus parameters says, and with that bandwidth.
    private func listener(
        _ parameters: String, red: Bool = false, loss: Double = 0, bandwidth: String? = nil
    ) throws -> AudioListener {
        let offer = """
            v=0
            o=- 1 1 IN IP4 127.0.0.1
            s=-
            t=0 0
            a=group:BUNDLE 0 1
            a=ice-ufrag:abcd
            a=ice-pwd:0123456789012345678901
            a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))
            a=setup:actpass
            m=video 9 UDP/TLS/RTP/SAVPF 96
            c=IN IP4 0.0.0.0
            a=mid:0
            a=recvonly
            a=rtcp-mux
            a=rtpmap:96 H264/90000
            a=fmtp:96 packetization-mode=1;profile-level-id=42e01f
            m=audio 9 UDP/TLS/RTP/SAVPF 111\(red ? " 63" : "")
            c=IN IP4 0.0.0.0\(bandwidth.map { "\r\nb=\($0)" } ?? "")
            a=mid:1
            a=recvonly
            a=rtcp-mux
            a=rtpmap:111 opus/48000/2
            a=fmtp:111 \(parameters)
            \(red ? "a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111" : "a=maxptime:120")

            """
        let description = try SessionDescription(offer.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n"))
        var listener = AudioListener(try #require(try Offer(description).audio).opus)
        listener.loss = loss
        return listener
    }

    @Test("All who take the share's sound as it is share one encoding, whatever they lose, where copies help")
    func full() throws {
        #expect(try listener("useinbandfec=1", red: true, loss: 0.2).lane(besides: 96_000) == .full)
        #expect(try listener("maxaveragebitrate=96000").lane(besides: 96_000) == .full)
        #expect(try listener("useinbandfec=1").lane(besides: 96_000) == .full)
        #expect(try listener("minptime=10", loss: 0.2).lane(besides: 96_000) == .full)
    }

    @Test("Who takes less, or relies on in-band FEC and loses sound, gets the other; nobody else hears it")
    func careful() throws {
        let small = try listener("stereo=1;maxaveragebitrate=32000", red: true)
        let lossy = try listener("useinbandfec=1", loss: 0.083)
        #expect(small.lane(besides: 96_000) == .careful && lossy.lane(besides: 96_000) == .careful)
        let target = OpusTarget(for: [small, lossy], bitsPerSecond: 96_000)
        #expect(target.bitsPerSecond == 32_000 && target.channels == .stereo && !target.usesDTX)
        #expect(target.inBandFEC == .on && target.expectedLoss == 9)
    }

    @Test("Who takes hardly any sound makes nobody's smaller who takes more, and alone has all it asked for")
    func hardlyAny() throws {
        let little = try listener("stereo=1;maxaveragebitrate=24000"), wide = try listener("stereo=1")
        let lossy = try listener("stereo=1;useinbandfec=1", loss: 0.05)
        let all = [little, lossy, wide]
        let rate = AudioListener.bitrate(for: all, atMost: 96_000)
        #expect(all.map { $0.lane(besides: rate) } == [.narrow, .careful, .full])
        let rates = Dictionary(grouping: all) { $0.lane(besides: rate) }
            .map { OpusTarget(for: $1, lane: $0, bitsPerSecond: rate).bitsPerSecond }
        #expect(rates.sorted() == [24_000, 96_000, 96_000])
        let own = AudioListener.bitrate(for: [little], atMost: 96_000)
        #expect(own == 24_000 && little.lane(besides: own) == .full)
        #expect(OpusTarget(for: [little], bitsPerSecond: own).channels == .stereo)
    }

    @Test("The bandwidth of sound's section bounds it as `maxaveragebitrate` does, and the lower of both counts")
    func bandwidth() throws {
        for (bandwidth, parameters, most) in [
            ("AS:64", "stereo=1", 44_800), ("TIAS:40000", "stereo=1", 40_000), ("AS:64", "maxaveragebitrate=510000", 44_800),
            ("TIAS:40000", "maxaveragebitrate=32000", 32_000),
        ] {
            let bounded = try listener(parameters, bandwidth: bandwidth)
            #expect(bounded.maximumBitrate == most)
            #expect(OpusTarget(for: [bounded], bitsPerSecond: 96_000).bitsPerSecond == most)
        }
        #expect(try listener("stereo=1").maximumBitrate == nil)
    }

    @Test("Copies need room: who takes less than two and a half times the sound's bit rate relies on in-band FEC, RED or not")
    func withoutRoom() throws {
        for (limit, lane) in [(96_000, AudioLane.careful), (192_000, .careful), (239_999, .careful), (240_000, .full)] {
            let lossy = try listener("useinbandfec=1;maxaveragebitrate=\(limit)", red: true, loss: 0.1)
            #expect(lossy.lane(besides: 96_000) == lane)
            let hasFEC = OpusTarget(for: [lossy], bitsPerSecond: 96_000).inBandFEC == .on
            #expect(hasFEC == (lane == .careful))
        }
        #expect(try listener("useinbandfec=1;maxaveragebitrate=128000", red: true).lane(besides: 96_000) == .full)
        #expect(try listener("maxaveragebitrate=128000", red: true, loss: 0.1).lane(besides: 96_000) == .full)
        let narrow = try listener("useinbandfec=1;maxaveragebitrate=64000", red: true, loss: 0.1)
        #expect(OpusTarget(for: [narrow], lane: .narrow, bitsPerSecond: 96_000).inBandFEC == .off)
    }

    @Test("Whose path takes hardly more than sound gets little of it, whatever else it asked for")
    func narrow() throws {
        var listener = try listener("stereo=1;useinbandfec=1", loss: 0.6)
        listener.room = 24_000
        #expect(listener.lane(besides: 96_000) == .narrow)
        let target = OpusTarget(for: [listener], lane: .narrow, bitsPerSecond: 96_000)
        #expect(target.bitsPerSecond == 24_000 && target.channels == .mono)
        #expect(target.inBandFEC == .on && target.expectedLoss == 25)
        #expect(OpusTarget(for: [listener], lane: .narrow, bitsPerSecond: 16_000).bitsPerSecond == 16_000)
    }

    /// One whose path has so much room.
    private func listener(room: Int, _ parameters: String = "stereo=1", red: Bool = true) throws -> AudioListener {
        var listener = try listener(parameters, red: red)
        listener.room = room
        return listener
    }

    @Test("The share's own sound follows the widest path, which one encoding serves")
    func followsThePath() throws {
        let alone = try listener(room: 48_000)
        let rate = AudioListener.bitrate(for: [alone], atMost: 96_000)
        #expect(rate == 48_000 && alone.lane(besides: rate) == .full)
        #expect(OpusTarget(for: [alone], bitsPerSecond: rate).bitsPerSecond == 48_000)
        #expect(try AudioListener.bitrate(for: [alone, listener(room: 64_000)], atMost: 96_000) == 64_000)
        #expect(try AudioListener.bitrate(for: [alone, listener(room: .max)], atMost: 96_000) == 96_000)
        #expect(try AudioListener.bitrate(for: [listener(room: 128_000)], atMost: 96_000) == 96_000)
        #expect(AudioListener.bitrate(for: [], atMost: 96_000) == 96_000)
    }

    @Test("A wide path of who takes little sound anyway makes no other's sound smaller")
    func boundedOnWidePath() throws {
        let bounded = try listener(room: .max, "maxaveragebitrate=16000"), small = try listener(room: 48_000)
        let rate = AudioListener.bitrate(for: [bounded, small], atMost: 96_000)
        #expect([bounded, small].map { $0.lane(besides: rate) } == [.narrow, .full])
        #expect(OpusTarget(for: [small], bitsPerSecond: rate).bitsPerSecond == 48_000)
    }

    @Test("Nor does one with hardly room for sound make that of who bounds it smaller")
    func boundedBesideNarrow() throws {
        let bounded = try listener(room: .max, "maxaveragebitrate=64000"), narrow = try listener(room: 24_000)
        let rate = AudioListener.bitrate(for: [bounded, narrow], atMost: 96_000)
        #expect([bounded, narrow].map { $0.lane(besides: rate) } == [.full, .narrow])
        #expect(OpusTarget(for: [bounded], bitsPerSecond: rate).bitsPerSecond == 64_000)
    }

    @Test("Whose path has less room than the widest gets another encoding, and holds back nobody who has more")
    func lessRoom() throws {
        let wide = try listener(room: .max), middle = try listener(room: 64_000), small = try listener(room: 48_000)
        let narrow = try listener(room: 24_000)
        let rate = AudioListener.bitrate(for: [wide, middle, small, narrow], atMost: 96_000)
        #expect([wide, middle, small, narrow].map { $0.lane(besides: rate) } == [.full, .careful, .careful, .narrow])
        #expect(OpusTarget(for: [wide], bitsPerSecond: rate).bitsPerSecond == 96_000)
        let careful = OpusTarget(for: [middle, small], lane: .careful, bitsPerSecond: rate)
        #expect(careful.bitsPerSecond == 48_000 && careful.channels == .stereo)
        let bounded = try listener(room: 48_000, "maxaveragebitrate=32000")
        #expect(OpusTarget(for: [bounded], lane: .careful, bitsPerSecond: rate).bitsPerSecond == 32_000)
    }

    @Test("Where sound has less, copies find room sooner than in-band FEC is needed")
    func copiesOfLess() throws {
        var lossy = try listener(room: 48_000, "useinbandfec=1;maxaveragebitrate=128000")
        lossy.loss = 0.1
        #expect(lossy.lane(besides: 96_000) == .careful)
        #expect(OpusTarget(for: [lossy], lane: .careful, bitsPerSecond: 96_000).inBandFEC == .off)
        lossy.room = .max
        #expect(OpusTarget(for: [lossy], lane: .careful, bitsPerSecond: 96_000).inBandFEC == .on)
    }

    @Test("Silence is left out only where all of an encoding's listeners prefer that")
    func silence() throws {
        let ours = try listener("stereo=1;usedtx=1", red: true)
        #expect(OpusTarget(for: [ours], bitsPerSecond: 96_000).usesDTX)
        #expect(!OpusTarget(for: [ours, try listener("stereo=1")], bitsPerSecond: 96_000).usesDTX)
    }

    @Test("Where nobody prefers stereo, one channel is sent; absurd limits are bounded")
    func bounds() throws {
        #expect(OpusTarget(for: [try listener("useinbandfec=1")], bitsPerSecond: 96_000).channels == .mono)
        #expect(OpusTarget(for: [try listener("maxaveragebitrate=1")], bitsPerSecond: 96_000).bitsPerSecond == 6_000)
    }

    @Test("Sound takes an eighth of the share's bit rate, between 16 kbit/s and its own limit")
    func share() {
        #expect(SoundRoom.share(of: 4_000_000, atMost: 96_000) == 96_000)
        #expect(SoundRoom.share(of: 300_000, atMost: 96_000) == 37_500)
        #expect(SoundRoom.share(of: 100_000, atMost: 96_000) == 16_000)
    }
}
