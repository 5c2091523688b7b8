import CXCB
import Media
import Testing

@testable import ScreenCapture

extension XServerSuite {
    @Suite("A window that draws its own shadow")
    struct FrameExtentsTests {
        private let server: VirtualScreen
        private let painter: Painter
        private let place = PixelRect(x: 200, y: 150, width: 301, height: 203)
        /// What is seen of it: 26 pixels from its left, 25 from its right, 23 from its top, 29 from its bottom.
        private let seen = PixelRect(x: 26, y: 23, width: 250, height: 151)

        init() throws {
            server = try VirtualScreen()
            painter = try Painter(server.display)
        }

        /// Red where it draws its shadow, else gray.
        private func makeWindow(border: Int = 0) -> UInt32 {
            let window = painter.makeWindow(place, title: "Notes", border: border, color: red)
            setExtents(window, [26, 25, 23, 29])
            painter.map(window)
            painter.fill(window, seen, gray)
            painter.finish()
            return window
        }

        private func setExtents(_ window: UInt32, _ words: [UInt32]) {
            painter.setProperty(window, "_GTK_FRAME_EXTENTS", XCB_ATOM_CARDINAL, words: words)
            painter.finish()
        }

        private func source(showsCursor: Bool = false) throws -> ScreenSource {
            try ScreenSource(display: server.display, target: .window("Notes"), showsCursor: showsCursor)
        }

        @Test("Is shared without it, and what is drawn lies where it is seen", arguments: [0, 3])
        func withoutShadow(border: Int) throws {
            let window = makeWindow(border: border)
            let source = try source()
            #expect(source.size == seen.size)
            let whole = PixelRect(seen.size)
            try #require(try source.watch { $0.size == seen.size && $0.isFilled(whole, gray) } != nil)
            try source.settleDown()
            painter.fill(window, PixelRect(x: seen.x + 5, y: seen.y + 6, width: 7, height: 8), green)
            painter.finish()
            let spot = PixelRect(x: 5, y: 6, width: 7, height: 8)
            let damage = try source.watch { $0.isFilled(spot, green) && $0[4, 6] == gray && $0[12, 6] == gray }
            #expect(damage == spot)
        }

        @Test("Is followed where it draws none any more, and where it draws another")
        func followed() throws {
            let window = makeWindow()
            let source = try source()
            try #require(try source.watch { $0.size == seen.size } != nil)
            try source.settleDown()
            setExtents(window, [0, 0, 0, 0])
            try #require(try source.watch { $0.size == place.size && $0[0, 0] == red && $0[26, 23] == gray } != nil)
            try source.settleDown()
            setExtents(window, [30, 31, 40, 41])
            let inside = PixelSize(width: 240, height: 122)
            try #require(try source.watch { $0.size == inside && $0.isFilled(PixelRect(inside), gray) } != nil)
        }

        @Test("Is followed into another size")
        func resized() throws {
            let window = makeWindow()
            let source = try source()
            try source.settleDown()
            painter.place(window, PixelRect(x: 0, y: 0, width: 640, height: 480))
            painter.finish()
            try #require(try source.watch { $0.size == PixelSize(width: 589, height: 428) } != nil)
        }

        @Test("Shows the pointer where it is, and not over its shadow")
        func pointer() throws {
            painter.setCursor(side: 4, red: 65535, green: 65535, blue: 0)
            painter.movePointer(x: place.x + seen.x + 10, y: place.y + seen.y + 12)
            let yellow: UInt32 = 0xFF_FF00
            _ = makeWindow()
            let source = try source(showsCursor: true)
            let spot = PixelRect(x: 10, y: 12, width: 4, height: 4)
            try #require(try source.watch { $0.isFilled(spot, yellow) && $0[9, 12] == gray } != nil)
            painter.movePointer(x: place.x + seen.x - 2, y: place.y + seen.y + 12)
            try #require(try source.watch { $0.isFilled(PixelRect(seen.size), gray) } != nil)
        }

        @Test("Is listed as large as it is seen")
        func listed() throws {
            _ = makeWindow()
            let windows = try SourceList.load(display: server.display).windows
            let window = try #require(windows.first)
            let listed = PixelRect(x: window.x, y: window.y, width: window.width, height: window.height)
            #expect(listed == PixelRect(x: 226, y: 173, width: 250, height: 151))
        }
    }
}

@Suite("A shadow's extents, without a server")
struct ExtentsRuleTests {
    private let place = PixelRect(x: 10, y: 20, width: 300, height: 200)

    @Test("They are taken off a window's place: left, right, top, bottom")
    func inset() {
        let seen = FrameExtents([26, 25, 23, 29]).inset(place)
        #expect(seen == PixelRect(x: 36, y: 43, width: 249, height: 148))
    }

    @Test(
        "Without four words, or where nothing would be left, all of the window is seen",
        arguments: [[], [1, 2, 3], [150, 150, 0, 0], [0, 0, 100, 100], [.max, .max, .max, .max]] as [[UInt32]])
    func nothingLeft(words: [UInt32]) {
        #expect(FrameExtents(words).inset(place) == place)
    }
}
