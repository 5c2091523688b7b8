import Media
import PixelConversion
import TestSupport
import Testing
import Timebase

@Suite("Moving sideways")
struct LandmarksTests {
    private static let size = PixelSize(width: 400, height: 240)
    private static let whole = PixelRect(size)

    /// Something larger than the screen, of which it shows a part.
    private struct Sheet {
        let size: PixelSize
        let format: PixelFormat
        var bytes: [UInt8]

        /// - Parameter brightness: of a pixel in a column and a row.
        init(_ width: Int, _ height: Int, _ format: PixelFormat = .bgra, brightness: (Int, Int) -> UInt8) {
            size = PixelSize(width: width, height: height)
            self.format = format
            let copies = format.planes(size: size)[0].rowBytes / width
            bytes = []
            for y in 0..<height {
                for x in 0..<width {
                    let value = brightness(x, y)
                    for _ in 0..<copies { bytes.append(value) }
                }
            }
            // What planar formats need of chroma, for the part that is shown.
            bytes.append(contentsOf: repeatElement(128, count: LandmarksTests.size.area))
        }

        func part(_ x: Int, _ y: Int) -> PixelBuffer? {
            let whole = format.planes(size: size)[0]
            var planes = format.planes(size: LandmarksTests.size)
            planes[0].offset = y * whole.bytesPerRow + x * whole.rowBytes / size.width
            planes[0].bytesPerRow = whole.bytesPerRow
            let rest = whole.bytesPerRow * whole.rows - LandmarksTests.size.area
            for index in 1..<planes.count { planes[index].offset += rest }
            return Pictures.buffer(format, LandmarksTests.size, planes, bytes)
        }
    }

    /// Lines of text in black on white, with as much space between.
    private func text(_ width: Int, _ height: Int, _ format: PixelFormat = .bgra, seed: UInt64 = 1) -> Sheet {
        var random = SeededGenerator(seed: seed)
        var ink: UInt64 = 0
        return Sheet(width, height, format) { x, y in
            if x % 64 == 0 { ink = random.next() & random.next() }
            let isInk = (ink >> UInt64(x % 64)) & 1 == 1
            return isInk && y % 20 < 10 ? 20 : 255
        }
    }

    private func texture(_ width: Int, _ height: Int) -> Sheet {
        var random = SeededGenerator(seed: 5)
        return Sheet(width, height) { _, _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// As a film's codec and its camera leave it: every fifth pixel a trace off.
    private func noisy(_ sheet: Sheet, seed: UInt64) -> Sheet {
        var random = SeededGenerator(seed: seed)
        var sheet = sheet
        for index in stride(from: 0, to: sheet.size.area * 4, by: 20) { sheet.bytes[index] ^= UInt8(random.next() & 1) }
        return sheet
    }

    private func difference(_ before: PixelBuffer?, _ after: PixelBuffer?) throws -> FrameDifference {
        var comparer = FrameComparer()
        _ = comparer.compare(Pictures.frame(try #require(before)), in: Self.whole)
        return comparer.compare(Pictures.frame(try #require(after)), in: Self.whole)
    }

    @Test(
        "a page of text is found again where it went",
        arguments: [(1, 0), (-1, 0), (7, 0), (64, 0), (-150, 0), (3, 5), (-40, 33), (24, -48)] as [(Int, Int)])
    func shifts(right: Int, down: Int) throws {
        let page = text(700, 340)
        let found = try difference(page.part(150, 50), page.part(150 + right, 50 + down))
        #expect(found.isNew && found.moved < 0.3 && found.panned == 1)
    }

    @Test("so it is in any format", arguments: [PixelFormat.bgra, .bgr10, .nv12, .i420])
    func formats(format: PixelFormat) throws {
        let page = text(500, 300, format)
        #expect(try difference(page.part(50, 20), page.part(57, 24)).panned == 1)
    }

    @Test("a bar that stands still beside what is moved does not hide it")
    func bar() throws {
        func scrolled(_ offset: Int) -> PixelBuffer? {
            var random = SeededGenerator(seed: 9)
            let page = (0..<240 * 500).map { _ in UInt8(truncatingIfNeeded: random.next() & 1) &* 255 }
            return Sheet(400, 240) { x, y in page[y * 500 + (x < 150 ? x : x + offset)] }.part(0, 0)
        }
        #expect(try difference(scrolled(0), scrolled(12)).panned > 0.6)
    }

    @Test("another page, one colour instead of another, and no change are no motion")
    func noMotion() throws {
        let page = text(500, 300)
        #expect(try difference(page.part(0, 0), text(500, 300, seed: 2).part(0, 0)).panned == 0)
        #expect(try difference(page.part(0, 0), page.part(0, 0)).panned == 0)
        let white = Pictures.plain(Self.size, [255, 255, 255, 0])
        #expect(try difference(white, Pictures.plain(Self.size, [80, 160, 20, 0])).panned == 0)
    }

    @Test("what moved up or down is left to the rows")
    func vertical() throws {
        let page = text(500, 300)
        let found = try difference(page.part(0, 20), page.part(0, 27))
        #expect(found.moved > 0.5 && found.panned == 0)
    }

    @Test("a camera's pan is none, for its noise")
    func pan() throws {
        let scene = texture(500, 300)
        #expect(try difference(scene.part(20, 20), scene.part(27, 23)).panned == 1)
        #expect(try difference(noisy(scene, seed: 1).part(20, 20), noisy(scene, seed: 2).part(27, 23)).panned == 0)
    }

    /// What pictures are taken for that come at an even pace.
    private func content(_ count: Int, every period: Duration, _ picture: (Int) -> PixelBuffer?) throws -> Content {
        var comparer = FrameComparer()
        var classifier = ContentClassifier(source: Self.size)
        var detector = CadenceDetector()
        var now = Instant.zero + .seconds(1)
        for number in 0..<count {
            now += period
            let difference = comparer.compare(Pictures.frame(try #require(picture(number))), in: Self.whole)
            if difference.isNew { detector.sawPicture(at: now) }
            classifier.looked(at: now, area: Self.whole, difference: difference, cadence: detector.cadence)
        }
        return classifier.content
    }

    @Test("a sheet scrolled sideways by a held key is no film, nor is a map that follows the pointer")
    func scrolledAndDragged() throws {
        let sheet = text(1400, 320)
        let scrolled = try content(80, every: .milliseconds(40)) { sheet.part($0 * 12, 0) }
        let dragged = try content(180, every: .nanoseconds(16_666_667)) { sheet.part($0 * 5, abs($0 % 120 - 60)) }
        #expect(scrolled == .app && dragged == .app)
    }

    @Test("a film whose camera pans is one")
    func panningFilm() throws {
        let scene = texture(500, 260)
        let panned = try content(80, every: .milliseconds(40)) { noisy(scene, seed: UInt64($0)).part($0, $0 % 16) }
        #expect(panned == .video)
    }
}
