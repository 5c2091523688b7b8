import Media
import Testing

@Suite("Damaged areas")
struct DamagedAreasTests {
    private let film = PixelRect(x: 60, y: 100, width: 854, height: 480)
    private let spinner = PixelRect(x: 1500, y: 900, width: 64, height: 64)

    private func areas(_ rects: [PixelRect]) -> DamagedAreas {
        var areas = DamagedAreas()
        for rect in rects { areas.add(rect) }
        return areas
    }

    @Test("what lies far apart stays apart, and the box is around all of it")
    func apart() {
        let areas = areas([film, spinner, PixelRect(x: 1510, y: 910, width: 9, height: 9), film])
        #expect(Set(areas.areas) == [film, spinner])
        #expect(areas.boundingBox == film.union(spinner))
    }

    @Test("what lies near is one area, also where it only gets near by what comes later")
    func near() {
        let left = PixelRect(x: 0, y: 0, width: 100, height: 100)
        let right = PixelRect(x: 260, y: 0, width: 100, height: 100)
        #expect(Set(areas([left, right]).areas) == [left, right])
        let between = PixelRect(x: 150, y: 150, width: 60, height: 10)
        #expect(areas([left, right, between]).areas == [PixelRect(x: 0, y: 0, width: 360, height: 160)])
    }

    @Test("nothing is no area")
    func nothing() {
        var areas = DamagedAreas(.nothing)
        #expect(areas.isEmpty && areas.boundingBox == .nothing)
        areas.add(spinner)
        areas.add(.nothing)
        #expect(areas.areas == [spinner] && areas.boundingBox == spinner)
    }

    @Test("of too many the two become one that cover least besides: a film is not drawn together with what is small")
    func tooMany() {
        let dots = [(1000, 100), (1150, 100), (1500, 500), (100, 900)].map { PixelRect(x: $0, y: $1, width: 16, height: 16) }
        #expect(Set(areas([film] + dots).areas) == [film, dots[0].union(dots[1]), dots[2], dots[3]])
        // However many there are, and wherever.
        let many = areas((0..<400).map { PixelRect(x: $0 * 7919 % 1900, y: $0 * 104_729 % 1060, width: 16, height: 16) })
        #expect(many.areas.count <= 4)
    }
}
