import Media
import Testing
import Timebase
import VideoCodec

@Suite("H.264 levels")
struct H264LevelTests {
    @Test(
        "the lowest level of table A-1 that allows everything asked for",
        arguments: [
            ((176, 144), 15, 60_000, 1, 10), ((352, 288), 15, 300_000, 1, 12), ((640, 480), 30, 2_000_000, 1, 30),
            ((1280, 720), 30, 4_000_000, 1, 31), ((1280, 720), 60, 4_000_000, 1, 32),
            ((1920, 1080), 24, 4_000_000, 1, 40), ((1920, 1080), 30, 4_000_000, 4, 40),
            ((1920, 1080), 30, 4_000_000, 5, 50), ((1920, 1080), 30, 25_000_000, 1, 41),
            ((1920, 1080), 60, 4_000_000, 1, 42), ((2560, 1440), 30, 8_000_000, 1, 50),
            ((3840, 2160), 30, 20_000_000, 1, 51), ((3840, 2160), 60, 20_000_000, 1, 52),
            ((7680, 4320), 30, 60_000_000, 1, 60),
        ])
    func table(size: (Int, Int), frames: Int64, bits: Int, references: Int, expected: Int) {
        let level = H264Level.minimum(
            size: PixelSize(width: size.0, height: size.1), frameRate: FrameRate(frames), bitsPerSecond: bits,
            references: references)
        #expect(level?.identifier == expected)
    }

    @Test("a long side counts by itself: 16384 by 16 pixels need level 6")
    func longSide() {
        let level = H264Level.minimum(
            size: PixelSize(width: 16_384, height: 16), frameRate: .fps30, bitsPerSecond: 1_000_000, references: 1)
        #expect(level?.identifier == 60)
    }

    @Test("what no level allows has none")
    func tooMuch() {
        for (width, height, bits, references) in [
            (16_384, 16_384, 1_000_000, 1), (1920, 1080, 900_000_000, 1), (8192, 4320, 1_000_000, 16), (0, 16, 1, 1),
            (20_000, 16, 1_000_000, 1), (-4, 16, 1, 1),
        ] {
            #expect(
                H264Level.minimum(
                    size: PixelSize(width: width, height: height), frameRate: .fps30, bitsPerSecond: bits,
                    references: references) == nil)
        }
    }
}
