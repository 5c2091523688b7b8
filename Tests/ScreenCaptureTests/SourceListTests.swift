import CXCB
import Media
@testable import ScreenCapture
import Testing

extension XServerSuite {
    @Suite("The list of sources")
    struct SourceListTests {
        @Test("It names the display, its monitors and its windows")
        func list() throws {
            let server = try VirtualScreen("800x600x24")
            let painter = try Painter(server.display)
            try server.run("xrandr", "--setmonitor", "right", "300/100x600/80+500+0", "none")
            let shown = painter.makeWindow(PixelRect(x: 40, y: 30, width: 200, height: 100), title: "Letter")
            painter.map(shown)
            let withdrawn = painter.makeWindow(PixelRect(x: 0, y: 0, width: 50, height: 50), title: "Withdrawn")
            painter.finish()
            let sources = try SourceList.load(display: server.display)
            #expect(
                sources.displays == [SourceList.Display(name: server.display, width: 800, height: 600, depth: 24)])
            #expect(
                sources.monitors.contains(
                    SourceList.Monitor(name: "right", x: 500, y: 0, width: 300, height: 600, isPrimary: false)))
            #expect(
                sources.windows == [
                    SourceList.Window(
                        id: shown, title: "Letter", pid: nil, x: 40, y: 30, width: 200, height: 100, isVisible: true)
                ])
            #expect(!sources.windows.contains { $0.id == withdrawn })
        }

        @Test("Where a window manager keeps a list, that counts: minimised windows too, but no menus")
        func clientList() throws {
            let server = try VirtualScreen("800x600x24")
            let painter = try Painter(server.display)
            let rect = PixelRect(x: 10, y: 20, width: 300, height: 200)
            let shown = painter.makeWindow(rect, title: "old title")
            painter.setTitle(shown, "Übersicht – Größen")
            painter.setProperty(shown, "_NET_WM_PID", XCB_ATOM_CARDINAL, words: [4711])
            let minimised = painter.makeWindow(rect, title: "Minimised")
            let menu = painter.makeWindow(rect, title: "Menu")
            painter.map(shown)
            painter.map(menu)
            // The last is one that was closed since.
            let clients = [shown, minimised, 0x7F_FFFF]
            painter.setProperty(painter.root, "_NET_CLIENT_LIST", XCB_ATOM_WINDOW, words: clients)
            painter.finish()
            let windows = try SourceList.load(display: server.display).windows
            #expect(windows.map(\.id) == [shown, minimised])
            #expect(windows.map(\.title) == ["Übersicht – Größen", "Minimised"])
            #expect(windows.map(\.pid) == [4711, nil])
            #expect(windows.map(\.isVisible) == [true, false])
            let source = try ScreenSource(display: server.display, target: .window("größen"))
            #expect(source.size == rect.size)
        }
    }
}
