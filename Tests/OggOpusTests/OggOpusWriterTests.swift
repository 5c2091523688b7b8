import OggOpus
import RTP
import TestSupport
import Testing

@Suite("Ogg Opus files")
struct OggOpusWriterTests {
    /// A recording of packets in a row, from a timestamp on.
    private func recording(_ packets: [[UInt8]], from start: Int64 = 0, origin: Int64? = nil) throws -> Recording {
        var recording = Recording(origin: origin)
        for (index, packet) in packets.enumerated() { try recording.append(packet, start + Int64(index) * 960) }
        recording.finish()
        return recording
    }

    @Test("the headers are those of RFC 7845")
    func headers() throws {
        let pages = try #require(OggPage.pages(Recording(preSkip: 312).file))
        #expect(pages.count == 2 && pages.allSatisfy { $0.granule == 0 && $0.serial == 0x5EED })
        #expect(pages[0].isFirst && !pages[1].isFirst)
        let head: [UInt8] = Array("OpusHead".utf8) + [1, 2, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0, 0, 0]
        #expect(pages[0].packets == [head])
        let tags: [UInt8] = Array("OpusTags".utf8) + [11, 0, 0, 0] + Array("screenshare".utf8) + [0, 0, 0, 0]
        #expect(pages[1].packets == [tags])
    }

    @Test("packets come out as they went in, the file's end is marked, and granules count samples")
    func packets() throws {
        let packets = try Recording.packets(count: 130)
        let pages = try #require(OggPage.pages(recording(packets, from: 77_777).file)).dropFirst(2)
        #expect(pages.flatMap(\.packets) == packets)
        #expect(pages.map(\.isLast) == pages.indices.map { $0 == pages.indices.last })
        #expect(try #require(pages.last).granule == 130 * 960)
        var granule: Int64 = 0
        for page in pages {
            granule += Int64(page.packets.count) * 960
            #expect(page.granule == granule)
        }
        #expect(pages.map(\.number) == Array(2..<UInt32(2 + pages.count)))
    }

    @Test(
        "decoded by opusdec and ffmpeg, the sound is the tone, from the first sample on",
        arguments: Recording.Decoder.allCases)
    func sound(decoder: Recording.Decoder) throws {
        let recording = try recording(Recording.packets(Tone(400, level: -6), count: 100))
        let samples = try recording.decoded(by: decoder)
        // All but what the encoder looked ahead.
        #expect(samples.count / 2 == 100 * 960 - 312)
        let analysis = ToneAnalysis(samples).part(from: 0.25, 1)
        #expect(abs(analysis.level(of: 400) + 6) < 0.3)
        let lag = analysis.lag(of: 400)
        #expect(min(lag, 120 - lag) < 1)
    }

    @Test("ffprobe and opusinfo find nothing wrong")
    func judged() throws {
        let recording = try recording(Recording.packets(count: 250))
        let fields = try recording.probed("stream=codec_name,channels,sample_rate,duration,start_time")
        #expect(fields["codec_name"] == "opus" && fields["channels"] == "2" && fields["sample_rate"] == "48000")
        #expect(abs(try #require(fields["duration"].flatMap(Double.init)) - 5) < 0.02)
        #expect(abs(try #require(fields["start_time"].flatMap(Double.init))) < 0.02)
        #expect(try recording.complaints().isEmpty)
    }

    @Test("a file that breaks off plays up to its last second")
    func killed() throws {
        let packets = try Recording.packets(count: 500)
        var recording = Recording()
        for (index, packet) in packets.enumerated() {
            try recording.append(packet, Int64(index) * 960)
            let pages = try #require(OggPage.pages(recording.file))
            let written = pages.dropFirst(2).reduce(0) { $0 + $1.packets.count }
            #expect(index - written <= 51)
        }
        #expect(recording.chunks.allSatisfy { OggPage.pages($0) != nil })
        let duration = try #require(try recording.probed("format=duration")["duration"].flatMap(Double.init))
        #expect(8.9...10 ~= duration)
        let samples = try recording.decoded(by: .opusdec)
        #expect(abs(ToneAnalysis(samples).part(from: 8, 0.8).level(of: 1000) + 6) < 0.3)
    }

    @Test("a flush leaves nothing behind but the latest packet")
    func flush() throws {
        var recording = Recording()
        for (index, packet) in try Recording.packets(count: 7).enumerated() {
            try recording.append(packet, Int64(index) * 960)
        }
        recording.flush()
        let pages = try #require(OggPage.pages(recording.file)).dropFirst(2)
        #expect(pages.flatMap(\.packets).count == 6)
        recording.flush()
        recording.finish()
        let all = try #require(OggPage.pages(recording.file)).dropFirst(2)
        #expect(all.flatMap(\.packets).count == 7 && all.last?.isLast == true)
    }

    // MARK: Gaps

    /// A second of tone, half a second of nothing, a second of tone.
    private func interrupted() throws -> Recording {
        let packets = try Recording.packets(count: 125)
        var recording = Recording()
        for (index, packet) in packets.enumerated() where !(50..<75).contains(index) {
            try recording.append(packet, 1_000_000 + Int64(index) * 960)
        }
        recording.finish()
        return recording
    }

    @Test("what follows a gap is heard at its time", arguments: Recording.Decoder.allCases)
    func gap(decoder: Recording.Decoder) throws {
        let samples = try interrupted().decoded(by: decoder)
        #expect(abs(samples.count / 2 - (125 * 960 - 312)) < 960)
        let sound = ToneAnalysis(samples)
        #expect(abs(sound.part(from: 0.5, 0.45).level(of: 1000) + 6) < 0.5)
        #expect(sound.part(from: 1.3, 0.15).level(of: 1000) < -14)
        let after = sound.part(from: 1.55, 0.9)
        #expect(abs(after.level(of: 1000) + 6) < 0.5)
        // In step to the sample: 1.55 s are whole periods.
        let lag = after.lag(of: 1000)
        #expect(min(lag, 48 - lag) < 0.5)
    }

    @Test("a gap is made of packets of one byte like those before, and ffprobe sees no jump")
    func gapPackets() throws {
        let recording = try interrupted()
        let pages = try #require(OggPage.pages(recording.file)).dropFirst(2)
        let silent = pages.flatMap(\.packets)[50..<75]
        #expect(silent.allSatisfy { $0.count == 1 && $0[0] & 3 == 0 })
        #expect(try silent.allSatisfy { try OpusPacket($0).samples == 960 })
        #expect(try #require(pages.last).granule == 125 * 960)
        let times = try recording.packetTimes()
        #expect(times.count == 125)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.02) < 0.002 })
        #expect(try recording.complaints().isEmpty)
    }

    @Test(
        "a gap of any length is filled to 2.5 ms, and rests do not add up",
        arguments: [120, 240, 480, 960, 1080, 2400, 4800, 48_000, 121, 959, 1441, 5000] as [Int64])
    func gapLengths(gap: Int64) throws {
        let packets = try Recording.packets(count: 40)
        var recording = Recording()
        for (index, packet) in packets.enumerated() {
            let timestamp = Int64(index) * (960 + gap)
            try recording.append(packet, timestamp)
            #expect(0..<120 ~= timestamp + 960 - (try #require(recording.writer.end)))
        }
        recording.finish()
        let written = try #require(OggPage.pages(recording.file)).dropFirst(2).flatMap(\.packets)
        #expect(try written.reduce(0) { try $0 + OpusPacket($1).samples } == Int(try #require(recording.writer.end)))
    }

    @Test(
        "gaps after speech are filled in its own mode, and what is shorter by CELT",
        arguments: [9, 11, 13, 1, 5] as [UInt8])
    func speechGaps(configuration: UInt8) throws {
        let packet = [configuration << 3, 1, 2, 3, 4, 5, 6, 7]
        let samples = Int64(try OpusPacket(packet).samples)
        var recording = Recording()
        try recording.append(packet, 0)
        try recording.append(packet, 2 * samples + 1560)
        recording.finish()
        let packets = try #require(OggPage.pages(recording.file)).dropFirst(2).flatMap(\.packets).map {
            try OpusPacket($0)
        }
        let silent = packets.dropFirst().dropLast()
        #expect(silent.allSatisfy { $0.isEmpty })
        #expect(silent.reduce(0) { $0 + $1.samples } == Int(samples) + 1560)
        #expect(silent.first?.toc.byte == configuration << 3)
        // Mediumband is SILK's alone.
        let bandwidth = packets[0].toc.bandwidth == .mediumband ? .wideband : packets[0].toc.bandwidth
        #expect(silent.contains { $0.toc.mode == .celt })
        #expect(silent.allSatisfy { $0.toc.mode != .celt || $0.toc.bandwidth == bandwidth })
    }

    // MARK: The file's zero

    @Test("sound that begins late is heard late", arguments: Recording.Decoder.allCases)
    func lateStart(decoder: Recording.Decoder) throws {
        let packets = try Recording.packets(count: 50)
        // 0.7 s and a bit after the file's zero.
        let recording = try recording(packets, from: 500_000 + 33_650, origin: 500_000)
        let samples = try recording.decoded(by: decoder)
        #expect(abs(samples.count / 2 - (33_600 + 48_000 - 312)) < 960)
        #expect(ToneAnalysis(samples).part(from: 0, 0.69).peak < -80)
        #expect(abs(ToneAnalysis(samples).part(from: 0.75, 0.9).level(of: 1000) + 6) < 0.3)
        let first = stride(from: 0, to: samples.count, by: 2).first { abs(samples[$0]) > 0.1 }
        // FFmpeg's own decoder fades in over a packet.
        #expect(0..<960 ~= (try #require(first)) / 2 - 33_600)
    }

    @Test("ffprobe tells the late start's duration, and finds packets from zero on")
    func lateDuration() throws {
        let recording = try recording(Recording.packets(count: 50), from: 96_000, origin: 0)
        let duration = try #require(try recording.probed("format=duration")["duration"].flatMap(Double.init))
        #expect(abs(duration - 3) < 0.02)
        #expect(abs(try #require(try recording.packetTimes().first)) < 0.02)
    }

    @Test("sound from before the file's zero is left out")
    func earlyStart() throws {
        var recording = Recording(origin: 10_000)
        for (index, packet) in try Recording.packets(count: 20).enumerated() {
            try recording.append(packet, 10_000 - 9600 + Int64(index) * 960)
        }
        recording.finish()
        #expect(try #require(OggPage.pages(recording.file)).last?.granule == 10 * 960)
    }

    @Test("a silence can be filled while it lasts, and a file without sound is silent")
    func filling() throws {
        var recording = Recording(origin: 0)
        for second in 1...3 { recording.fill(to: Int64(second) * 48_000) }
        #expect(recording.writer.end == 144_000)
        let packets = try Recording.packets(count: 10)
        try recording.append(packets[0], 143_000)
        #expect(recording.writer.end == 144_000)
        try recording.append(packets[1], 144_000)
        #expect(recording.writer.end == 144_960)
        recording.finish()
        let samples = try recording.decoded(by: .opusdec)
        #expect(abs(samples.count / 2 - 144_960 + 312) < 960)
        #expect(try recording.complaints().isEmpty)
    }

    // MARK: Strange clocks

    @Test("repeated and late packets are left out")
    func late() throws {
        let packets = try Recording.packets(count: 20)
        var recording = Recording()
        for (index, packet) in packets.enumerated() {
            try recording.append(packet, Int64(index) * 960)
            try recording.append(packet, Int64(index) * 960)
            try recording.append(packet, Int64(max(0, index - 5)) * 960)
        }
        recording.finish()
        #expect(try #require(OggPage.pages(recording.file)).dropFirst(2).flatMap(\.packets) == packets)
    }

    @Test(
        "a clock that began anew goes on where the file ends",
        arguments: [-1_000_000, 3600 * 48_000 + 2000, .max, .min, 1 << 40] as [Int64])
    func restart(jump: Int64) throws {
        let packets = try Recording.packets(count: 20)
        var recording = Recording()
        for (index, packet) in packets.enumerated() {
            let timestamp = Int64(index) * 960
            try recording.append(packet, index < 10 ? timestamp : jump.addingReportingOverflow(timestamp).partialValue)
        }
        recording.finish()
        let written = try #require(OggPage.pages(recording.file)).dropFirst(2).flatMap(\.packets)
        #expect(10...20 ~= written.count)
        if jump > 0, jump < .max { #expect(written == packets) }
    }

    @Test("a long gap is concealed for half a second, then silent", arguments: Recording.Decoder.allCases)
    func longGap(decoder: Recording.Decoder) throws {
        let packets = try Recording.packets(count: 100)
        var recording = Recording()
        for (index, packet) in packets.enumerated() {
            try recording.append(packet, Int64(index < 50 ? index : index + 200) * 960)
            if index == 49 { for step in 1...20 { recording.fill(to: 48_000 + Int64(step) * 9600) } }
        }
        recording.finish()
        let written = try #require(OggPage.pages(recording.file)).dropFirst(2).flatMap(\.packets)
        #expect(written.count { $0.count == 1 } == 25 && written.count { $0.count == 3 } == 175)
        let sound = ToneAnalysis(try recording.decoded(by: decoder))
        #expect(sound.part(from: 1.6, 3.38).peak < -80)
        #expect(abs(sound.part(from: 5.05, 0.9).level(of: 1000) + 6) < 0.5)
    }

    @Test("an hour of nothing takes less than a megabyte")
    func hour() throws {
        let packets = try Recording.packets(count: 2)
        var recording = Recording()
        try recording.append(packets[0], 0)
        try recording.append(packets[1], 3600 * 48_000)
        recording.finish()
        #expect(recording.file.count < 1_000_000)
        #expect(try #require(OggPage.pages(recording.file)).last?.granule == 3600 * 48_000 + 960)
    }

    @Test("what is no Opus packet is refused and leaves the file as it was")
    func malformed() throws {
        var recording = Recording()
        let packets = try Recording.packets(count: 2)
        try recording.append(packets[0], 0)
        #expect(throws: OpusPacketError.truncated) { try recording.writer.append([], timestamp: 960) }
        #expect(throws: OpusPacketError.frameCount) { try recording.writer.append([0xFF, 0], timestamp: 960) }
        try recording.append(packets[1], 960)
        recording.finish()
        #expect(try #require(OggPage.pages(recording.file)).dropFirst(2).flatMap(\.packets) == packets)
    }

    @Test("packets of 10 and 60 ms, mono and stereo, may follow each other")
    func mixedPackets() throws {
        var recording = Recording()
        var timestamp: Int64 = 0
        for packet in [[30 << 3, 1, 2], [11 << 3, 1, 2, 3], [31 << 3 | 4, 9], [28 << 3 | 4 | 3, 48]] as [[UInt8]] {
            try recording.append(packet, timestamp)
            timestamp += Int64(try OpusPacket(packet).samples)
        }
        recording.finish()
        #expect(try #require(OggPage.pages(recording.file)).last?.granule == timestamp)
        #expect(timestamp == 480 + 2880 + 960 + 5760)
    }
}
