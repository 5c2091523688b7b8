import Media
import Testing
import Timebase
import VideoCodec

@Suite("x264 rate")
struct RateTests {
    private static let size = PixelSize(width: 640, height: 360)
    /// What may be under way at once: eight frames up to 2 Mbit/s, then the same bits, four frames from 4 Mbit/s on.
    private func bucket(_ bits: Int) -> Int { max(bits * 4 / 30, min(bits * 8 / 30, 533_333)) }

    /// The most bits within any second, frames that were not encoded counting as empty.
    private func worstSecond(_ sizes: [Int]) -> Int {
        sizes.indices.map { sizes[$0..<min(sizes.count, $0 + 30)].reduce(0, +) * 8 }.max() ?? 0
    }

    @Test(
        "no second holds more than the target and one bucket",
        arguments: [
            (Scene.Content.text(scroll: 4), 1_000_000), (.text(scroll: 90), 1_000_000), (.film, 700_000),
            (.noise, 2_000_000), (.film, 4_000_000),
        ])
    func cap(content: Scene.Content, bits: Int) throws {
        let scene = Scene(Self.size, content)
        var recording = try Recording(.small(640, 360))
        var sizes: [Int] = []
        for frame in 0..<90 {
            scene.draw(frame)
            sizes.append(try recording.encode(scene.picture, bitsPerSecond: bits)?.bytes.count ?? 0)
        }
        #expect(worstSecond(sizes) <= bits * 115 / 100 + bucket(bits))
        #expect(sizes.filter { $0 > 0 }.count > 8)
    }

    @Test(
        "where sharpness comes first pictures become fewer before they become coarse, and every fourth leaves",
        arguments: [(Scene.Content.film, 150_000), (.text(scroll: 30), 800_000)])
    func sharpness(content: Scene.Content, bitsPerSecond: Int) throws {
        func made(favoursSharpness: Bool) throws -> (quantiser: Double, longestPause: Int, pictures: Int, bits: Int) {
            let scene = Scene(Self.size, content)
            var recording = try Recording(.small(640, 360))
            var units: [(frame: Int, unit: EncodedUnit)] = []
            for frame in 0..<120 {
                scene.draw(frame)
                let unit = try recording.encode(scene.picture, bitsPerSecond: bitsPerSecond, favoursSharpness: favoursSharpness)
                if let unit, frame >= 30 { units.append((frame, unit)) }
            }
            let pauses = zip(units, units.dropFirst()).map { $1.frame - $0.frame }
            let quantisers = units.map(\.unit.quantiser)
            return (
                quantisers.reduce(0, +) / Double(quantisers.count), pauses.max() ?? 0, units.count,
                units.reduce(0) { $0 + $1.unit.bytes.count * 8 }
            )
        }
        let (smooth, sharp) = (try made(favoursSharpness: false), try made(favoursSharpness: true))
        #expect(smooth.longestPause == 1 && sharp.longestPause <= 4, "\(smooth), \(sharp)")
        #expect(sharp.quantiser < smooth.quantiser - 3, "\(smooth), \(sharp)")
        #expect(sharp.pictures < smooth.pictures && sharp.bits < smooth.bits * 12 / 10, "\(smooth), \(sharp)")
    }

    @Test("the target takes effect with the next pictures, without a keyframe")
    func change() throws {
        let scene = Scene(Self.size, .film)
        var recording = try Recording(.small(640, 360))
        var totals: [Int] = []
        for bits in [3_000_000, 600_000, 3_000_000] {
            var total = 0
            for frame in 0..<60 {
                scene.draw(totals.count * 60 + frame)
                let unit = try recording.encode(scene.picture, bitsPerSecond: bits)
                // The first half settles.
                if frame >= 30 { total += (unit?.bytes.count ?? 0) * 8 }
            }
            totals.append(total)
        }
        #expect(recording.units.filter(\.isKeyframe).count == 1)
        #expect(totals[1] < 700_000 && totals[1] > 300_000)
        #expect(totals[0] > 2 * totals[1] && totals[2] > 2 * totals[1])
        #expect(try recording.decoded().count == recording.units.count)
    }

    @Test("a page comes legible at once, and is refined until it is sharp")
    func refinement() throws {
        let scene = Scene(PixelSize(width: 1280, height: 720), .text(scroll: 1))
        var recording = try Recording(.small(1280, 720))
        let first = try #require(try recording.encode(scene.picture, bitsPerSecond: 1_000_000))
        #expect(first.quantiser <= 44 && first.quantiser > 26)
        var quantisers = [first.quantiser]
        var calls = 0
        while let last = quantisers.last, last > 27, calls < 90 {
            calls += 1
            if let unit = try recording.encode(scene.picture, damage: .nothing, bitsPerSecond: 1_000_000) {
                #expect(unit.quantiser < last)
                quantisers.append(unit.quantiser)
            }
        }
        #expect(try #require(quantisers.last) <= 27)
        #expect(quantisers.count <= 9)
        let decoded = try recording.decoded()
        #expect(structuralSimilarity(try #require(decoded.last), scene.picture.luma, width: 1280) > 0.988)
    }

    @Test("a small change of a sharp picture is sharp at once, and small")
    func typing() throws {
        let size = PixelSize(width: 1280, height: 720)
        let scene = Scene(size, .text(scroll: 1))
        var recording = try Recording(.small(1280, 720))
        for _ in 0..<120 {
            let last = recording.units.last?.quantiser ?? 51
            guard last > 26 else { break }
            try recording.encode(
                scene.picture, damage: recording.units.isEmpty ? nil : .nothing, bitsPerSecond: 4_000_000)
        }
        for key in 0..<10 {
            let area = PixelRect(x: 600 + 12 * key, y: 300, width: 10, height: 14)
            scene.picture.withPlanes { luma, _, _ in
                for y in area.y..<area.maxY {
                    for x in area.x..<area.maxX { luma[y * scene.picture.lumaStride + x] = UInt8(16 + (x * y) % 200) }
                }
            }
            let unit = try #require(
                try recording.encode(scene.picture, damage: area, bitsPerSecond: 4_000_000, after: 11_000))
            #expect(unit.quantiser == 26)
            #expect(unit.bytes.count < 1500)
        }
    }

    @Test("a change for which there are no bits is not lost: asked again, the picture is sent")
    func postponedChange() throws {
        let size = PixelSize(width: 640, height: 360)
        let storm = Scene(size, .noise)
        var recording = try Recording(.small(640, 360))
        try recording.encode(storm.picture, bitsPerSecond: 60_000)
        let calm = Scene(size, .text(scroll: 1))
        #expect(try recording.encode(calm.picture, bitsPerSecond: 60_000) == nil)
        #expect(recording.encoder.isBehind)
        var calls = 0
        while calls < 900, (recording.units.last?.quantiser ?? 51) > 26 || calls < 2 {
            calls += 1
            try recording.encode(calm.picture, damage: .nothing, bitsPerSecond: 60_000)
        }
        #expect(calls > 2 && calls < 900)
        #expect(!recording.encoder.isBehind)
        let decoded = try recording.decoded()
        #expect(structuralSimilarity(try #require(decoded.last), calm.picture.luma, width: 640) > 0.988)
    }

    @Test("a keyframe comes at once even while the bucket is full, and stays within 128 packets")
    func keyframes() throws {
        let scene = Scene(PixelSize(width: 1280, height: 720), .noise)
        var recording = try Recording(.small(1280, 720, maximum: 40_000_000))
        for frame in 0..<20 {
            scene.draw(frame)
            try recording.encode(scene.picture, bitsPerSecond: 40_000_000)
        }
        scene.draw(20)
        let unit = try #require(
            try recording.encode(scene.picture, bitsPerSecond: 40_000_000, needsKeyframe: true))
        #expect(unit.isKeyframe)
        #expect(unit.bytes.count <= 128 * 1180)
    }

    @Test("a new page out of calm costs no second of silence, and at most a keyframe a second")
    func excess() throws {
        let size = PixelSize(width: 1280, height: 720)
        let calm = Scene(size, .text(scroll: 2))
        let storm = Scene(size, .noise)
        var recording = try Recording(.small(1280, 720))
        for frame in 0..<60 {
            calm.draw(frame)
            try recording.encode(calm.picture, bitsPerSecond: 2_000_000)
        }
        var keyframes = 0
        var lastSent = 0
        for frame in 0..<45 {
            storm.draw(frame)
            guard let unit = try recording.encode(storm.picture, bitsPerSecond: 2_000_000) else { continue }
            if unit.isKeyframe { keyframes += 1 }
            #expect(frame - lastSent < 30)
            lastSent = frame
        }
        #expect(keyframes <= 2 && lastSent > 15)
        #expect(try recording.decoded().count == recording.units.count)
    }
}
