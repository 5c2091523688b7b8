import Media
import Testing
import Timebase
import VideoCodec

@Suite("Presets")
struct PresetTests {
    private static let size = PixelSize(width: 640, height: 360)

    @Test(
        "an encoder goes down to every preset below its own and back, from picture to picture, and all decodes",
        arguments: [X264Configuration.Preset.minimal, .ultrafast, .veryfast, .medium],
        [X264Configuration.Profile.constrainedBaseline, .high])
    func steps(preset: X264Configuration.Preset, profile: X264Configuration.Profile) throws {
        var configuration = X264Configuration.small(640, 360)
        configuration.preset = preset
        configuration.profile = profile
        configuration.references = 3
        let scene = Scene(Self.size, .film)
        var recording = try Recording(configuration)
        let down = preset.steps
        for (index, step) in (down + down.reversed()).enumerated() {
            recording.encoder.preset = step
            for frame in 0..<4 {
                scene.draw(4 * index + frame)
                try recording.encode(scene.picture, bitsPerSecond: 4_000_000)
            }
        }
        #expect(recording.units.filter(\.isKeyframe).count == 1)
        let decoded = try recording.decoded()
        #expect(decoded.count == recording.units.count)
        #expect(similarity(try #require(decoded.last), scene.picture.luma) > 30)
    }

    @Test("a larger preset makes the same film smaller, and going down undoes it")
    func worth() throws {
        func bytes(_ preset: X264Configuration.Preset, _ step: X264Configuration.Preset) throws -> Int {
            var configuration = X264Configuration.small(640, 360)
            configuration.preset = preset
            let scene = Scene(Self.size, .text(scroll: 3))
            let encoder = try X264Encoder(configuration)
            encoder.preset = step
            var total = 0
            for frame in 0..<30 {
                scene.draw(frame)
                let unit = try encoder.encode(
                    scene.picture, damage: PixelRect(Self.size), mediaTime: MediaTime(ticks: Int64(3000 * frame)),
                    capturedAt: .zero, target: SendTarget(bitsPerSecond: 50_000_000, frameRate: .fps30))
                total += unit?.bytes.count ?? 0
            }
            return total
        }
        let plain = try bytes(.minimal, .minimal)
        #expect(try bytes(.ultrafast, .ultrafast) < plain)
        #expect(try bytes(.ultrafast, .minimal) == plain)
    }
}
