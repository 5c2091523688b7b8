import Media
import PixelConversion
import TestSupport
import Testing
import Timebase

@Suite("Comparing frames")
struct FrameComparerTests {
    private static let size = PixelSize(width: 400, height: 200)
    private static let area = PixelRect(x: 40, y: 20, width: 300, height: 150)

    /// A picture of the format whose bytes are a seed's, with some of them changed.
    private func picture(_ format: PixelFormat, changing offsets: [Int] = []) -> PixelBuffer? {
        var random = SeededGenerator(seed: 3)
        let planes = format.planes(size: Self.size)
        let count = planes.map { $0.offset + $0.rows * $0.bytesPerRow }.max() ?? 0
        var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        for offset in offsets { bytes[offset] ^= 1 }
        return Pictures.buffer(format, Self.size, planes, bytes)
    }

    private func frame(_ pixels: PixelBuffer, pointer: PixelRect = .nothing) -> ScreenFrame {
        ScreenFrame(pixels: pixels, capturedAt: .zero, damage: Self.area, pointer: pointer)
    }

    @Test("the same pixels are a repeat, and one bit of luma or chroma is not", arguments: [PixelFormat.bgra, .bgr10, .nv12, .i420])
    func oneBit(format: PixelFormat) throws {
        let planes = format.planes(size: Self.size)
        let inside = planes.map { plane in
            plane.offset + (plane.rows / 2) * plane.bytesPerRow + (plane.rowBytes / 2) & ~3
        }
        for offset in inside {
            var comparer = FrameComparer()
            let first = comparer.compare(frame(try #require(picture(format))), in: Self.area)
            #expect(first.changed == 1, "nothing was known of it")
            let again = comparer.compare(frame(try #require(picture(format))), in: Self.area)
            #expect(!again.isNew)
            let other = comparer.compare(frame(try #require(picture(format, changing: [offset]))), in: Self.area)
            #expect(other.isNew && other.changed < 0.02)
        }
    }

    @Test("bits that are no colour, and what lies outside, change nothing")
    func outside() throws {
        let row = Self.size.width * 4
        for offset in [60 * row + 100 * 4 + 3, 10 * row + 100 * 4, 60 * row + 350 * 4] {
            var comparer = FrameComparer()
            _ = comparer.compare(frame(try #require(picture(.bgra))), in: Self.area)
            #expect(!comparer.compare(frame(try #require(picture(.bgra, changing: [offset]))), in: Self.area).isNew)
        }
    }

    @Test("what the pointer hides and bares is not new, what changes beside it is")
    func pointer() throws {
        let row = Self.size.width * 4
        let under = PixelRect(x: 100, y: 60, width: 12, height: 16)
        let elsewhere = PixelRect(x: 200, y: 100, width: 12, height: 16)
        let drawn = try #require(picture(.bgra, changing: [61 * row + 104 * 4, 75 * row + 111 * 4]))
        var comparer = FrameComparer()
        _ = comparer.compare(frame(try #require(picture(.bgra))), in: Self.area)
        let hidden = comparer.compare(frame(drawn, pointer: under), in: Self.area)
        #expect(!hidden.isNew && hidden.isHidden)
        let resting = comparer.compare(frame(drawn, pointer: under), in: Self.area)
        #expect(!resting.isNew && !resting.isHidden)
        let moved = try #require(picture(.bgra, changing: [101 * row + 204 * 4]))
        #expect(!comparer.compare(frame(moved, pointer: elsewhere), in: Self.area).isNew)
        let more = try #require(picture(.bgra, changing: [101 * row + 204 * 4, 101 * row + 310 * 4]))
        #expect(comparer.compare(frame(more, pointer: elsewhere), in: Self.area).isNew)
    }

    @Test("what changed in between under a large other area is not taken for known; of a small one it is no news")
    func staleness() throws {
        let row = Self.size.width * 4
        let parts = [(PixelRect(x: 50, y: 30, width: 240, height: 120), 1.0), (PixelRect(x: 50, y: 30, width: 40, height: 40), 0)]
        for (part, expected) in parts {
            let changed = try #require(picture(.bgra, changing: [35 * row + 60 * 4]))
            var comparer = FrameComparer()
            _ = comparer.compare(frame(try #require(picture(.bgra))), in: Self.area)
            _ = comparer.compare(ScreenFrame(pixels: changed, capturedAt: .zero, damage: part), in: part)
            #expect(comparer.compare(frame(changed), in: Self.area).changed == expected)
            #expect(!comparer.compare(frame(changed), in: Self.area).isNew)
            #expect(comparer.compare(frame(try #require(picture(.bgra))), in: Self.area).isNew)
        }
    }

    @Test("an area that was not compared for long is not known")
    func longAgo() throws {
        var comparer = FrameComparer()
        var frame = frame(try #require(picture(.bgra)))
        _ = comparer.compare(frame, in: Self.area)
        frame.capturedAt += .seconds(20)
        #expect(!comparer.compare(frame, in: Self.area).isNew)
        frame.capturedAt += .seconds(40)
        #expect(comparer.compare(frame, in: Self.area).changed == 1)
    }

    @Test("a page that was scrolled is told from a new one, although a bar beside it stands still")
    func scrolling() throws {
        let size = Self.size
        func page(_ offset: Int, seed: UInt64) -> PixelBuffer? {
            var bytes = [UInt8](repeating: 128, count: size.area * 4)
            for y in 0..<size.height {
                var random = SeededGenerator(seed: seed &+ UInt64(y + offset))
                for x in 0..<size.width where x < 300 {
                    for channel in 0..<3 { bytes[(y * size.width + x) * 4 + channel] = UInt8.random(in: 0...255, using: &random) }
                }
            }
            return Pictures.buffer(.bgra, size, PixelFormat.bgra.planes(size: size), bytes)
        }
        let whole = PixelRect(size)
        func frame(_ pixels: PixelBuffer) -> ScreenFrame { ScreenFrame(pixels: pixels, capturedAt: .zero, damage: whole) }
        var comparer = FrameComparer()
        _ = comparer.compare(frame(try #require(page(0, seed: 1))), in: whole)
        let scrolled = comparer.compare(frame(try #require(page(9, seed: 1))), in: whole)
        #expect(scrolled.changed == 1 && scrolled.moved > 0.9)
        // A caret that blinks in between.
        let caret = PixelRect(x: 60, y: 40, width: 20, height: 20)
        let blinked = ScreenFrame(pixels: try #require(page(9, seed: 1)), capturedAt: .zero, damage: caret)
        _ = comparer.compare(blinked, in: caret)
        let further = comparer.compare(frame(try #require(page(18, seed: 1))), in: whole)
        #expect(further.changed == 1 && further.moved > 0.9)
        let other = comparer.compare(frame(try #require(page(0, seed: 1_000_000))), in: whole)
        #expect(other.changed == 1 && other.moved == 0)
    }
}
