import Media
import Testing
import Timebase
import VideoCodec

@Suite("A page that comes back")
struct ReturnTests {
    private static let size = PixelSize(width: 640, height: 368)
    private static var keepingFour: X264Configuration {
        var configuration = X264Configuration.small(size.width, size.height, maximum: 8_000_000)
        configuration.references = 4
        return configuration
    }
    private static func pages(_ count: UInt64) -> [Scene] { (1...count).map { Scene(size, .text(scroll: 0), seed: $0) } }

    /// Shows a page as a share does: a change after a rest, then passes until it is sharp.
    /// - Returns: the bytes that took, and how many pictures.
    private func show(_ page: Scene, in recording: inout Recording) throws -> (bytes: Int, pictures: Int) {
        let before = recording.units.count
        // So long that the bucket has run empty.
        var unit = try recording.encode(page.picture, bitsPerSecond: 8_000_000, after: 90_000)
        for _ in 0..<20 where (unit?.quantiser ?? 51) > 27 {
            unit = try recording.encode(page.picture, damage: .nothing, bitsPerSecond: 8_000_000, after: 90_000)
        }
        let made = recording.units[before...]
        return (made.reduce(0) { $0 + $1.bytes.count }, made.count)
    }

    @Test("of a page that was there before next to nothing is sent, at once sharp")
    func return_() throws {
        let pages = Self.pages(2)
        var recording = try Recording(Self.keepingFour)
        _ = try show(pages[1], in: &recording)
        let first = try show(pages[0], in: &recording)
        let other = try show(pages[1], in: &recording)
        try #require(first.pictures <= 3 && other.pictures <= 3)
        let back = try show(pages[0], in: &recording)
        #expect(back.bytes * 100 <= first.bytes * 5, "\(back.bytes) of \(first.bytes)")
        #expect(back.pictures == 1)
        let decoded = try recording.decoded()
        #expect(decoded.count == recording.units.count)
        #expect(similarity(try #require(decoded.last), pages[0].picture.luma) > 38)
    }

    @Test("with the least search a page that is back is encoded like any other: no more bits than there are")
    func leastSearch() throws {
        let pages = Self.pages(2)
        var recording = try Recording(Self.keepingFour)
        for page in [1, 0, 1] { _ = try show(pages[page], in: &recording) }
        recording.encoder.preset = .minimal
        let back = try #require(try recording.encode(pages[0].picture, bitsPerSecond: 500_000, after: 90_000))
        #expect(!back.isKeyframe && back.bytes.count * 8 < 500_000, "\(back.bytes.count) bytes, \(back.quantiser)")
    }

    @Test("a page that is painted anew as it was stays sharp, and costs next to nothing")
    func repainted() throws {
        let page = Scene(PixelSize(width: 1280, height: 720), .text(scroll: 0), seed: 1)
        var recording = try Recording(.small(1280, 720, maximum: 8_000_000))
        _ = try show(page, in: &recording)
        for _ in 0..<3 {
            let unit = try recording.encode(page.picture, bitsPerSecond: 300_000, after: 90_000)
            let (quantiser, bytes) = (unit?.quantiser ?? 0, unit?.bytes.count ?? 0)
            #expect(quantiser <= 27 && bytes < 300, "\(quantiser), \(bytes) bytes")
        }
    }

    @Test("what is new on a page that comes back through a slow link becomes sharp as well")
    func newOnOld() throws {
        let pages = Self.pages(3)
        var recording = try Recording(Self.keepingFour)
        for page in [1, 0, 1] { _ = try show(pages[page], in: &recording) }
        pages[0].mix(pages[2], from: Self.size.height * 15 / 16)
        let back = try #require(try recording.encode(pages[0].picture, bitsPerSecond: 60_000, after: 90_000))
        #expect(back.quantiser > 27, "so few bits are no test otherwise: \(back.quantiser)")
        for _ in 0..<20 {
            _ = try recording.encode(pages[0].picture, damage: .nothing, bitsPerSecond: 60_000, after: 90_000)
        }
        let shown = try #require(try recording.decoded().last)
        let strip = Self.size.width * Self.size.height * 15 / 16
        let likeness = similarity(Array(shown[strip...]), Array(pages[0].picture.luma[strip...]))
        #expect(likeness > 36, "\(likeness) dB")
    }

    @Test("with one reference it is sent anew")
    func oneReference() throws {
        let pages = [1, 2].map { Scene(Self.size, .text(scroll: 0), seed: $0) }
        var recording = try Recording(.small(Self.size.width, Self.size.height, maximum: 8_000_000))
        _ = try show(pages[1], in: &recording)
        let first = try show(pages[0], in: &recording)
        _ = try show(pages[1], in: &recording)
        #expect(try show(pages[0], in: &recording).bytes * 2 > first.bytes)
    }

    @Test("a page of which a part is new takes the bits of that part")
    func half() throws {
        let returns = try [4, 1].map { references in
            var configuration = X264Configuration.small(Self.size.width, Self.size.height, maximum: 8_000_000)
            configuration.references = references
            let pages = [1, 2, 3].map { Scene(Self.size, .text(scroll: 0), seed: $0) }
            var recording = try Recording(configuration)
            for page in [1, 0, 1] { _ = try show(pages[page], in: &recording) }
            pages[0].mix(pages[2], from: Self.size.height / 2)
            let back = try show(pages[0], in: &recording)
            #expect(similarity(try #require(try recording.decoded().last), pages[0].picture.luma) > 36)
            return back.bytes
        }
        #expect(returns[0] * 4 < returns[1] * 3, "\(returns)")
    }
}

extension Scene {
    /// Takes over what the other shows from a row on.
    fileprivate func mix(_ other: Scene, from row: Int) {
        other.picture.withPlanes { from, _, _ in
            picture.withPlanes { luma, _, _ in
                (luma + row * picture.lumaStride).update(
                    from: from + row * picture.lumaStride, count: (size.height - row) * picture.lumaStride)
            }
        }
    }
}
