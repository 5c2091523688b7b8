import ArgumentParser
import ScreenShare
import Testing
@testable import ScreenShareCLI

@Suite("The options of host for pictures")
struct VideoOptionsTests {
    private func parse(_ words: String) throws -> VideoOptions {
        try VideoOptions.parse(words.split(separator: " ").map(String.init))
    }

    @Test("a size is the source's own, a preset, exact, or no more than so many pixels", arguments: [
        ("--size native", .native), ("--size 360p", .within(longSide: 640, shortSide: 360)),
        ("--size 720p", .within(longSide: 1280, shortSide: 720)),
        ("--size 1080p", .within(longSide: 1920, shortSide: 1080)),
        ("--size 2160p", .within(longSide: 3840, shortSide: 2160)),
        ("--size 1280x720", .exactly(width: 1280, height: 720)), ("--size 640x362", .exactly(width: 640, height: 362)),
        ("--max-pixels 256", .maximumPixels(256)), ("--max-pixels 35651584", .maximumPixels(35_651_584)),
    ] as [(String, OutputSize)])
    func size(words: String, size: OutputSize) throws {
        #expect(try parse(words).outputSize == size)
        #expect(try parse("\(words) --mode detail").outputSize == size, "whatever the mode")
    }

    @Test("where no size is asked for it is left to the mode", arguments: ["", "--mode detail", "--mode motion"])
    func noSize(words: String) throws {
        #expect(try parse(words).outputSize == .automatic)
    }

    @Test("a mode goes by the library's name, or by WebRTC's hint", arguments: [
        ("", .auto), ("--mode auto", .auto), ("--mode detail", .detail), ("--mode text", .detail),
        ("--mode motion", .motion),
    ] as [(String, ContentMode)])
    func mode(words: String, mode: ContentMode) throws {
        #expect(try parse(words).mode == mode)
    }

    @Test("what no share can have is refused, and so are two sizes at once", arguments: [
        "--size huge", "--size 720", "--size 240p", "--size 8x8", "--size 1280x", "--size 8192x8192", "--size 9000x16",
        "--size 641x360", "--size 640x361",
        "--max-pixels 255", "--max-pixels 35651585", "--max-pixels many", "--size 720p --max-pixels 921600",
        "--mode speech", "--mode Detail", "--fps 25",
    ])
    func refused(words: String) {
        #expect(throws: (any Error).self) { try parse(words) }
    }
}
