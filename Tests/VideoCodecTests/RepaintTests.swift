import Media
import Testing
import Timebase

@testable import VideoCodec

@Suite("What is painted on and on, and stands still")
struct RepaintTests {
    private static let size = PixelSize(width: 640, height: 360)
    private static let page = PixelSize(width: 1280, height: 720)

    /// Motion that comes to a halt, and its last picture so many times more.
    /// - Returns: what was made of those.
    private func halt(
        _ scene: Scene, _ recording: inout Recording, _ bitsPerSecond: Int, times: Int, favoursSharpness: Bool = false,
        every ticks: Int64
    ) throws -> [EncodedUnit?] {
        for frame in 0..<30 {
            scene.draw(frame)
            try recording.encode(
                scene.picture, bitsPerSecond: bitsPerSecond, favoursSharpness: favoursSharpness, after: ticks)
        }
        return try (0..<times).map { _ in
            try recording.encode(
                scene.picture, bitsPerSecond: bitsPerSecond, favoursSharpness: favoursSharpness, after: ticks)
        }
    }

    @Test("a film that is paused gets sharp, and then takes no bits at all", arguments: [3000, 6000] as [Int64])
    func pausedFilm(ticks: Int64) throws {
        let film = Scene(Self.size, .film)
        var recording = try Recording(.small(640, 360))
        let made = try halt(film, &recording, 1_000_000, times: 150, every: ticks)
        #expect(made.suffix(30).allSatisfy { $0 == nil })
        #expect(!recording.encoder.isBehind)
        #expect(try #require(recording.units.last).quantiser <= 27)
        let last = try #require(try recording.decoded().last)
        let likeness = structuralSimilarity(last, film.picture.luma, width: Self.size.width)
        // Its grain is never quite as it was.
        #expect(likeness > 0.88, "\(likeness)")
    }

    @Test("text that was scrolled gets sharp on a slow link too, and a key typed in it is still seen")
    func scrolledText() throws {
        let bitsPerSecond = 300_000
        let text = Scene(Self.page, .text(scroll: 40))
        var recording = try Recording(.small(1280, 720))
        let made = try halt(text, &recording, bitsPerSecond, times: 300, favoursSharpness: true, every: 6000)
        #expect(made.suffix(30).allSatisfy { $0 == nil })
        let last = try #require(try recording.decoded().last)
        #expect(structuralSimilarity(last, text.picture.luma, width: Self.page.width) > 0.97)
        text.picture.withPlanes { luma, _, _ in
            for y in 300..<314 {
                for x in 600..<610 { luma[y * text.picture.lumaStride + x] = UInt8(16 + (x * y) % 200) }
            }
        }
        let key = try #require(try recording.encode(text.picture, bitsPerSecond: bitsPerSecond, after: 6000))
        #expect(key.quantiser <= 27 && key.bytes.count < 2000, "\(key.quantiser), \(key.bytes.count) bytes")
        #expect(try recording.encode(text.picture, bitsPerSecond: bitsPerSecond, after: 6000) == nil)
        #expect(!recording.encoder.isBehind)
    }

    @Test("while its next pass waits for bits it owes nothing, and has the pass when there are some")
    func betweenPasses() throws {
        let pages = [1, 2].map { Scene(Self.page, .text(scroll: 0), seed: $0) }
        var recording = try Recording(.small(1280, 720))
        try recording.encode(pages[1].picture, bitsPerSecond: 20_000_000, after: 2_700_000)
        let outline = try #require(try recording.encode(pages[0].picture, bitsPerSecond: 400_000, after: 14_000))
        let again = try recording.encode(pages[0].picture, bitsPerSecond: 60_000, after: 540_000)
        #expect(again == nil && !recording.encoder.isBehind)
        let pass = try #require(try recording.encode(pages[0].picture, bitsPerSecond: 60_000))
        #expect(pass.quantiser < outline.quantiser && !pass.isKeyframe)
    }

    @Test("A film whose pictures are each shown three times over pays no look; a picture that stays does")
    func glances() {
        let film = Scene(Self.size, .film)
        var standstill = Standstill()
        for frame in 0..<10 {
            film.draw(frame)
            for _ in 0..<3 {
                let isLikely = standstill.isLikely(after: film.picture)
                #expect(!isLikely)
            }
        }
        let isLikely = (0..<3).map { _ in standstill.isLikely(after: film.picture) }
        #expect(isLikely == [true, true, true])
    }
}
