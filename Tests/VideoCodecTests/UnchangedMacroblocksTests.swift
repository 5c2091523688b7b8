import CX264
import Media
import Testing

@testable import VideoCodec

@Suite("What x264 need not look at")
struct UnchangedMacroblocksTests {
    private func unchanged(_ size: PixelSize, outside areas: [PixelRect]) throws -> [Bool] {
        let macroblocks = UnchangedMacroblocks(size: size)
        let flags = try #require(macroblocks.outside(of: areas))
        let count = (size.width + 15) / 16 * ((size.height + 15) / 16)
        return UnsafeBufferPointer(start: flags, count: count).map { $0 == UInt8(X264_MBINFO_CONSTANT) }
    }

    @Test("A macroblock of which an area takes one pixel is looked at, those beside it are not")
    func touched() throws {
        let corner = PixelRect(x: 31, y: 15, width: 2, height: 1)
        #expect(
            try unchanged(PixelSize(width: 64, height: 32), outside: [corner]) == [
                true, false, false, true,
                true, true, true, true,
            ])
    }

    @Test("Of a size that is no multiple of 16 the last column and row are whole, and areas may reach beyond")
    func edges() throws {
        let beyond = PixelRect(x: 33, y: 17, width: 100, height: 100)
        #expect(
            try unchanged(PixelSize(width: 40, height: 20), outside: [beyond, .nothing]) == [
                true, true, true,
                true, true, false,
            ])
    }

    @Test("An area of before is forgotten with the next picture")
    func forgotten() throws {
        let size = PixelSize(width: 32, height: 16)
        let macroblocks = UnchangedMacroblocks(size: size)
        _ = macroblocks.outside(of: [PixelRect(size)])
        let flags = try #require(macroblocks.outside(of: []))
        #expect(flags[0] != 0 && flags[1] != 0)
    }
}
