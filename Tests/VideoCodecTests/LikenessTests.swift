import Glibc
import Media
import Testing
import Timebase
@testable import VideoCodec

@Suite("Likeness")
struct LikenessTests {
    @Test("a page coded at the foretold quantiser looks as much like itself as was asked for", arguments: [0.98, 0.9945])
    func foretold(wanted: Double) throws {
        let size = PixelSize(width: 1280, height: 720)
        let scene = Scene(size, .text(scroll: 0))
        let quantiser = PictureLikeness(of: scene.picture, in: PixelRect(size)).quantiser(for: wanted)
        let found = try coded(scene.picture, quantiser: quantiser)
        #expect(found > wanted - 0.002)
        // No coarser than 35, however alike it is.
        #expect(quantiser == 35 || found < wanted + 0.003)
    }

    @Test("the more alike, the finer; nothing to see takes the coarsest")
    func order() {
        let size = PixelSize(width: 640, height: 360)
        let page = PictureLikeness(of: Scene(size, .text(scroll: 0)).picture, in: PixelRect(size))
        #expect(page.quantiser(for: 0.998) < page.quantiser(for: 0.98))
        let blank = PictureLikeness(of: I420Picture(size: size), in: PixelRect(size))
        #expect(blank.quantiser(for: 0.999) == 35)
    }

    @Test("text is to be as fine on a page that is nearly blank as on a full one", arguments: [
        PixelSize(width: 1280, height: 720), PixelSize(width: 3840, height: 2160),
    ])
    func nearlyBlank(size: PixelSize) {
        let page = Scene(PixelSize(width: 1280, height: 720), .text(scroll: 0)).picture
        let full = PictureLikeness(of: page, in: PixelRect(page.size)).quantiser(for: 0.999)
        let sparse = picture(size, text: page) { _ in 235 }
        // A full one is blank to a third.
        #expect(PictureLikeness(of: sparse, in: PixelRect(size)).quantiser(for: 0.999) <= full + 2)
    }

    @Test("shading that nobody sees counts as blank; what is seen of it does not")
    func shading() {
        let size = PixelSize(width: 1280, height: 720)
        let page = Scene(size, .text(scroll: 0)).picture
        let plain = PictureLikeness(of: picture(size, text: page) { _ in 235 }, in: PixelRect(size))
        let faint = PictureLikeness(of: picture(size, text: page) { UInt8(215 + $0 / 64) }, in: PixelRect(size))
        #expect(faint.quantiser(for: 0.999) <= plain.quantiser(for: 0.999) + 1)
        #expect(faint.quantiser(for: 0.999) < 35)
        let steep = PictureLikeness(of: picture(size) { UInt8(60 + $0 % 128) }, in: PixelRect(size))
        #expect(steep.quantiser(for: 0.991) < 35)
    }

    /// The upper left of a page, on nothing but a ground, which is given by column.
    private func picture(_ size: PixelSize, text page: I420Picture? = nil, ground: (Int) -> UInt8) -> I420Picture {
        let picture = I420Picture(size: size)
        let row = (0..<size.width).map(ground)
        picture.withPlanes { luma, _, _ in
            for y in 0..<size.height { (luma + y * picture.lumaStride).update(from: row, count: size.width) }
            guard let page else { return }
            page.withPlanes { text, _, _ in
                for y in 0..<260 {
                    for x in 0..<400 {
                        luma[y * picture.lumaStride + x] = min(row[x], text[y * page.lumaStride + x])
                    }
                }
            }
        }
        return picture
    }

    /// The structural similarity of a keyframe at a quantiser.
    private func coded(_ picture: I420Picture, quantiser: Int) throws -> Double {
        var best = (distance: Int.max, similarity: 0.0)
        // The rate decides on the quantiser: the first that comes closest is taken.
        for step in 0..<120 {
            let bits = Int(400_000 * pow(1.03, Double(step)))
            var recording = try Recording(.small(picture.size.width, picture.size.height, maximum: 12_000_000))
            let unit = try #require(try recording.encode(picture, bitsPerSecond: bits))
            let distance = abs(Int(unit.quantiser) - quantiser)
            guard distance < best.distance else { continue }
            let decoded = try #require(try recording.decoded().last)
            best = (distance, structuralSimilarity(decoded, picture.luma, width: picture.size.width))
            if distance == 0 { break }
        }
        try #require(best.distance == 0)
        return best.similarity
    }
}
