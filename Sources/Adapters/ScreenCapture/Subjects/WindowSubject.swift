import CXCB
import Media
import SystemClock
import Timebase

/// One window: its own pixels, also while others cover it or it lies partly outside the screen.
///
/// Composite keeps what the window draws in a pixmap of its own. That pixmap is named here, and named again whenever
/// the window was resized or mapped, because then it is another one. Until the window has drawn itself, a new one shows
/// what stood there on the screen: other windows, which nobody shares. Outside its shape it never does: that is blackened.
final class WindowSubject: Subject {
    let format: PixelFormat
    let nominalSize: PixelSize
    private let window: xcb_window_t
    private let title: String
    private let connection: XConnection
    private let extentsAtom: xcb_atom_t
    /// The windows around it, innermost first; the last is the child of the root.
    private var ancestors: [xcb_window_t] = []
    /// The pixmap that holds the window's pixels, and the window's shape when it was named.
    private var pixmap: xcb_pixmap_t?
    private var shape = WindowShape(size: PixelSize(width: 0, height: 0), border: 0)
    private var isRemapped = true
    /// The request that blackened, and whether nobody asked since.
    private var blackened: UInt32?
    private var isBlackenedAnew = false
    /// Its number may be another window's by now.
    private var isClosed = false
    /// Of a new pixmap: since when it is there, and what has been drawn of it.
    private var fresh: (since: Instant, drawn: PixelRect)? = (SystemClock.now(), .nothing)

    /// - Throws: `unavailable` if the window is gone already or has no pixels, `unsupported` for a pixel layout.
    init(
        _ window: xcb_window_t, title: String, on connection: XConnection, until deadline: Instant
    ) throws(CaptureError) {
        guard connection.extensions.composite != nil else {
            throw .unsupported(
                "The X server of display \(connection.display) has no Composite extension, so that single windows "
                    + "can't be shared. Share a region instead.")
        }
        guard window != connection.root else {
            throw .unavailable("The window \(window.hexadecimal) is the whole screen. Share the display instead.")
        }
        self.window = window
        self.title = title
        self.connection = connection
        connection.watch(window, properties: true)
        let attributes = try connection.require { () throws(XFailure) in
            try connection.attributes(of: window, until: deadline)
        }
        guard UInt32(attributes._class) == XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue else {
            throw .unavailable("The window \(window.hexadecimal) takes input only and shows nothing.")
        }
        let geometry = try connection.require { () throws(XFailure) in
            try connection.geometry(of: window, until: deadline)
        }
        format = try PixelFormat(depth: geometry.depth, visual: attributes.visual, of: connection.handle)
        let atom = try connection.require { () throws(XFailure) in
            try connection.atom(FrameExtents.property, until: deadline)
        }
        let extents = try connection.require { () throws(XFailure) in
            try connection.frameExtents(of: window, atom: atom, until: deadline)
        }
        extentsAtom = atom
        nominalSize = extents.inset(PixelRect(WindowShape(geometry).size)).size
        xcb_composite_redirect_window(connection.handle, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
    }

    var watched: xcb_window_t { window }

    func look(until deadline: Instant) throws(XFailure) -> Sight {
        let closed = Sight.closed("The window \(name) was closed. Share another one, or this one again once it is open.")
        if isClosed { return closed }
        let attributes: xcb_get_window_attributes_reply_t
        do throws(XFailure) {
            attributes = try connection.attributes(of: window, until: deadline)
        } catch .refused {
            isClosed = true
            return closed
        }
        if isRemapped { try findAncestors(until: deadline) }
        guard UInt32(attributes.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue else {
            return .hidden("The window \(name) is minimised or hidden; sharing goes on when it is shown again.")
        }
        let geometry = try connection.geometry(of: window, until: deadline)
        let extents = try connection.frameExtents(of: window, atom: extentsAtom, until: deadline)
        let present = WindowShape(geometry)
        if isRemapped || present != shape || pixmap == nil {
            // Resized, and the event that tells of it is still to come.
            if !isRemapped, pixmap != nil { fresh = (SystemClock.now(), .nothing) }
            blacken(try namePixmap(until: deadline), present)
            shape = present
            isRemapped = false
        }
        guard let pixmap else { return .hidden("The window \(name) has not been drawn yet.") }
        if let time = timeToDraw { return .undrawn(until: time) }
        let seen = extents.inset(PixelRect(present.size))
        let rect = PixelRect(
            x: present.border + seen.x, y: present.border + seen.y, width: seen.width, height: seen.height)
        return .visible(Surface(drawable: pixmap, rect: rect, originX: seen.x, originY: seen.y))
    }

    /// Nil once all of the pixmap was drawn, or its time is over: not every window draws itself again.
    private var timeToDraw: Instant? {
        guard let since = fresh?.since, !isDrawn else {
            fresh = nil
            return nil
        }
        let end = since + Limits.drawingTime
        if SystemClock.now() < end { return end }
        fresh = nil
        return nil
    }

    private var isDrawn: Bool {
        fresh.map { !$0.drawn.isEmpty && $0.drawn.contains(PixelRect(shape.size)) } ?? true
    }

    /// A pixmap keeps its size, so that fetching from it never goes wrong; it only gets old.
    /// - Returns: its size.
    @discardableResult
    func namePixmap(until deadline: Instant) throws(XFailure) -> PixelSize {
        if let pixmap { xcb_free_pixmap(connection.handle, pixmap) }
        pixmap = nil
        let identifier = connection.makeIdentifier()
        xcb_composite_name_window_pixmap(connection.handle, window, identifier)
        // Only a reply tells whether that worked; a window unmapped meanwhile has no pixmap.
        let size: PixelSize
        do throws(XFailure) {
            size = WindowShape(try connection.geometry(of: identifier, until: deadline)).size
        } catch {
            // It may be named yet.
            xcb_free_pixmap(connection.handle, identifier)
            throw error
        }
        pixmap = identifier
        return size
    }

    private func blacken(_ size: PixelSize, _ shape: WindowShape) {
        // Resized meanwhile it is named anew.
        guard let pixmap, size == shape.outerSize else { return }
        blackened = connection.blacken(pixmap, of: size, outsideShapeOf: window, border: shape.border)
        isBlackenedAnew = blackened != nil
    }

    func takeOwnDrawing() -> Bool {
        defer { isBlackenedAnew = false }
        return isBlackenedAnew
    }

    private func findAncestors(until deadline: Instant) throws(XFailure) {
        ancestors.removeAll()
        var child = window
        while ancestors.count < Limits.ancestors {
            let parent = try connection.parent(of: child, until: deadline)
            if parent == connection.root || parent == 0 { return }
            ancestors.append(parent)
            connection.watch(parent)
            child = parent
        }
    }

    func reaction(to event: XEvent) -> Reaction {
        switch event {
        case .windowConfigured(window, let size):
            // Back at its old size it has another pixmap all the same.
            guard size.map({ $0 != shape.outerSize }) == true || isRemapped else { return .pointer }
            return replacePixmap()
        case .windowConfigured(let other, _):
            return ancestors.contains(other) ? .pointer : .none
        case .windowRemapped(let other), .windowDestroyed(let other):
            guard other == window || ancestors.contains(other) else { return .none }
            if case .windowDestroyed(window) = event { isClosed = true }
            return replacePixmap()
        case .damage(let area, _, let sequence):
            guard sequence != blackened, let drawn = fresh?.drawn else { return .none }
            fresh?.drawn = drawn.union(area)
            return isDrawn ? .drawn : .none
        case .propertyChanged(window, extentsAtom):
            return .settle
        case .pointerMoved, .cursorChanged, .screenChanged, .propertyChanged:
            return .none
        }
    }

    private func replacePixmap() -> Reaction {
        isRemapped = true
        fresh = (SystemClock.now(), .nothing)
        return .replaced
    }

    func askForPointer() -> PointerQuestion {
        PointerQuestion(
            onRoot: xcb_query_pointer(connection.handle, connection.root).sequence,
            onWindow: xcb_query_pointer(connection.handle, window).sequence)
    }

    /// The pointer counts only where it is over this window, not over another one that covers it.
    func pointer(_ answer: PointerAnswer, on surface: Surface) -> PixelPoint? {
        guard answer.isOnScreen, answer.topLevel == ancestors.last ?? window, let place = answer.onWindow else { return nil }
        let point = PixelPoint(x: place.x - surface.originX, y: place.y - surface.originY)
        let isInside = (0..<surface.size.width).contains(point.x) && (0..<surface.size.height).contains(point.y)
        return isInside ? point : nil
    }

    private var name: String { title.isEmpty ? window.hexadecimal : "\"\(title)\"" }
}

/// What decides whether a window's pixmap is still the same one.
private struct WindowShape: Equatable {
    var size: PixelSize
    var border: Int

    init(size: PixelSize, border: Int) {
        self.size = size
        self.border = border
    }

    init(_ geometry: xcb_get_geometry_reply_t) {
        size = PixelSize(width: Int(geometry.width), height: Int(geometry.height))
        border = Int(geometry.border_width)
    }

    var outerSize: PixelSize { PixelSize(width: size.width + 2 * border, height: size.height + 2 * border) }
}
