import Media
import Testing
import Timebase
import VideoCodec

@Suite("x264 stream")
struct StreamTests {
    @Test("a keyframe is SPS, PPS and IDR without start codes; nothing else is ever sent")
    func headers() throws {
        let scene = Scene(PixelSize(width: 320, height: 180), .text(scroll: 3))
        var recording = try Recording(.small())
        for frame in 0..<12 {
            scene.draw(frame)
            try recording.encode(scene.picture, bitsPerSecond: 4_000_000, needsKeyframe: frame == 7)
        }
        #expect(recording.units.map(\.isKeyframe) == (0..<12).map { $0 == 0 || $0 == 7 })
        for unit in recording.units {
            #expect(unit.types == (unit.isKeyframe ? [7, 8, 5] : [1]))
            #expect(unit.isReference)
            #expect(unit.nalUnits.first?.lowerBound == 0 && unit.nalUnits.last?.upperBound == unit.bytes.count)
            #expect(zip(unit.nalUnits, unit.nalUnits.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
            #expect(!unit.bytes.starts(with: [0, 0]))
        }
        let sps = recording.units[0].bytes
        // profile_idc 66, constraint_set0 and 1, level_idc by the size: 320x180 at 30 fps and 4 Mbit/s.
        #expect(sps[1] == 66 && sps[2] & 0xC0 == 0xC0 && sps[3] == 21)
        #expect(recording.encoder.level.identifier == 21)
    }

    @Test(
        "the VUI tells colours, range, chroma place and frame rate; decoders need not delay",
        arguments: [(FrameRate.fps30, "30/1"), (.fps24, "24/1"), (FrameRate(24_000, per: 1001), "24000/1001")])
    func usability(rate: FrameRate, text: String) throws {
        var configuration = X264Configuration.small(1280, 720)
        configuration.frameRate = rate
        let scene = Scene(configuration.size, .text(scroll: 4))
        var recording = try Recording(configuration)
        for frame in 0..<3 {
            scene.draw(frame)
            try recording.encode(scene.picture, bitsPerSecond: 4_000_000)
        }
        let fields = try recording.probed()
        #expect(fields["profile"] == "Constrained Baseline")
        #expect(fields["level"] == "31")
        #expect(fields["has_b_frames"] == "0")
        #expect(fields["color_range"] == "tv")
        #expect(fields["color_space"] == "bt709")
        #expect(fields["color_primaries"] == "bt709")
        #expect(fields["color_transfer"] == "bt709")
        #expect(fields["chroma_location"] == "center")
        #expect(fields["r_frame_rate"] == text)
        #expect(fields["width"] == "1280" && fields["height"] == "720")
    }

    @Test("the high profile is written as such and decodes alike")
    func high() throws {
        var configuration = X264Configuration.small()
        configuration.profile = .high
        let scene = Scene(configuration.size, .text(scroll: 2))
        var recording = try Recording(configuration)
        for frame in 0..<10 {
            scene.draw(frame)
            try recording.encode(scene.picture, bitsPerSecond: 4_000_000)
        }
        #expect(try recording.probed()["profile"] == "High")
        let decoded = try recording.decoded()
        #expect(decoded.count == 10)
        #expect(similarity(try #require(decoded.last), scene.picture.luma) > 36)
    }

    @Test(
        "every picture decodes, in order and without delay",
        arguments: [X264Configuration.Preset.ultrafast, .veryfast])
    func pictures(preset: X264Configuration.Preset) throws {
        var configuration = X264Configuration.small()
        configuration.preset = preset
        configuration.references = 3
        let scene = Scene(configuration.size, .film)
        var recording = try Recording(configuration)
        var originals: [[UInt8]] = []
        for frame in 0..<40 {
            scene.draw(frame)
            originals.append(scene.picture.luma)
            let unit = try recording.encode(
                scene.picture, bitsPerSecond: 4_000_000, needsKeyframe: frame == 20)
            #expect(unit != nil)
        }
        let decoded = try recording.decoded()
        #expect(decoded.count == 40)
        for (original, picture) in zip(originals, decoded) { #expect(similarity(original, picture) > 30) }
    }

    @Test(
        "packetization-mode 0: no NAL unit is larger than a packet takes",
        arguments: [Scene.Content.noise, .text(scroll: 5)])
    func smallSlices(content: Scene.Content) throws {
        var configuration = X264Configuration.small(640, 360, maximum: 20_000_000)
        configuration.slices = .fitting(payload: 1200)
        let scene = Scene(configuration.size, content)
        var recording = try Recording(configuration)
        for frame in 0..<8 {
            scene.draw(frame)
            try recording.encode(scene.picture, bitsPerSecond: 20_000_000, needsKeyframe: frame == 4)
        }
        let sizes = recording.units.flatMap { $0.nalUnits.map(\.count) }
        #expect((sizes.max() ?? 9999) <= 1200)
        #expect(recording.units[0].nalUnits.count > 10)
        #expect(try recording.decoded().count == recording.units.count)
    }

    @Test("two encoders in one process do not mind each other")
    func twoEncoders() throws {
        let text = Scene(PixelSize(width: 320, height: 180), .text(scroll: 3))
        let film = Scene(PixelSize(width: 400, height: 226), .film)
        var first = try Recording(.small())
        var second = try Recording(.small(400, 226))
        var alone = try Recording(.small())
        for frame in 0..<15 {
            text.draw(frame)
            film.draw(frame)
            try first.encode(text.picture, bitsPerSecond: 2_000_000)
            try second.encode(film.picture, bitsPerSecond: 3_000_000)
        }
        let again = Scene(PixelSize(width: 320, height: 180), .text(scroll: 3))
        for frame in 0..<15 {
            again.draw(frame)
            try alone.encode(again.picture, bitsPerSecond: 2_000_000)
        }
        #expect(first.annexB == alone.annexB)
        #expect(try second.decoded().count == second.units.count)
    }

    @Test("what can't be encoded is refused with a reason")
    func refusals() throws {
        var odd = X264Configuration.small(321, 180)
        #expect(throws: CodecError.self) { try X264Encoder(odd) }
        odd.size = PixelSize(width: 0, height: 0)
        #expect(throws: CodecError.self) { try X264Encoder(odd) }
        odd.size = PixelSize(width: 16_384, height: 16_384)
        #expect(throws: CodecError.self) { try X264Encoder(odd) }
        for change: (inout X264Configuration) -> Void in [
            { $0.references = 0 }, { $0.references = 17 }, { $0.threads = 0 }, { $0.maximumBitsPerSecond = 0 },
            { $0.maximumBitsPerSecond = .max }, { $0.frameRate = FrameRate(1, per: 2) },
            { $0.frameRate = FrameRate(1000) }, { $0.slices = .fitting(payload: 100) },
        ] {
            var configuration = X264Configuration.small()
            change(&configuration)
            #expect(throws: CodecError.self) { try X264Encoder(configuration) }
        }
        var recording = try Recording(.small())
        let other = I420Picture(size: PixelSize(width: 322, height: 180))
        #expect(throws: CodecError.self) { try recording.encode(other, bitsPerSecond: 1_000_000) }
        let picture = I420Picture(size: PixelSize(width: 320, height: 180))
        for bits in [0, -1, .max] {
            #expect(throws: CodecError.self) { try recording.encode(picture, bitsPerSecond: bits) }
        }
        #expect(try recording.encode(picture, bitsPerSecond: 1_000_000) != nil)
    }
}
