import Media
import Testing
import Timebase

@Suite("Test pattern")
struct TestPatternTests {
    private func pixel(_ pattern: TestPattern, _ x: Int, _ y: Int) -> Colour {
        pattern.pixels.withPlane(0) { start, bytesPerRow in
            let pixel = start + y * bytesPerRow + x * 4
            return Colour(red: pixel[2], green: pixel[1], blue: pixel[0])
        }
    }

    private func rows(_ pattern: TestPattern) -> [UInt8] {
        pattern.pixels.withPlane(0) { start, bytesPerRow in
            Array(UnsafeBufferPointer(start: start, count: bytesPerRow * pattern.size.height))
        }
    }

    @Test("patches have their colours, to their corners, in every picture")
    func patches() throws {
        let pattern = try #require(TestPattern(size: PixelSize(width: 640, height: 360)))
        #expect(pattern.patches.count == 8)
        #expect(pattern.patches == TestPattern.patches(size: pattern.size))
        for frame in 0..<40 {
            _ = pattern.draw(frame: Int64(frame), elapsed: .milliseconds(33 * frame))
            for patch in pattern.patches {
                #expect(pixel(pattern, patch.area.x, patch.area.y) == patch.colour)
                #expect(pixel(pattern, patch.area.maxX - 1, patch.area.maxY - 1) == patch.colour)
            }
        }
    }

    @Test("the first picture is all new, every later one changes nothing outside of its damage, and something in it")
    func damage() throws {
        let pattern = try #require(TestPattern(size: PixelSize(width: 322, height: 181)))
        #expect(pattern.draw(frame: 0, elapsed: .zero) == PixelRect(pattern.size))
        var before = rows(pattern)
        for frame in 1..<130 {
            let damage = pattern.draw(frame: Int64(frame), elapsed: .milliseconds(33 * frame))
            let after = rows(pattern)
            #expect(damage.area * 3 < pattern.size.area)
            let changed = before.indices.filter { before[$0] != after[$0] }
            #expect(!changed.isEmpty)
            #expect(
                changed.allSatisfy { index in
                    let x = index / 4 % pattern.size.width
                    let y = index / 4 / pattern.size.width
                    return damage.x <= x && x < damage.maxX && damage.y <= y && y < damage.maxY
                })
            before = after
        }
    }

    @Test("pictures of the same number and time are equal; another number or time shows")
    func content() throws {
        let size = PixelSize(width: 640, height: 360)
        let first = try #require(TestPattern(size: size))
        let second = try #require(TestPattern(size: size))
        _ = first.draw(frame: 4, elapsed: .seconds(7))
        _ = second.draw(frame: 3, elapsed: .seconds(9))
        #expect(rows(first) != rows(second))
        _ = second.draw(frame: 4, elapsed: .seconds(7))
        #expect(rows(first) == rows(second))
        _ = second.draw(frame: 4, elapsed: .milliseconds(7001))
        #expect(rows(first) != rows(second))
    }

    @Test("any size works; an empty one is refused", arguments: [(1, 1), (2, 2), (17, 9), (1921, 1081)])
    func sizes(width: Int, height: Int) throws {
        let pattern = try #require(TestPattern(size: PixelSize(width: width, height: height)))
        for frame in [0, 1, 59, 60, 119, -5, Int64.max] { _ = pattern.draw(frame: frame, elapsed: .seconds(360_000)) }
        #expect(TestPattern(size: PixelSize(width: 0, height: 9)) == nil)
    }
}

extension PixelRect {
    fileprivate var area: Int { width * height }
}
