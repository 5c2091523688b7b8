import Media
import Testing
import Timebase

@Suite("Pictures for viewers with few bits")
struct RungShapeTests {
    private let whole = PixelSize(width: 1280, height: 720)
    private func at(_ seconds: Double) -> Instant { Instant.zero + .seconds(seconds) }

    /// Where a film plays.
    private func scale(_ shape: inout RungShape, _ rate: Int, at seconds: Double) -> RungShape.Scale {
        _ = shape.size(of: whole, bitsPerSecond: rate, isPlaying: true, at: at(seconds))
        return shape.scale
    }

    @Test(
        "a film becomes smaller, as far as its bits want it",
        arguments: zip(
            [1_110_000, 1_100_000, 500_000, 480_000, 280_000, 270_000, 1],
            [(1280, 720), (852, 480), (852, 480), (640, 360), (640, 360), (426, 240), (426, 240)]))
    func film(bitsPerSecond: Int, expected: (width: Int, height: Int)) {
        var shape = RungShape()
        let size = shape.size(of: whole, bitsPerSecond: bitsPerSecond, isPlaying: true, at: at(0))
        #expect(size == PixelSize(width: expected.width, height: expected.height))
        #expect(shape.isDue(size, bitsPerSecond: bitsPerSecond, isPlaying: true, at: at(0)), "and stays smooth")
    }

    @Test(
        "the share itself keeps its size down to a third of that, for all see it change",
        arguments: zip([370_000, 360_000, 270_000], [RungShape.Scale.whole, .half, .third]))
    func own(bitsPerSecond: Int, expected: RungShape.Scale) {
        var shape = RungShape(isOwn: true)
        for second in 0...5 { _ = scale(&shape, bitsPerSecond, at: Double(second)) }
        #expect(shape.scale == expected)
    }

    @Test("text keeps its size, and comes as often as each picture has its bits")
    func text() {
        var shape = RungShape()
        #expect(shape.size(of: whole, bitsPerSecond: 64_000, isPlaying: false, at: at(0)) == whole)
        #expect(shape.isDue(whole, bitsPerSecond: 64_000, isPlaying: false, at: at(0)))
        shape.made(at: at(0))
        #expect(!shape.isDue(whole, bitsPerSecond: 64_000, isPlaying: false, at: at(0.1)))
        #expect(shape.isDue(whole, bitsPerSecond: 64_000, isPlaying: false, at: at(0.2)))
        #expect(shape.isDue(whole, bitsPerSecond: 1, isPlaying: false, at: at(1)), "once a second whatever there is")
    }

    @Test("a rate that wavers changes the size neither at once nor often")
    func wavering() {
        var shape = RungShape()
        var sizes: [PixelSize] = []
        for step in 0..<300 {
            let rate = step % 2 == 0 ? 1_080_000 : 1_130_000
            sizes.append(shape.size(of: whole, bitsPerSecond: rate, isPlaying: true, at: at(Double(step) / 10)))
        }
        #expect(sizes.allSatisfy { $0 == PixelSize(width: 852, height: 480) })
        _ = shape.size(of: whole, bitsPerSecond: 4_000_000, isPlaying: true, at: at(40))
        #expect(shape.scale == .whole, "but with clearly more it is whole again")
    }

    @Test("a slow rung waits two seconds for a dip to pass, but not where its pictures fall apart")
    func dip() {
        var shape = RungShape()
        #expect(scale(&shape, 1_200_000, at: 0) == .whole)
        #expect(scale(&shape, 500_000, at: 10) == .whole)
        #expect(scale(&shape, 500_000, at: 11.9) == .whole)
        #expect(scale(&shape, 1_200_000, at: 11.95) == .whole)
        #expect(scale(&shape, 500_000, at: 12) == .whole, "it is counted anew")
        #expect(scale(&shape, 500_000, at: 14.1) == .twoThirds)
        #expect(scale(&shape, 100_000, at: 20) == .third)
    }

    @Test("a dip changes nothing of the share itself, and what lasts does")
    func patience() {
        var shape = RungShape(isOwn: true)
        #expect(scale(&shape, 300_000, at: 0) == .whole)
        #expect(scale(&shape, 300_000, at: 3.9) == .whole)
        #expect(scale(&shape, 2_000_000, at: 3.95) == .whole)
        #expect(scale(&shape, 300_000, at: 4.1) == .whole, "it is counted anew")
        #expect(scale(&shape, 300_000, at: 8.2) == .half)
    }

    @Test("a change covers what it covered, and what a filter draws from it")
    func damage() {
        let small = PixelSize(width: 426, height: 240)
        let change = PixelRect(x: 600, y: 300, width: 100, height: 30).scaled(from: whole, to: small)
        #expect(change.contains(PixelRect(x: 200, y: 100, width: 33, height: 10)))
        #expect(change.width < 45 && change.height < 20)
        #expect(PixelRect(whole).scaled(from: whole, to: small) == PixelRect(small))
        #expect(PixelRect.nothing.scaled(from: whole, to: small).isEmpty)
        #expect(change.scaled(from: small, to: small) == change)
    }

    @Test("who gets too little is told of after five seconds, and once")
    func starvation() {
        var starvation = Starvation()
        let told = (0..<100).compactMap { step -> Bool? in
            let isStarved = (step >= 5 && step < 10) || (step >= 20 && step < 60)
            return starvation.update(isStarved, at: at(Double(step) / 5 * 1.0))
        }
        #expect(told == [true, false])
    }
}
