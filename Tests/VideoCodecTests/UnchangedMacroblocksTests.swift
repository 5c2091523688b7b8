import CX264
import Media
import Testing

@testable import VideoCodec

@Suite("What x264 need not look at")
struct UnchangedMacroblocksTests {
    /// Four by two macroblocks, all coded at 30.
    private static let size = PixelSize(width: 64, height: 32)
    private static let all = PixelRect(size)
    private static let right = PixelRect(x: 32, y: 0, width: 32, height: 32)

    private func coded(_ size: PixelSize = size, at quantiser: Int = 30) -> UnchangedMacroblocks {
        let macroblocks = UnchangedMacroblocks(size: size)
        _ = macroblocks.flags(of: .whole(changed: [PixelRect(size)]), quantiser: quantiser)
        return macroblocks
    }

    private func isSkipped(
        _ macroblocks: UnchangedMacroblocks, _ extent: CodedExtent, at quantiser: Int, of size: PixelSize = size
    ) throws -> [Bool] {
        let flags = try #require(macroblocks.flags(of: extent, quantiser: quantiser))
        let count = (size.width + 15) / 16 * ((size.height + 15) / 16)
        return UnsafeBufferPointer(start: flags, count: count).map { $0 == UInt8(X264_MBINFO_CONSTANT) }
    }

    @Test("A macroblock of which an area takes one pixel is looked at, those beside it are not")
    func touched() throws {
        let corner = PixelRect(x: 31, y: 15, width: 2, height: 1)
        let expected = [
            true, false, false, true,
            true, true, true, true,
        ]
        #expect(try isSkipped(coded(), .whole(changed: [corner]), at: 30) == expected)
        #expect(try isSkipped(coded(), .parts([corner]), at: 26) == expected)
        #expect(try isSkipped(coded(), .outline(corner), at: 44) == expected)
    }

    @Test("Of a size that is no multiple of 16 the last column and row are whole, and areas may reach or lie beyond")
    func edges() throws {
        let size = PixelSize(width: 40, height: 20)
        let areas = [
            PixelRect(x: 33, y: 17, width: 100, height: 100), PixelRect(x: 1000, y: 0, width: 4, height: 4), .nothing,
        ]
        #expect(
            try isSkipped(coded(size), .whole(changed: areas), at: 30, of: size) == [
                true, true, true,
                true, true, false,
            ])
    }

    @Test("Nothing is skipped in the first picture, nor in a finer one")
    func finer() throws {
        #expect(try !isSkipped(UnchangedMacroblocks(size: Self.size), .whole(changed: []), at: 51).contains(true))
        #expect(try !isSkipped(coded(), .whole(changed: []), at: 29).contains(true))
    }

    @Test("What stood around a finer part is looked at in the next picture that is as fine")
    func around() throws {
        let macroblocks = coded()
        _ = macroblocks.flags(of: .parts([Self.right]), quantiser: 26)
        let skipped = [false, false, true, true, false, false, true, true]
        #expect(try isSkipped(macroblocks, .whole(changed: []), at: 26) == skipped)
        #expect(try !isSkipped(macroblocks, .whole(changed: []), at: 26).contains(false))
    }

    @Test("Where nothing but an outline was coded, every picture looks")
    func outlined() throws {
        let macroblocks = coded()
        _ = macroblocks.flags(of: .outline(Self.right), quantiser: 44)
        #expect(try isSkipped(macroblocks, .whole(changed: []), at: 51) == [true, true, false, false, true, true, false, false])
    }
}
