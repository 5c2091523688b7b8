import Media
import Testing
import Timebase

@Suite("What of a path sound may take")
struct SoundRoomTests {
    private var room = SoundRoom()
    private var now = Instant.zero
    private var told: [Int] = []

    /// The path takes so much for so many seconds, and says so four times a second; nil: all that there may be.
    private mutating func run(_ pathRate: Int?, seconds: Double) {
        for _ in 0..<Int(seconds * 4) {
            let news = room.update(pathRate: pathRate ?? 4_000_000, isLimited: pathRate != nil, at: now)
            if let news { told.append(news) }
            now += .milliseconds(250)
        }
    }

    @Test("a path that takes all there may be, or far more than sound, leaves it all there is")
    mutating func wide() {
        run(nil, seconds: 30)
        run(3_000_000, seconds: 30)
        #expect(room.bitsPerSecond == .max && told.isEmpty)
    }

    @Test(
        "sound has the step below an eighth of what the path takes, and the least where that is none",
        arguments: [
            (1_000_000, 96_000), (768_000, 96_000), (760_000, 64_000), (400_000, 48_000), (256_000, 32_000),
            (250_000, 24_000), (40_000, 24_000),
        ])
    mutating func steps(pathRate: Int, expected: Int) {
        run(pathRate, seconds: 3)
        #expect(room.bitsPerSecond == expected && told == [expected])
    }

    @Test("a dip of a second changes nothing, and what falls for long falls to what it took at best meanwhile")
    mutating func dips() {
        for _ in 0..<10 {
            run(100_000, seconds: 1.5)
            run(nil, seconds: 1)
        }
        #expect(told.isEmpty)
        run(600_000, seconds: 0.5)
        run(100_000, seconds: 1.75)
        #expect(told == [64_000])
        run(100_000, seconds: 3)
        #expect(told == [64_000, 24_000])
    }

    @Test("a rate that swings about a border leaves sound as it is after one change")
    mutating func swings() {
        for second in 0..<120 { run(second % 6 < 3 ? 700_000 : 860_000, seconds: 1) }
        #expect(told == [64_000])
        run(960_000, seconds: 9.75)
        #expect(told == [64_000])
        run(960_000, seconds: 1)
        #expect(told == [64_000, 96_000], "a tenth of it has been as much for ten seconds")
    }

    @Test("sound rises to the least that there was room for in ten seconds, at once to all where the path takes all")
    mutating func rises() {
        run(200_000, seconds: 3)
        run(700_000, seconds: 5)
        run(500_000, seconds: 5.25)
        #expect(told == [24_000, 48_000])
        run(nil, seconds: 10.25)
        #expect(told == [24_000, 48_000, .max])
    }
}
