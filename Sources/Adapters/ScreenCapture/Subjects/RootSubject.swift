import CXCB
import Media
import Timebase

/// A whole screen, one of its monitors, or a region of it.
final class RootSubject: Subject {
    enum Area {
        case display
        case monitor(String, atom: xcb_atom_t)
        case region(PixelRect)
    }

    let format: PixelFormat
    private let area: Area
    private let connection: XConnection

    /// - Throws: `unavailable` where a monitor does not exist or a region lies beside the screen, `unsupported` for a pixel
    ///   layout.
    init(_ target: CaptureTarget, on connection: XConnection, until deadline: Instant) throws(CaptureError) {
        self.connection = connection
        format = try PixelFormat(
            depth: connection.screen.depth, visual: connection.screen.visual, of: connection.handle)
        switch target {
        case .region(let rect): area = try Self.region(rect, on: connection, until: deadline)
        case .monitor(let name): area = try Self.monitor(name, on: connection, until: deadline)
        case .display, .window: area = .display
        }
        connection.watchScreen()
    }

    var watched: xcb_window_t { connection.root }

    var nominalSize: PixelSize {
        switch area {
        case .region(let rect): rect.size
        case .display, .monitor: connection.screen.size
        }
    }

    func look(until deadline: Instant) throws(XFailure) -> Sight {
        let screen = try connection.screenSize(until: deadline)
        switch area {
        case .display:
            return see(PixelRect(screen), of: screen, otherwise: "")
        case .region(let rect):
            let complaint = "The region \(rect.geometry) lies outside the screen, which is \(screen) now."
            return see(rect, of: screen, otherwise: complaint)
        case .monitor(let name, let atom):
            let monitor = try connection.monitors(until: deadline).first { $0.name == atom }
            let complaint = "The monitor \(name) is not connected or switched off; sharing goes on when it is back."
            return see(monitor?.rect ?? PixelRect(x: 0, y: 0, width: 0, height: 0), of: screen, otherwise: complaint)
        }
    }

    private func see(_ rect: PixelRect, of screen: PixelSize, otherwise complaint: String) -> Sight {
        let visible = rect.intersection(PixelRect(screen))
        guard !visible.isEmpty else { return .hidden(complaint) }
        return .visible(
            Surface(drawable: connection.root, rect: visible, originX: visible.x, originY: visible.y))
    }

    func reaction(to event: XEvent) -> Reaction { event == .screenChanged ? .settle : .none }

    func askForPointer() -> PointerQuestion {
        PointerQuestion(onRoot: xcb_query_pointer(connection.handle, connection.root).sequence)
    }

    func pointer(_ answer: PointerAnswer, on surface: Surface) -> PixelPoint? {
        guard answer.isOnScreen else { return nil }
        return PixelPoint(x: answer.onRoot.x - surface.originX, y: answer.onRoot.y - surface.originY)
    }

    /// A region that was on the screen comes back with it; one that never was is a mistake.
    private static func region(
        _ rect: PixelRect, on connection: XConnection, until deadline: Instant
    ) throws(CaptureError) -> Area {
        let screen = try connection.require { () throws(XFailure) in try connection.screenSize(until: deadline) }
        guard !rect.intersection(PixelRect(screen)).isEmpty else {
            throw .unavailable("The region \(rect.geometry) lies outside the screen, which is \(screen).")
        }
        return .region(rect)
    }

    private static func monitor(
        _ name: String, on connection: XConnection, until deadline: Instant
    ) throws(CaptureError) -> Area {
        guard connection.extensions.hasMonitors else {
            throw .unavailable(
                "The X server of display \(connection.display) has no RandR 1.5, and so no monitors by name.")
        }
        let names = try connection.require { () throws(XFailure) in try connection.monitorNames(until: deadline) }
        let atom = try connection.require { () throws(XFailure) in try connection.atom(name, until: deadline) }
        guard names.contains(name) else {
            throw .unavailable("There is no monitor \"\(name)\". \(Self.list(names))")
        }
        return .monitor(name, atom: atom)
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "This display has no monitors." : "There is \(names.joined(separator: ", "))."
    }
}
