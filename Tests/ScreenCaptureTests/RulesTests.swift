import Glibc
import Media
import Testing
import Timebase

@testable import ScreenCapture

@Suite("Rules of capture, without a server")
struct RulesTests {
    @Test("Damage told with an older number than the grab's was overtaken, with the same number it is new")
    func damageOrder() {
        var tracker = DamageTracker()
        let (first, second, third) = (rect(y: 0), rect(y: 50), rect(y: 90))
        tracker.add(first, sequence: 7)
        #expect(tracker.pending == first)
        tracker.begin(grab: 9, cleared: 8)
        #expect(tracker.pending.isEmpty)
        tracker.add(second, sequence: 7)
        tracker.add(third, sequence: 9)
        let overtaken = tracker.end()
        #expect(overtaken.areas == [second])
        #expect(tracker.pending == third)
    }

    @Test("What is damaged between the server's forgetting and the grab is fetched twice: it will not be told again")
    func damageBetween() {
        var tracker = DamageTracker()
        tracker.begin(grab: 9, cleared: 8)
        tracker.add(rect(y: 50), sequence: 8)
        let overtaken = tracker.end()
        #expect(overtaken.areas == [rect(y: 50)])
        #expect(tracker.pending == rect(y: 50))
    }

    @Test("The order holds where sequence numbers wrap")
    func damageOrderWraps() {
        var tracker = DamageTracker()
        tracker.begin(grab: 1, cleared: 0)
        tracker.add(rect(y: 0), sequence: .max)
        tracker.add(rect(y: 5), sequence: 2)
        let overtaken = tracker.end()
        #expect(overtaken.areas == [rect(y: 0)])
        #expect(tracker.pending == rect(y: 5))
    }

    @Test("What is damaged far apart stays apart, whether it was known when the pixels were asked for or not")
    func damageApart() {
        var tracker = DamageTracker()
        let rects = [0, 200, 400, 600].map { rect(y: $0) }
        tracker.add(rects[0], sequence: 7)
        tracker.add(rects[1], sequence: 7)
        #expect(tracker.damaged.areas == [rects[0], rects[1]] && tracker.pending == rects[0].union(rects[1]))
        tracker.begin(grab: 9, cleared: 8)
        tracker.add(rects[2], sequence: 7)
        tracker.add(rects[3], sequence: 7)
        let overtaken = tracker.end()
        #expect(overtaken.areas == [rects[2], rects[3]] && tracker.damaged.isEmpty)
    }

    @Test("What is to be fetched was drawn when the server told of it last, and what is fetched has no say in what follows")
    func damageDated() {
        let moments = (0..<4).map { Instant.zero + .milliseconds(10 * $0) }
        var tracker = DamageTracker()
        #expect(tracker.drawnAt == nil)
        tracker.add(rect(y: 0), sequence: 7, drawnAt: moments[0])
        tracker.add(rect(y: 50), sequence: 7, drawnAt: moments[1])
        #expect(tracker.drawnAt == moments[1])
        tracker.begin(grab: 9, cleared: 8)
        tracker.add(rect(y: 50), sequence: 7, drawnAt: moments[2])
        #expect(tracker.drawnAt == nil, "that was overtaken")
        tracker.add(rect(y: 50), sequence: 9, drawnAt: moments[3])
        _ = tracker.end()
        #expect(tracker.drawnAt == moments[3])
        tracker.restart(with: PixelSize(width: 100, height: 100))
        #expect(tracker.drawnAt == nil, "all of another picture is fetched")
    }

    @Test("Damage told twice with one number can be kept as one, and nothing else")
    func joinedDamage() {
        let (above, below) = (rect(y: 0), rect(y: 200))
        let damage = XEvent.damage(above, drawn: 500, sequence: 7)
        let joined = damage.joined(with: .damage(below, drawn: 520, sequence: 7))
        #expect(joined == .damage(above.union(below), drawn: 520, sequence: 7))
        #expect(damage.joined(with: .damage(below, drawn: 520, sequence: 8)) == nil)
        #expect(damage.joined(with: .pointerMoved) == nil && XEvent.pointerMoved.joined(with: damage) == nil)
    }

    @Test("A tall band is fetched whole, a low one alone, none for no damage")
    func band() {
        let size = PixelSize(width: 100, height: 100)
        #expect(PixelRect(x: 5, y: 10, width: 1, height: 75).band(in: size) == 10..<85)
        #expect(PixelRect(x: 5, y: 10, width: 1, height: 76).band(in: size) == 0..<100)
        #expect(PixelRect.nothing.band(in: size).isEmpty)
    }

    @Test("Rectangles are read as X11 programs write them", arguments: [
        ("800x600+10+20", PixelRect(x: 10, y: 20, width: 800, height: 600)),
        ("1x1+0+0", PixelRect(x: 0, y: 0, width: 1, height: 1)),
        ("30x40+-5+-6", PixelRect(x: -5, y: -6, width: 30, height: 40)),
    ])
    func geometry(_ text: String, _ rect: PixelRect) {
        #expect(PixelRect(geometry: text) == rect)
    }

    @Test("What is no rectangle is refused", arguments: [
        "", "800x600", "800x600+1", "0x5+0+0", "-5x5+0+0", "800x600+1+2+3", "axb+0+0", "99999x1+0+0", "1x1+99999+0",
        "1 x1+0+0",
    ])
    func noGeometry(_ text: String) {
        #expect(PixelRect(geometry: text) == nil)
    }

    @Test("Only Xwayland within a Wayland session is refused, not another server of the same session")
    func sessions() {
        func kind(_ isWayland: Bool, _ hasExtension: Bool, _ output: String?) -> SessionKind {
            SessionKind(isWaylandSession: isWayland, hasExtension: hasExtension, output: output)
        }
        #expect(kind(true, true, nil) == .xwayland)
        #expect(kind(true, false, "XWAYLAND0") == .xwayland)
        #expect(kind(true, false, "screen") == .x11)
        #expect(kind(true, false, nil) == .x11)
        #expect(kind(false, true, "XWAYLAND0") == .x11)
        #expect(SessionKind.isWayland { $0 == "XDG_SESSION_TYPE" ? "wayland" : nil })
        #expect(SessionKind.isWayland { $0 == "WAYLAND_DISPLAY" ? "wayland-0" : nil })
        #expect(!SessionKind.isWayland { $0 == "XDG_SESSION_TYPE" ? "x11" : nil })
    }

    @Test("An Xwayland that is shared, because nothing tells of a Wayland session, is told of")
    func doubtfulSession() throws {
        let doubt = try #require(SessionKind.doubt(about: ":0", hasExtension: true))
        #expect(doubt.contains(":0 is Xwayland") && doubt.contains("black"))
        #expect(SessionKind.doubt(about: ":0", hasExtension: false) == nil)
    }

    @Test("Without a display it says what to do")
    func displayNames() throws {
        #expect(try XConnection.displayName(":5", ":0", isWayland: true) == ":5")
        #expect(try XConnection.displayName(nil, ":0", isWayland: true) == ":0")
        let missing = #expect(throws: CaptureError.self) { try XConnection.displayName(nil, nil, isWayland: false) }
        #expect("\(missing, default: "")".contains("set DISPLAY, or name one"))
        let wayland = #expect(throws: CaptureError.self) { try XConnection.displayName("", nil, isWayland: true) }
        #expect("\(wayland, default: "")".contains("Wayland"))
    }

    @Test("A pointer is looked at once a frame while it moves only, and listened to again once it rests")
    func pointerWatch() {
        let start = Instant(nanoseconds: 1_000_000_000_000)
        var watch = PointerWatch(hasEvents: true, now: start)
        let turnsOff = watch.look(at: start, moved: false)
        #expect(!turnsOff)
        #expect(watch.nextLook == start + .milliseconds(250))
        // The first motion turns the events off, the next does not do so again.
        let (first, second) = (
            watch.noticeMotion(at: start + .milliseconds(100)), watch.noticeMotion(at: start + .milliseconds(101))
        )
        #expect(first)
        #expect(!second)
        #expect(watch.isDue(at: start + .milliseconds(101)))
        _ = watch.look(at: start + .milliseconds(101), moved: true)
        #expect(watch.nextLook == start + .milliseconds(134))
        let (early, late) = (
            watch.rest(at: start + .milliseconds(600)), watch.rest(at: start + .milliseconds(601))
        )
        #expect(!early)
        #expect(late)
        // A pointer that a program moved makes no event, and is found moved all the same.
        let found = watch.look(at: start + .milliseconds(800), moved: true)
        #expect(found)
        #expect(watch.nextLook == start + .milliseconds(833))
    }

    @Test("A pointer is looked at no more often than is wanted, but at once when it begins to move")
    func pointerWatchPeriod() {
        let start = Instant.zero + .seconds(10)
        var watch = PointerWatch(hasEvents: true, now: start)
        watch.period = .milliseconds(100)
        _ = watch.look(at: start, moved: false)
        _ = watch.noticeMotion(at: start + .milliseconds(20))
        #expect(watch.isDue(at: start + .milliseconds(20)))
        _ = watch.look(at: start + .milliseconds(20), moved: true)
        #expect(!watch.isDue(at: start + .milliseconds(119)))
        #expect(watch.isDue(at: start + .milliseconds(120)))
    }

    @Test("Without events the pointer is polled for ever")
    func pointerWatchWithoutEvents() {
        let start = Instant(nanoseconds: 1_000_000_000_000)
        var watch = PointerWatch(hasEvents: false, now: start)
        _ = watch.look(at: start, moved: false)
        #expect(watch.nextLook == start + .milliseconds(33))
        let rests = watch.rest(at: start + .seconds(60))
        #expect(!rests)
    }

    @Test("The pointer is blended by its alpha, premultiplied, and lifted without a trace")
    func blend() throws {
        let memory = PictureMemory.makePrivate(byteCount: 4 * 4 * 2)
        let picture = try #require(Picture(size: PixelSize(width: 4, height: 2), format: .bgra, memory: memory))
        let ground: UInt32 = 0x00_64_C8_0A
        for row in 0..<2 { picture.withRow(row, columns: 0..<4) { $0.update(repeating: ground) } }
        var overlay = CursorOverlay()
        // Half transparent red, opaque white, fully transparent, half transparent black; the hot spot is the second.
        overlay.image = CursorImage(
            width: 4, height: 1, hotX: 1, hotY: 0, pixels: [0x80_80_00_00, 0xFF_FF_FF_FF, 0, 0x80_00_00_00])
        overlay.point = PixelPoint(x: 1, y: 1)
        #expect(overlay.needsDrawing(in: picture.size))
        let changed = overlay.draw(on: picture)
        #expect(changed == PixelRect(x: 0, y: 1, width: 4, height: 1))
        #expect(!overlay.needsDrawing(in: picture.size))
        let drawn = picture.withRow(1, columns: 0..<4) { Array($0) }
        #expect(drawn == [0xB2_64_05, 0xFF_FF_FF, ground, 0x32_64_05])
        #expect(picture.withRow(0, columns: 0..<4) { Array($0) } == [UInt32](repeating: ground, count: 4))
        overlay.point = nil
        let lifted = overlay.draw(on: picture)
        #expect(lifted == changed)
        #expect(picture.withRow(1, columns: 0..<4) { Array($0) } == [UInt32](repeating: ground, count: 4))
    }

    @Test("A pipe that breaks while it is held back does not end the process")
    func brokenPipe() {
        var descriptors: [Int32] = [-1, -1]
        #expect(pipe(&descriptors) == 0)
        close(descriptors[0])
        defer { close(descriptors[1]) }
        let written = BrokenPipe.held { write(descriptors[1], "x", 1) }
        #expect(written == -1)
        var pending = sigset_t()
        sigpending(&pending)
        #expect(sigismember(&pending, SIGPIPE) == 0)
    }

    private func rect(y: Int) -> PixelRect { PixelRect(x: 0, y: y, width: 10, height: 5) }
}

extension DamageTracker {
    fileprivate mutating func add(_ area: PixelRect, sequence: UInt32) { add(area, sequence: sequence, drawnAt: .zero) }
}
