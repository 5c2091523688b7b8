import Media
import Testing
import Timebase

@testable import VideoCodec

@Suite("What changes beside a page")
struct BesideTests {
    private static let size = PixelSize(width: 1280, height: 720)

    /// A page that has just been changed to.
    private func shown(bitsPerSecond: Int) throws -> (recording: Recording, page: Scene) {
        let pages = [1, 2].map { Scene(Self.size, .text(scroll: 0), seed: $0) }
        var recording = try Recording(.small(1280, 720))
        try recording.encode(pages[1].picture, bitsPerSecond: 20_000_000, after: 2_700_000)
        try recording.encode(pages[0].picture, bitsPerSecond: bitsPerSecond, after: 540_000)
        return (recording, pages[0])
    }

    private func copy(_ area: PixelRect, of source: Scene, to page: Scene) {
        let luma = source.picture.luma
        page.picture.withPlanes { target, _, _ in
            for y in area.y..<area.maxY {
                for x in area.x..<area.maxX {
                    let from = (y - area.y) * source.size.width + x - area.x
                    target[y * page.picture.lumaStride + x] = luma[from]
                }
            }
        }
    }

    /// How alike rows are, from the left to a column.
    private func likeness(_ a: [UInt8], _ b: [UInt8], rows: Range<Int>, upTo width: Int = 1280) -> Double {
        let part = { (luma: [UInt8]) in rows.flatMap { luma[$0 * 1280..<$0 * 1280 + width] } }
        return structuralSimilarity(part(a), part(b), width: width)
    }

    /// A film of six seconds in a quarter of the screen; `goes` says whether so many frames are not enough.
    private func play(
        beside page: Scene, _ recording: inout Recording, _ bitsPerSecond: Int, while goes: (Int, Recording) -> Bool
    ) throws {
        let film = Scene(PixelSize(width: 640, height: 352), .film)
        let area = PixelRect(x: 640, y: 368, width: 640, height: 352)
        for frame in 0..<180 where goes(frame, recording) {
            film.draw(frame % 60)
            copy(area, of: film, to: page)
            try recording.encode(page.picture, damage: area, bitsPerSecond: bitsPerSecond)
        }
    }

    /// Until all is sharp.
    private func rest(_ page: Scene, _ recording: inout Recording, _ bitsPerSecond: Int, every ticks: Int64) throws {
        for _ in 0..<60 where (recording.units.last?.quantiser ?? 0) > 27 {
            try recording.encode(page.picture, damage: .nothing, bitsPerSecond: bitsPerSecond, after: ticks)
        }
    }

    /// The next pass, and the finest that each row of macroblocks has been coded at.
    private func takePass(
        _ refinement: inout PendingRefinement, over page: Scene, bitsPerSecond: Int = 120_000, _ rows: inout [Int]
    ) {
        let pass = refinement.nextPass(
            isQuick: false, bitsPerSecond: bitsPerSecond, level: 0,
            detail: { PictureDetail(of: page.picture, in: $0) },
            likeness: { PictureLikeness(of: page.picture, in: $0) })
        for row in pass.area.y / 16..<(pass.area.maxY + 15) / 16 { rows[row] = min(rows[row], pass.quantiser) }
        let bits = Int(refinement.bitsToSharpen(pass.detail, to: pass.quantiser))
        refinement.passed(pass.area, pass.detail, quantiser: pass.quantiser, bits: bits)
    }

    /// The finest that each row of macroblocks is coded at until all is sharp.
    private func finest(of page: Scene, disturbedAfter passes: Int?) -> [Int] {
        let whole = PixelRect(Self.size)
        var refinement = PendingRefinement(pictureSize: Self.size, costFactor: 1)
        var rows = [Int](repeating: 51, count: Self.size.height / 16)
        refinement.outlined(whole)
        for turn in 0..<60 where !refinement.isEmpty {
            if turn == passes {
                // Coarser than the passes, as what comes right behind one is.
                let dialog = PixelRect(x: 480, y: 544, width: 400, height: 150)
                refinement.changedApart([dialog], quantiser: refinement.finest + 4, share: 1)
            }
            takePass(&refinement, over: page, &rows)
        }
        #expect(refinement.isEmpty)
        return rows
    }

    @Test("leaves no row of it at what the first passes made of it", arguments: 1...4)
    func betweenPasses(passes: Int) {
        let page = Scene(Self.size, .text(scroll: 0))
        let (whole, disturbed) = (finest(of: page, disturbedAfter: nil), finest(of: page, disturbedAfter: passes))
        #expect(zip(disturbed, whole).allSatisfy { $0 <= $1 }, "\(disturbed), \(whole)")
    }

    @Test("and is coarser for as long as it plays has its turn last, and keeps no row of it from its last round")
    func coarseFilm() {
        let page = Scene(Self.size, .text(scroll: 0))
        let film = PixelRect(x: 640, y: 400, width: 400, height: 300)
        let whole = finest(of: page, disturbedAfter: nil)
        var refinement = PendingRefinement(pictureSize: Self.size, costFactor: 1)
        var rows = [Int](repeating: 51, count: Self.size.height / 16)
        refinement.outlined(PixelRect(Self.size))
        for turn in 0..<whole.count {
            refinement.changedApart([film], quantiser: 48, share: 1, isMotion: turn > 0)
            takePass(&refinement, over: page, &rows)
        }
        #expect(zip(rows, whole).allSatisfy { $0 <= $1 }, "\(rows), \(whole)")
    }

    @Test("is sharpened to its end also where it is a small part of a large screen, and takes many passes")
    func smallPart() {
        let page = Scene(Self.size, .text(scroll: 0))
        var refinement = PendingRefinement(pictureSize: PixelSize(width: 3840, height: 2160), costFactor: 1)
        refinement.changedApart([PixelRect(x: 160, y: 80, width: 640, height: 560)], quantiser: 29, share: 1)
        var policy = RefinementPolicy()
        policy.encoded(quantiser: refinement.coarseness(of: 29), isNewPicture: true)
        var rows = [Int](repeating: 51, count: Self.size.height / 16)
        while policy.wantsPass, policy.passes < 60 {
            takePass(&refinement, over: page, bitsPerSecond: 5000, &rows)
            policy.encoded(quantiser: refinement.coarseness(of: 29), isNewPicture: false)
        }
        #expect(policy.passes > 3, "else this tests nothing")
        #expect(refinement.isEmpty && !policy.wantsPass, "\(policy.passes)")
    }

    @Test("and comes back to what it was takes away no debt of what lies around it")
    func backBeside() {
        let page = PixelRect(Self.size)
        var refinement = PendingRefinement(pictureSize: Self.size, costFactor: 1)
        refinement.outlined(page)
        let menu = PixelRect(x: 0, y: 0, width: 320, height: 320)
        refinement.goBack(to: nil, changed: menu, missing: .nothing, quantiser: 27)
        #expect(refinement.area.contains(PixelRect(x: 0, y: 320, width: 1280, height: 400)))
        refinement.goBack(to: nil, changed: page, missing: .nothing, quantiser: 27)
        #expect(refinement.isEmpty)
    }

    @Test("and plays in a small part of it, does not keep it from getting sharp", arguments: [600_000, 1_200_000])
    func film(bitsPerSecond: Int) throws {
        var (recording, page) = try shown(bitsPerSecond: bitsPerSecond)
        try play(beside: page, &recording, bitsPerSecond) { _, _ in true }
        let last = try #require(try recording.decoded().last)
        let likeness = likeness(last, page.picture.luma, rows: 0..<352)
        #expect(likeness > 0.98, "\(likeness)")
    }

    @Test("and stops playing where a pass has gone before it is seen all the same")
    func filmThatStops() throws {
        let bitsPerSecond = 600_000
        var (recording, page) = try shown(bitsPerSecond: bitsPerSecond)
        try play(beside: page, &recording, bitsPerSecond) { $0 < 3 || $1.units.last?.quantiser != 51 }
        try #require(recording.units.last?.quantiser == 51, "else this tests nothing")
        try rest(page, &recording, bitsPerSecond, every: 54_000)
        let last = try #require(try recording.decoded().last)
        let likeness = likeness(last, page.picture.luma, rows: 0..<720)
        // Its grain is never quite as it was; of another picture of it a half would be.
        #expect(likeness > 0.95, "\(likeness)")
    }

    @Test("and is as before in the picture behind a pass, which left it alone, is made as fine as that")
    func undone() throws {
        var (recording, page) = try shown(bitsPerSecond: 300_000)
        let area = PixelRect(x: 0, y: 16, width: 640, height: 160)
        let texts = (10..<30).map { Scene(PixelSize(width: 640, height: 160), .text(scroll: 0), seed: $0) }
        var step = 0
        repeat {
            step += 1
            copy(area, of: texts[step], to: page)
            try recording.encode(page.picture, damage: area, bitsPerSecond: 300_000, after: 9000)
        } while !recording.encoder.isBehind && step < 19
        try #require(recording.encoder.isBehind && recording.units.count == 2 + step, "else this tests nothing")
        copy(area, of: texts[step - 1], to: page)
        try recording.encode(page.picture, damage: area, bitsPerSecond: 20_000_000)
        let likeness = try recording.decoded().suffix(2).map {
            self.likeness($0, page.picture.luma, rows: 16..<64, upTo: 640)
        }
        try #require(likeness[0] < 0.96, "else this tests nothing: \(likeness)")
        #expect(likeness[1] > 0.98, "\(likeness)")
    }

    @Test("and opens while the pointer moves, takes no more of the link than after a rest")
    func dialog() throws {
        let bitsPerSecond = 300_000
        var (recording, page) = try shown(bitsPerSecond: bitsPerSecond)
        try rest(page, &recording, bitsPerSecond, every: 540_000)
        for step in 0..<20 {
            let spot = PixelRect(x: 64 + 16 * step, y: 640, width: 16, height: 16)
            copy(spot, of: Scene(PixelSize(width: 16, height: 16), .noise, seed: UInt64(step + 1)), to: page)
            try recording.encode(page.picture, damage: spot, bitsPerSecond: bitsPerSecond, after: 6000)
        }
        let dialog = PixelRect(x: 320, y: 160, width: 560, height: 320)
        copy(dialog, of: Scene(Self.size, .text(scroll: 0), seed: 3), to: page)
        let unit = try #require(
            try recording.encode(page.picture, damage: dialog, bitsPerSecond: bitsPerSecond, after: 6000))
        #expect(!unit.isKeyframe && unit.bytes.count * 8 < bitsPerSecond / 4, "\(unit.bytes.count)")
        try rest(page, &recording, bitsPerSecond, every: 540_000)
        let last = try #require(try recording.decoded().last)
        #expect(structuralSimilarity(last, page.picture.luma, width: 1280) > 0.987)
    }
}
