import Media
import Testing
import Timebase

@Suite("Pictures for viewers with few bits")
struct RungShapeTests {
    private let whole = PixelSize(width: 1280, height: 720)
    private func at(_ seconds: Double) -> Instant { Instant.zero + .seconds(seconds) }

    @Test("a film becomes smaller, as far as its bits want it", arguments: [(400_000, 1), (150_000, 2), (64_000, 3), (1, 3)])
    func film(bitsPerSecond: Int, divisor: Int) {
        var shape = RungShape()
        let size = shape.size(of: whole, bitsPerSecond: bitsPerSecond, isPlaying: true, at: at(0))
        #expect(shape.divisor == divisor)
        #expect(size.width % 2 == 0 && size.height % 2 == 0)
        #expect(size.width <= 1280 / divisor && size.width > 1280 / divisor - 2)
        #expect(shape.isDue(size, bitsPerSecond: bitsPerSecond, isPlaying: true, at: at(0)), "and stays smooth")
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
            let rate = step % 2 == 0 ? 360_000 : 380_000
            sizes.append(shape.size(of: whole, bitsPerSecond: rate, isPlaying: true, at: at(Double(step) / 10)))
        }
        #expect(zip(sizes, sizes.dropFirst()).count { $0 != $1 } == 0)
        _ = shape.size(of: whole, bitsPerSecond: 4_000_000, isPlaying: true, at: at(40))
        #expect(shape.divisor == 1, "but with clearly more it is whole again")
    }

    @Test("with patience a dip changes nothing, and what lasts does")
    func patience() {
        var shape = RungShape(patience: .seconds(2))
        func divisor(_ rate: Int, at seconds: Double) -> Int {
            _ = shape.size(of: whole, bitsPerSecond: rate, isPlaying: true, at: at(seconds))
            return shape.divisor
        }
        #expect(divisor(100_000, at: 0) == 1)
        #expect(divisor(100_000, at: 1.9) == 1)
        #expect(divisor(2_000_000, at: 1.95) == 1)
        #expect(divisor(100_000, at: 2.1) == 1, "it is counted anew")
        #expect(divisor(100_000, at: 4.2) == 2)
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
