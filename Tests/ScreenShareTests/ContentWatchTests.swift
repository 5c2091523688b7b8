import Media
import Testing
import Timebase
@testable import ScreenShare

/// Things that are drawn with each tick of a display of 60 Hz, pixel by pixel.
@Suite("Where something plays")
struct ContentWatchTests {
    private struct Thing {
        var area: PixelRect
        /// Pictures a second; the other ticks draw the same once more.
        var rate: Int
        var seconds: Range<Int>

        /// Which of two colours it has.
        func color(at tick: Int) -> Int { tick * rate / 60 & 1 }
    }

    private struct Seen {
        /// Second by second.
        var content: [Content] = []
        var cadences: [Int64?] = []
        var switches = 0
    }

    private static let size = PixelSize(width: 640, height: 360)
    private static let film = PixelRect(x: 16, y: 16, width: 320, height: 180)
    private static let spinner = PixelRect(x: 560, y: 300, width: 40, height: 40)
    private static let seconds = 12

    private func picture(of things: [Thing], colors: Int) -> PixelBuffer? {
        var bytes = [UInt8](repeating: 0, count: Self.size.area * 4)
        for (index, thing) in things.enumerated() {
            let row = [UInt8](repeating: colors >> index & 1 == 0 ? 100 : 200, count: thing.area.width * 4)
            for y in thing.area.y..<thing.area.maxY {
                let start = (y * Self.size.width + thing.area.x) * 4
                bytes.replaceSubrange(start..<start + row.count, with: row)
            }
        }
        return PixelBuffer(format: .bgra, size: Self.size, copying: bytes.span.bytes)
    }

    private func watch(_ things: [Thing]) throws -> Seen {
        var pictures: [PixelBuffer] = []
        for colors in 0..<1 << things.count { pictures.append(try #require(picture(of: things, colors: colors))) }
        var watch = ContentWatch(source: Self.size)
        var detector = CadenceDetector()
        var seen = Seen()
        for tick in 0..<Self.seconds * 60 {
            let now = Instant.zero + .seconds(1) + .nanoseconds(Int64(tick) * 16_666_667)
            let before = watch.content
            detector.advance(to: now)
            watch.advance(to: now)
            var damaged = DamagedAreas()
            var colors = 0
            for (index, thing) in things.enumerated() where thing.seconds.contains(tick / 60) {
                damaged.add(thing.area)
                colors |= thing.color(at: tick) << index
            }
            let frame = ScreenFrame(
                pixels: pictures[colors], capturedAt: now, damage: damaged.boundingBox, parts: damaged.areas)
            if watch.look(at: frame, cadence: detector.cadence) == .picture { detector.sawPicture(at: now) }
            seen.switches += before != watch.content ? 1 : 0
            if tick % 60 == 59 {
                seen.content.append(watch.content)
                seen.cadences.append(detector.cadence?.rate.nominal)
            }
        }
        return seen
    }

    @Test("a film that begins while a spinner turns with each tick is found at its own rate, though each tick draws it too")
    func spinnerFirst() throws {
        let seen = try watch([
            Thing(area: Self.spinner, rate: 60, seconds: 0..<12), Thing(area: Self.film, rate: 24, seconds: 3..<12),
        ])
        #expect(seen.content[..<3].allSatisfy { $0 == .app } && seen.switches == 1, "\(seen.content)")
        #expect(seen.content[6...].allSatisfy { $0 == .video })
        #expect(seen.cadences[6...].allSatisfy { $0 == 24 }, "\(seen.cadences)")
    }

    @Test("a spinner that begins to turn with each tick takes nothing of a film's rate, though each tick draws that too")
    func filmFirst() throws {
        let seen = try watch([
            Thing(area: Self.film, rate: 24, seconds: 0..<12), Thing(area: Self.spinner, rate: 60, seconds: 4..<12),
        ])
        #expect(seen.content[3...].allSatisfy { $0 == .video } && seen.switches == 1, "\(seen.content)")
        #expect(seen.cadences[3...].allSatisfy { $0 == 24 }, "\(seen.cadences)")
    }

    @Test("a film has ended, though a spinner goes on turning")
    func filmEnds() throws {
        let seen = try watch([
            Thing(area: Self.film, rate: 24, seconds: 0..<5), Thing(area: Self.spinner, rate: 60, seconds: 0..<12),
        ])
        #expect(seen.content[3..<5].allSatisfy { $0 == .video } && seen.content[8...].allSatisfy { $0 == .app })
    }

    @Test("two things that are too small for a film are none together, however far apart they move")
    func twoSmall() throws {
        let seen = try watch([
            Thing(area: PixelRect(x: 0, y: 0, width: 100, height: 100), rate: 60, seconds: 0..<12),
            Thing(area: PixelRect(x: 520, y: 250, width: 100, height: 100), rate: 60, seconds: 0..<12),
        ])
        #expect(seen.content.allSatisfy { $0 == .app } && seen.switches == 0, "\(seen.content)")
    }

    @Test(
        "a pointer that was elsewhere meanwhile and is back is shown there, though all beneath it is painted as it was",
        arguments: [PixelRect.nothing, PixelRect(x: 480, y: 200, width: 160, height: 160)])
    func pointerBack(drawnMeanwhile content: PixelRect) throws {
        let page = PixelRect(x: 0, y: 0, width: 400, height: 360)
        let (here, there) = (PixelRect(x: 100, y: 60, width: 12, height: 16), PixelRect(x: 200, y: 100, width: 12, height: 16))
        func picture(pointer: PixelRect) throws -> PixelBuffer {
            let thing = Thing(area: pointer, rate: 0, seconds: 0..<1)
            return try #require(self.picture(of: [thing], colors: 1))
        }
        func painted(at milliseconds: Int64) throws -> ScreenFrame {
            ScreenFrame(
                pixels: try picture(pointer: here), capturedAt: .zero + .milliseconds(milliseconds), damage: page, pointer: here)
        }
        var watch = ContentWatch(source: Self.size)
        #expect(watch.look(at: try painted(at: 0), cadence: nil) == .picture)
        #expect(watch.look(at: try painted(at: 33), cadence: nil) == .repeated)
        let moved = ScreenFrame(
            pixels: try picture(pointer: there), capturedAt: .zero + .milliseconds(66),
            damage: here.union(there).union(content), content: content, pointer: there)
        #expect(watch.look(at: moved, cadence: nil) != .repeated)
        #expect(watch.look(at: try painted(at: 100), cadence: nil) == .beside)
        #expect(watch.look(at: try painted(at: 133), cadence: nil) == .repeated)
    }
}
