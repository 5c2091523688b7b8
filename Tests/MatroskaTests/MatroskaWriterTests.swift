import Matroska
import TestSupport
import Testing

@Suite("Matroska files")
struct MatroskaWriterTests {
    /// So many seconds of 25 pictures and 50 packets of sound each.
    private func recording(seconds: Int) throws -> Recording {
        let pictures = try Footage.pictures(count: seconds * 25, keyframes: [30])
        let packets = try Footage.sound(count: seconds * 50)
        var recording = try Recording(pictures[0])
        for (index, packet) in packets.enumerated() {
            if index.isMultiple(of: 2) { try recording.show(pictures[index / 2], Int64(index) * 1800) }
            try recording.hear(packet, Int64(index) * 960)
        }
        return recording
    }

    // MARK: What is in it

    @Test("both tracks say what they are: size, Opus' delay of 6.5 ms, 80 ms to settle after a seek")
    func tracks() throws {
        var recording = try recording(seconds: 1)
        try recording.finish()
        let fields = try recording.probed("stream=codec_name,width,height,sample_rate,channels")
        #expect(fields["width"] == "160" && fields["height"] == "96")
        #expect(fields["codec_name"] == "opus" && fields["sample_rate"] == "48000" && fields["channels"] == "2")
        // CodecDelay and SeekPreRoll, in nanoseconds.
        #expect(recording.contains([0x56, 0xAA, 0x83, 0x63, 0x2E, 0xA0]))
        #expect(recording.contains([0x56, 0xBB, 0x84, 0x04, 0xC4, 0xB4, 0x00]))
    }

    @Test("the file was written by screenshare with libavformat, and no tag says anything else")
    func metadata() throws {
        var recording = try recording(seconds: 1)
        try recording.finish()
        // WritingApp.
        #expect(recording.contains([0x57, 0x41, 0x80 | 11] + Array("screenshare".utf8)))
        // ffprobe's word for MuxingApp, "the library used to create the file".
        let tags = try recording.probed("format_tags:stream_tags")
        #expect(tags.keys.elementsEqual(["TAG:encoder"]) && tags["TAG:encoder"]?.hasPrefix("Lavf") == true)
    }

    @Test("pictures and sound come out whole, at their times, and decode without a complaint")
    func packets() throws {
        var recording = try recording(seconds: 4)
        try recording.finish()
        let packets = try recording.packets()
        #expect(packets.filter(\.isVideo).map(\.time) == (0..<100).map { $0 * 40 })
        #expect(packets.filter { $0.isVideo && $0.isKeyframe }.map(\.time) == [0, 1200])
        #expect(try recording.soundTimes() == (0..<200).map { $0 * 20 })
        let complaints = try recording.complaints()
        #expect(complaints == "")
        #expect(try recording.pictureSizes().count == 100)
    }

    @Test("the sound is the tone, its first sample at the file's zero")
    func sound() throws {
        var recording = try recording(seconds: 2)
        try recording.finish()
        let samples = try recording.sound()
        #expect(samples.count / 2 == 100 * 960 - 312)
        let analysis = ToneAnalysis(samples).part(from: 0.25, 1)
        #expect(abs(analysis.level(of: 400) + 6) < 0.3)
        let lag = analysis.lag(of: 400)
        #expect(min(lag, 120 - lag) < 1)
    }

    @Test("irregular times are kept to the millisecond")
    func irregular() throws {
        var generator = SeededGenerator(seed: 0x4B56)
        let pictures = try Footage.pictures(count: 60)
        let packets = try Footage.sound(count: 60)
        var recording = try Recording(pictures[0])
        var (ticks, samples): (Int64, Int64) = (0, 0)
        var (shown, heard): ([Double], [Double]) = ([], [])
        for (picture, packet) in zip(pictures, packets) {
            shown.append(Double(ticks) / 90)
            heard.append(Double(samples) / 48)
            try recording.show(picture, ticks)
            try recording.hear(packet, samples)
            ticks += Int64.random(in: 500...20_000, using: &generator)
            samples += 960 + Int64.random(in: 0...4000, using: &generator)
        }
        try recording.finish()
        let (video, sound) = (try recording.videoTimes(), try recording.soundTimes())
        #expect(video.count == 60 && zip(video, shown).allSatisfy { abs(Double($0) - $1) <= 0.5 })
        // Between them stands what fills the gaps.
        #expect(heard.allSatisfy { time in sound.contains { abs(Double($0) - time) <= 0.5 } })
        #expect(zip(sound, sound.dropFirst()).allSatisfy { 0 < $1 - $0 && $1 - $0 <= 23 })
    }

    @Test("where sound never came something stands in, so that what follows is heard in its place by any player")
    func fill() throws {
        let pictures = try Footage.pictures(count: 60)
        let packets = try Footage.sound(count: 100)
        var recording = try Recording(pictures[0])
        for (index, picture) in pictures.enumerated() { try recording.show(picture, Int64(index) * 3000) }
        for (index, packet) in packets.enumerated() where !(40..<60).contains(index) {
            try recording.hear(packet, Int64(index) * 960)
        }
        try recording.finish()
        #expect(try recording.sound().count / 2 == 100 * 960 - 312)
    }

    @Test("a new size in mid-stream decodes")
    func resize() throws {
        let small = try Footage.pictures(count: 20)
        let large = try Footage.pictures(320, 180, count: 20)
        let narrow = try Footage.pictures(96, 160, count: 20)
        var recording = try Recording(small[0])
        for (index, picture) in (small + large + narrow).enumerated() {
            try recording.show(picture, Int64(index) * 3000)
        }
        try recording.finish()
        // ffmpeg tells of the filters that it makes anew for each size.
        #expect(try recording.complaints().split(separator: "\n").allSatisfy { $0.contains("filter graph") })
        let sizes = ["160x96", "320x180", "96x160"].flatMap { Array(repeating: $0, count: 20) }
        #expect(try recording.pictureSizes() == sizes)
    }

    @Test("a file of pictures only has one track")
    func videoOnly() throws {
        let pictures = try Footage.pictures(count: 30)
        var recording = try Recording(pictures[0], hasSound: false)
        for (index, picture) in pictures.enumerated() { try recording.show(picture, Int64(index) * 3000) }
        try recording.hear(Footage.sound(count: 1)[0], 0)
        #expect(recording.chunk.isEmpty)
        try recording.finish()
        #expect(try recording.probed("format=nb_streams") == ["nb_streams": "1"])
        #expect(try recording.videoTimes().count == 30)
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("a track of sound that stays empty does no harm")
    func noSound() throws {
        let pictures = try Footage.pictures(count: 30)
        var recording = try Recording(pictures[0])
        for (index, picture) in pictures.enumerated() { try recording.show(picture, Int64(index) * 3000) }
        try recording.finish()
        #expect(try recording.probed("format=nb_streams") == ["nb_streams": "2"])
        #expect(try recording.pictureSizes().count == 30)
    }

    // MARK: As it goes

    @Test("a picture is in the file at once, with all sound before it")
    func promptness() throws {
        let pictures = try Footage.pictures(count: 25)
        let packets = try Footage.sound(count: 25)
        var recording = try Recording(pictures[0])
        for (index, (picture, packet)) in zip(pictures, packets).enumerated() {
            try recording.hear(packet, Int64(index) * 1920)
            try recording.show(picture, Int64(index) * 3600)
            let isWhole = ([packet] + picture.nalUnits).allSatisfy { recording.contains($0) }
            #expect(isWhole, "picture \(index)")
        }
    }

    @Test("sound goes on without a picture for a minute, and never half a second and a packet of it are held back")
    func soundAlone() throws {
        let pictures = try Footage.pictures(count: 2)
        let packets = try Footage.sound(count: 3000)
        var recording = try Recording(pictures[0])
        try recording.show(pictures[0], 0)
        var waiting: ArraySlice<[UInt8]> = []
        for (index, packet) in packets.enumerated() {
            try recording.hear(packet, Int64(index) * 960)
            waiting.append(packet)
            // The chunks hold the packets in order; what comes out is at the front of what waits.
            if !recording.chunk.isEmpty { waiting = waiting.suffix(1) }
            #expect(waiting.count <= 27)
        }
        try recording.flush()
        #expect(packets.dropLast().allSatisfy { recording.contains($0) })
        try recording.show(pictures[1], 60 * 90_000)
        try recording.finish()
        #expect(try recording.videoTimes() == [0, 60_000])
        #expect(try recording.soundTimes() == (0..<3000).map { $0 * 20 })
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("a still screen without sound leaves a hole, however long")
    func stillness() throws {
        let pictures = try Footage.pictures(count: 3)
        var recording = try Recording(pictures[0])
        try recording.show(pictures[0], 0)
        try recording.show(pictures[1], 90_000 * 3000)
        try recording.show(pictures[2], 90_000 * 3001)
        try recording.finish()
        #expect(try recording.videoTimes() == [0, 3_000_000, 3_001_000])
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("a file that breaks off anywhere plays up to there", arguments: [0.5, 0.77])
    func killed(share: Double) throws {
        var recording = try recording(seconds: 4)
        recording.cut(to: Int(Double(recording.file.count) * share))
        let packets = try recording.packets()
        #expect(packets.filter(\.isVideo).count > 20)
        #expect(try recording.videoTimes() == packets.filter(\.isVideo).indices.map { $0 * 40 })
        // Of the packet in which it breaks off, a reader may complain.
        #expect(try recording.pictureSizes().count >= packets.filter(\.isVideo).count - 1)
        #expect(try recording.sound().count / 2 > 20 * 960)
    }

    @Test("without its end the file has all but the latest packet of sound")
    func unfinished() throws {
        let recording = try recording(seconds: 2)
        #expect(try recording.videoTimes().count == 50)
        #expect(try recording.soundTimes().count >= 98)
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("with its corrections a file says how long it is, has an index, and is the same otherwise")
    func corrections() throws {
        var recording = try recording(seconds: 4)
        try recording.finish()
        let before = try recording.packets()
        #expect(try recording.probed("format=duration") == ["duration": "N/A"])
        let count = recording.file.count
        try recording.correct()
        #expect(recording.file.count == count)
        let duration = try #require(try recording.probed("format=duration")["duration"].flatMap(Double.init))
        #expect(abs(duration - 4) < 0.03)
        #expect(try recording.packets() == before)
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("after the end nothing is written")
    func ended() throws {
        var recording = try recording(seconds: 1)
        try recording.finish()
        let count = recording.file.count
        try recording.finish()
        try recording.flush()
        try recording.show(Footage.pictures(count: 1)[0], 900_000)
        try recording.hear(Footage.sound(count: 1)[0], 480_000)
        #expect(recording.file.count == count)
    }
}
