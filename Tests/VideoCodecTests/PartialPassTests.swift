import Media
import Testing
import Timebase
import VideoCodec

@Suite("A page sharpened in parts")
struct PartialPassTests {
    private static let size = PixelSize(width: 1280, height: 720)
    private static let bitsPerSecond = 120_000
    private static let shownAt: Int64 = 2_700_000

    /// A page that has just been changed to, at a rate that needs several passes for it.
    private func shown() throws -> (recording: Recording, page: Scene) {
        let pages = [1, 2].map { Scene(Self.size, .text(scroll: 0), seed: $0) }
        var recording = try Recording(.small(1280, 720))
        try recording.encode(pages[1].picture, bitsPerSecond: 20_000_000, after: Self.shownAt)
        try recording.encode(pages[0].picture, bitsPerSecond: Self.bitsPerSecond, after: 720_000)
        return (recording, pages[0])
    }

    /// The rows of macroblocks that differ between two pictures.
    private func changedRows(_ old: [UInt8], _ new: [UInt8]) -> [Int] {
        let bytes = 16 * Self.size.width
        return (0..<Self.size.height / 16).filter { row in
            let span = row * bytes..<(row + 1) * bytes
            return old[span] != new[span]
        }
    }

    @Test("each pass changes the rows below the last pass's and no other, until all is sharp")
    func parts() throws {
        var (recording, page) = try shown()
        let before = recording.units.count
        while recording.units.count < before + 12, (recording.units.last?.quantiser ?? 0) > 28 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        }
        try #require(recording.units.count >= before + 3)
        let pictures = try recording.decoded()
        try #require(pictures.count == recording.units.count)
        let firstRound = (before..<before + 3).map { changedRows(pictures[$0 - 1], pictures[$0]) }
        #expect(firstRound[0].first == 0)
        for (upper, lower) in zip(firstRound, firstRound.dropFirst()) {
            #expect(try #require(lower.first) > (try #require(upper.last)))
        }
        #expect(structuralSimilarity(try #require(pictures.last), page.picture.luma, width: 1280) > 0.988)
    }

    @Test("a key typed meanwhile is sharp at once, small, and leaves the rest of the page to its passes")
    func typing() throws {
        var (recording, page) = try shown()
        let area = PixelRect(x: 600, y: 400, width: 10, height: 14)
        page.picture.withPlanes { luma, _, _ in
            for y in area.y..<area.maxY {
                for x in area.x..<area.maxX { luma[y * page.picture.lumaStride + x] = UInt8(16 + (x * y) % 200) }
            }
        }
        let coarse = try #require(recording.units.last)
        let key = try #require(
            try recording.encode(page.picture, damage: area, bitsPerSecond: Self.bitsPerSecond, after: 180_000))
        #expect(key.quantiser > 27 && key.quantiser <= coarse.quantiser)
        let pictures = try recording.decoded()
        #expect(changedRows(pictures[pictures.count - 2], pictures[pictures.count - 1]).allSatisfy { $0 == 25 })
        let typed = (area.y..<area.maxY).flatMap { row in
            (area.x..<area.maxX).map { Int(pictures[pictures.count - 1][row * Self.size.width + $0]) }
        }
        let wanted = (area.y..<area.maxY).flatMap { row in (area.x..<area.maxX).map { 16 + ($0 * row) % 200 } }
        let error = zip(typed, wanted).reduce(0) { $0 + abs($1.0 - $1.1) } / typed.count
        #expect(error < 12)
    }

    /// Draws what looks like a pointer, and gives the page back where the last one was.
    private func move(_ step: Int, over page: Scene, _ original: [UInt8]) -> PixelRect {
        let side = 16
        let spot = { (step: Int) in PixelRect(x: 100 + 9 * step, y: 80 + 5 * step, width: side, height: side) }
        page.picture.withPlanes { luma, _, _ in
            for (area, isNew) in [(spot(step - 1), false), (spot(step), true)] {
                for y in area.y..<area.maxY {
                    for x in area.x..<area.maxX {
                        luma[y * page.picture.lumaStride + x] =
                            isNew && x - area.x <= y - area.y ? 20 : original[y * Self.size.width + x]
                    }
                }
            }
        }
        return spot(step - 1).union(spot(step))
    }

    @Test("a pointer that moves over a page takes few bits, and the page stays as it was")
    func pointer() throws {
        var (recording, page) = try shown()
        while (recording.units.last?.quantiser ?? 0) > 27 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        }
        let before = recording.units.count
        let original = page.picture.luma
        for step in 1...40 {
            let area = move(step, over: page, original)
            let unit = try #require(
                try recording.encode(page.picture, damage: area, bitsPerSecond: Self.bitsPerSecond, after: 6_000))
            #expect(!unit.isKeyframe && unit.bytes.count < 1200 && unit.quantiser <= 27)
        }
        let pictures = try recording.decoded()
        let (left, now) = (pictures[before - 1], try #require(pictures.last))
        // Below the pointer's way.
        #expect(left.suffix(Self.size.width * 400) == now.suffix(Self.size.width * 400))
        #expect(structuralSimilarity(now, page.picture.luma, width: 1280) > 0.988)
    }

    @Test("a page is sharpened while a pointer moves over it, nearly as soon as without")
    func sharpening() throws {
        var (still, page) = try shown()
        while (still.units.last?.quantiser ?? 0) > 27 {
            try still.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 6_000)
        }
        var (moving, under) = try shown()
        let original = under.picture.luma
        var step = 0
        while (moving.units.last?.quantiser ?? 0) > 27, step < 400 {
            step += 1
            let area = move(step % 60, over: under, original)
            try moving.encode(under.picture, damage: area, bitsPerSecond: Self.bitsPerSecond, after: 6_000)
        }
        let seconds = [still, moving].map { Double(($0.units.last?.mediaTime.ticks ?? 0) - Self.shownAt) / 90_000 }
        #expect(seconds[1] < seconds[0] * 1.4)
        #expect(structuralSimilarity(try #require(try moving.decoded().last), under.picture.luma, width: 1280) > 0.985)
    }

    @Test("of a page that can't be read at once an outline comes, in few bits, and nothing of the page before")
    func outline() throws {
        let (recording, page) = try shown()
        let first = try #require(recording.units.last)
        #expect(!first.isKeyframe)
        #expect(first.bytes.count < 7000)
        #expect(first.quantiser > 44)
        let luma = try #require(try recording.decoded().last)
        // Nearer to the new page's mean in each block of 16 by 16 than to any detail.
        let blocks = (0..<Self.size.height / 16).flatMap { y in (0..<Self.size.width / 16).map { ($0 * 16, y * 16) } }
        let errors = blocks.map { x, y in abs(mean(luma, x, y) - mean(page.picture.luma, x, y)) }
        #expect(errors.reduce(0, +) / Double(errors.count) < 4)
    }

    @Test("late in a stream an outline is no keyframe either: the page before it comes back for next to nothing")
    func lateOutline() throws {
        var configuration = X264Configuration.small(1280, 720)
        configuration.references = 4
        var recording = try Recording(configuration)
        let pages = [1, 2, 3].map { Scene(Self.size, .text(scroll: 0), seed: $0) }
        try recording.encode(pages[2].picture, bitsPerSecond: 20_000_000, after: 90_000)
        // More than a second's pictures.
        for step in 1...40 {
            let spot = PixelRect(x: 600, y: 400, width: 12, height: 14)
            draw([spot], on: pages[2].picture, step)
            try recording.encode(pages[2].picture, damage: spot, bitsPerSecond: 20_000_000, after: 90_000)
        }
        try #require(recording.units.count == 41)
        let first = try #require(
            try recording.encode(pages[1].picture, bitsPerSecond: 20_000_000, after: Self.shownAt))
        // From corner to corner.
        let corners = [(0, 0), (1264, 704)].map { PixelRect(x: $0, y: $1, width: 16, height: 16) }
        draw(corners, on: pages[0].picture, 1)
        let outline = try #require(
            try recording.encode(pages[0].picture, bitsPerSecond: Self.bitsPerSecond, after: 540_000))
        try #require(outline.quantiser > 44 && outline.bytes.count < 7000, "it is an outline")
        #expect(!outline.isKeyframe && outline.types == [1])
        // Sharp, in one pass.
        try recording.encode(pages[0].picture, damage: .nothing, bitsPerSecond: 20_000_000, after: 540_000)
        let back = try #require(try recording.encode(pages[1].picture, bitsPerSecond: 20_000_000, after: 540_000))
        #expect(!back.isKeyframe && back.bytes.count * 10 < first.bytes.count, "\(back.bytes.count) of \(first.bytes.count)")
        let decoded = try recording.decoded()
        #expect(decoded.count == recording.units.count)
        #expect(similarity(try #require(decoded.last), pages[1].picture.luma) > 36)
        let asked = try recording.encode(pages[1].picture, bitsPerSecond: 20_000_000, needsKeyframe: true)
        #expect(asked?.isKeyframe == true)
    }

    @Test("a sharp page that is scrolled after a rest stays sharp, and takes few bits")
    func scrolled() throws {
        let page = Scene(Self.size, .text(scroll: 20), seed: 3)
        var recording = try Recording(.small(1280, 720))
        try recording.encode(page.picture, bitsPerSecond: 20_000_000, after: 540_000)
        for _ in 0..<4 { try recording.encode(page.picture, damage: .nothing, bitsPerSecond: 400_000, after: 540_000) }
        for frame in 1...3 {
            page.draw(frame)
            let unit = try #require(try recording.encode(page.picture, bitsPerSecond: 400_000, after: 540_000))
            #expect(!unit.isKeyframe && unit.quantiser <= 32 && unit.bytes.count < 12_000)
            let luma = try #require(try recording.decoded().last)
            #expect(structuralSimilarity(luma, page.picture.luma, width: 1280) > 0.97)
        }
    }

    @Test("a window that opens comes as an outline too, and what is beside it stays sharp")
    func outlineOfPart() throws {
        var (recording, page) = try shown()
        while (recording.units.last?.quantiser ?? 0) > 27 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        }
        let window = PixelRect(x: 0, y: 160, width: Self.size.width, height: 400)
        let next = Scene(Self.size, .text(scroll: 0), seed: 3)
        let opened = next.picture.luma
        page.picture.withPlanes { luma, _, _ in
            for y in window.y..<window.maxY {
                for x in 0..<window.width { luma[y * page.picture.lumaStride + x] = opened[y * Self.size.width + x] }
            }
        }
        let unit = try #require(
            try recording.encode(page.picture, damage: window, bitsPerSecond: Self.bitsPerSecond, after: 540_000))
        #expect(!unit.isKeyframe && unit.bytes.count < 5000)
        let pictures = try recording.decoded()
        let rows = changedRows(pictures[pictures.count - 2], pictures[pictures.count - 1])
        // The filter between macroblocks reaches three rows into those beside.
        #expect(rows.allSatisfy { 9...35 ~= $0 })
        #expect(rows.count > 20)
    }

    @Test("two small changes far apart are sharp at once, and nothing between them is touched; so are those behind them")
    func farApart() throws {
        var (recording, page) = try shown()
        while (recording.units.last?.quantiser ?? 0) > 27 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        }
        // The first comes after a rest, and the others as keys are typed beside a clock.
        for (step, pause) in ([9_000, 9_000, 3_000, 9_000, 9_000] as [Int64]).enumerated() {
            let spots = [
                PixelRect(x: 8 + step, y: 8, width: 12, height: 14),
                PixelRect(x: 1200 + 10 * step, y: 700, width: 12, height: 14),
            ]
            draw(spots, on: page.picture, step)
            let both = spots[0].union(spots[1])
            let unit = try #require(
                try recording.encode(page.picture, damage: both, bitsPerSecond: 1_000_000, after: pause))
            #expect(!unit.isKeyframe && unit.bytes.count < 3000 && unit.quantiser <= 27)
            let pictures = try recording.decoded()
            let rows = changedRows(pictures[pictures.count - 2], pictures[pictures.count - 1])
            #expect(rows.allSatisfy { $0 <= 2 || $0 >= 42 })
        }
    }

    private func draw(_ spots: [PixelRect], on picture: I420Picture, _ step: Int) {
        picture.withPlanes { luma, _, _ in
            for spot in spots {
                for y in spot.y..<spot.maxY {
                    for x in spot.x..<spot.maxX { luma[y * picture.lumaStride + x] = UInt8(16 + (x * y + 7 * step) % 200) }
                }
            }
        }
    }

    @Test("what a pointer leaves behind beside a window that is being sharpened gets sharp too")
    func pointerBeside() throws {
        var (recording, page) = try shown()
        while (recording.units.last?.quantiser ?? 0) > 27 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        }
        let before = recording.units.count
        let next = Scene(Self.size, .text(scroll: 0), seed: 3)
        let window = PixelRect(x: 0, y: 400, width: Self.size.width, height: 320)
        let opened = next.picture.luma
        page.picture.withPlanes { luma, _, _ in
            for y in window.y..<window.maxY {
                for x in 0..<window.width { luma[y * page.picture.lumaStride + x] = opened[y * Self.size.width + x] }
            }
        }
        try recording.encode(page.picture, damage: window, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        let original = page.picture.luma
        for step in 1...40 {
            let area = move(step, over: page, original)
            try recording.encode(page.picture, damage: area, bitsPerSecond: Self.bitsPerSecond, after: 6_000)
        }
        for _ in 0..<40 where (recording.units.last?.quantiser ?? 0) > 27 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: Self.bitsPerSecond, after: 540_000)
        }
        #expect(recording.units.last?.quantiser ?? 51 <= 27)
        let pictures = try recording.decoded()
        let (left, now) = (pictures[before - 1], try #require(pictures.last))
        let way = (5..<19).flatMap { y in (6..<30).map { ($0 * 16, y * 16) } }
        let worst = { (luma: [UInt8]) in way.map { self.error(luma, page.picture.luma, $0.0, $0.1) }.max() ?? 99 }
        #expect(worst(now) <= worst(left) * 1.2)
    }

    private func error(_ a: [UInt8], _ b: [UInt8], _ x: Int, _ y: Int) -> Double {
        let sum = (y..<y + 16).reduce(0) { sum, row in
            sum + (x..<x + 16).reduce(0) {
                $0 + abs(Int(a[row * Self.size.width + $1]) - Int(b[row * Self.size.width + $1]))
            }
        }
        return Double(sum) / 256
    }

    private func mean(_ luma: [UInt8], _ x: Int, _ y: Int) -> Double {
        let sum = (y..<y + 16).reduce(0) { sum, row in
            sum + (x..<x + 16).reduce(0) { $0 + Int(luma[row * Self.size.width + $1]) }
        }
        return Double(sum) / 256
    }
}
