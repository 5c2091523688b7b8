import Media
import Testing
import Timebase
import VideoCodec

@Suite("Nothing is left blurred")
struct LeftoverTests {
    private static let size = PixelSize(width: 1280, height: 720)
    private static let whole = PixelRect(size)

    private func page(_ seed: UInt64) -> Scene { Scene(Self.size, .text(scroll: 0), seed: seed) }

    /// Copies rows, and columns of them, from one page to another.
    private func copy(_ area: PixelRect, from source: Scene, to target: Scene) {
        source.picture.withPlanes { from, _, _ in
            target.picture.withPlanes { to, _, _ in
                for row in area.y..<area.maxY {
                    let start = row * target.picture.lumaStride + area.x
                    (to + start).update(from: from + start, count: area.width)
                }
            }
        }
    }

    /// The still picture until the encoder makes no more of it, or for as many passes.
    private func rest(_ recording: inout Recording, _ scene: Scene, at bits: Int, passes: Int = 40) throws {
        for _ in 0..<passes {
            try recording.encode(scene.picture, damage: .nothing, bitsPerSecond: bits, after: 45_000)
            if (recording.units.last?.quantiser ?? 0) <= 27 { return }
        }
    }

    /// The likeness of the worst band of 16 rows.
    private func worstBand(_ decoded: [UInt8], _ scene: Scene, above height: Int = Self.size.height) -> Double {
        let luma = scene.picture.luma
        return stride(from: 0, to: height - 15, by: 16).map { row in
            let span = row * Self.size.width..<(row + 16) * Self.size.width
            return structuralSimilarity(Array(decoded[span]), Array(luma[span]), width: Self.size.width)
        }.min() ?? 0
    }

    /// Mean, of 256.
    private func error(_ decoded: [UInt8], _ scene: Scene, _ area: PixelRect) -> Double {
        let luma = scene.picture.luma
        let errors = (area.y..<area.maxY).flatMap { row in
            (row * Self.size.width + area.x..<row * Self.size.width + area.maxX).map { abs(Int(decoded[$0]) - Int(luma[$0])) }
        }
        return Double(errors.reduce(0, +)) / Double(errors.count)
    }

    @Test("of two pages that were never finished, each is when it stays", arguments: [10_000, 20_000, 40_000, 60_000, 90_000] as [Int64])
    func alternatingPages(pause: Int64) throws {
        let pages = [page(1), page(2)]
        var configuration = X264Configuration.small(1280, 720)
        configuration.references = 4
        var recording = try Recording(configuration)
        for flip in 0..<11 {
            let scene = pages[flip % 2]
            try recording.encode(scene.picture, bitsPerSecond: 600_000, after: pause / 4)
            for _ in 0..<3 {
                try recording.encode(scene.picture, damage: .nothing, bitsPerSecond: 600_000, after: pause / 4)
            }
        }
        try rest(&recording, pages[0], at: 600_000)
        let last = try #require(try recording.decoded().last)
        #expect(structuralSimilarity(last, pages[0].picture.luma, width: Self.size.width) > 0.985)
    }

    @Test("a panel beside a window whose page changes stays as it was")
    func panel() throws {
        let (first, second) = (page(3), page(4))
        let window = PixelRect(x: 0, y: 36, width: 1280, height: 684)
        var recording = try Recording(.small(1280, 720))
        try recording.encode(first.picture, bitsPerSecond: 400_000, after: 540_000)
        try rest(&recording, first, at: 400_000)
        copy(window, from: second, to: first)
        try recording.encode(first.picture, damage: window, bitsPerSecond: 400_000, after: 45_000)
        try rest(&recording, first, at: 400_000)
        let last = try #require(try recording.decoded().last)
        #expect(worstBand(last, first, above: window.y) > 0.985)
        #expect(worstBand(last, first) > 0.93)
    }

    @Test("a caret that blinks in a window that is painted whole each time does not throw its page back")
    func caret() throws {
        let (before, scene) = (page(5), page(6))
        var recording = try Recording(.small(1280, 720))
        try recording.encode(before.picture, bitsPerSecond: 400_000, after: 540_000)
        try recording.encode(scene.picture, bitsPerSecond: 400_000, after: 45_000)
        var likeness: [Double] = []
        for blink in 0..<10 {
            scene.picture.withPlanes { luma, _, _ in
                for row in 300..<316 { luma[row * scene.picture.lumaStride + 400] = blink % 2 == 0 ? 20 : 220 }
            }
            try recording.encode(scene.picture, damage: Self.whole, bitsPerSecond: 400_000, after: 6_000)
            for _ in 0..<6 {
                try recording.encode(scene.picture, damage: .nothing, bitsPerSecond: 400_000, after: 6_000)
            }
            let last = try #require(try recording.decoded().last)
            likeness.append(structuralSimilarity(last, scene.picture.luma, width: 1280))
        }
        #expect(recording.units.filter(\.isKeyframe).count == 1)
        #expect(zip(likeness, likeness.dropFirst()).allSatisfy { $1 > $0 - 0.02 }, "\(likeness)")
        #expect(try #require(likeness.last) > 0.97)
    }

    @Test("what was left coarser at a low rate is refined where the page beside it changes at a high one, a caret between")
    func refinedLater() throws {
        let (scene, other) = (page(9), page(10))
        let (dialog, lower) = (
            PixelRect(x: 400, y: 440, width: 400, height: 200), PixelRect(x: 0, y: 64, width: 1280, height: 656)
        )
        let top = PixelRect(x: 0, y: 0, width: 1280, height: 48)
        var recording = try Recording(.small(1280, 720))
        try recording.encode(scene.picture, bitsPerSecond: 300_000, after: 540_000)
        try recording.encode(scene.picture, damage: .nothing, bitsPerSecond: 300_000, after: 180_000)
        copy(dialog, from: other, to: scene)
        try recording.encode(scene.picture, damage: dialog, bitsPerSecond: 300_000, after: 30_000)
        try rest(&recording, scene, at: 300_000)
        let before = error(try #require(try recording.decoded().last), scene, top)
        let caret = PixelRect(x: 600, y: 300, width: 2, height: 16)
        copy(caret, from: other, to: scene)
        try recording.encode(scene.picture, damage: caret, bitsPerSecond: 20_000_000, after: 90_000)
        copy(lower, from: other, to: scene)
        try recording.encode(scene.picture, damage: lower, bitsPerSecond: 20_000_000, after: 90_000)
        let after = error(try #require(try recording.decoded().last), scene, top)
        #expect(before > 1.2 * after)
    }

    @Test("text that is written beside a page being sharpened is sharpened as well")
    func beside() throws {
        let (blank, text) = (page(7), page(8))
        let left = PixelRect(x: 0, y: 0, width: 800, height: 720)
        var recording = try Recording(.small(1280, 720))
        try recording.encode(blank.picture, bitsPerSecond: 20_000_000, after: 540_000)
        copy(left, from: text, to: blank)
        try recording.encode(blank.picture, damage: left, bitsPerSecond: 500_000, after: 27_000)
        for line in 0..<12 {
            let area = PixelRect(x: 840, y: 40 + 40 * line, width: 400, height: 20)
            copy(area, from: text, to: blank)
            try recording.encode(blank.picture, damage: area, bitsPerSecond: 500_000, after: 9_000)
            try recording.encode(blank.picture, damage: .nothing, bitsPerSecond: 500_000, after: 9_000)
        }
        try rest(&recording, blank, at: 500_000, passes: 100)
        let last = try #require(try recording.decoded().last)
        #expect(worstBand(last, blank) > 0.93)
        for line in 0..<12 {
            let area = PixelRect(x: 840, y: 40 + 40 * line, width: 400, height: 20)
            #expect(error(last, blank, area) < 3)
        }
    }
}
