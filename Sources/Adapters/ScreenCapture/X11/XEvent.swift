import CXCB
import Media

/// What the server tells unasked, in the order in which it happened.
enum XEvent: Hashable {
    /// An area of the watched drawable that was damaged, and not told of since the last DamageSubtract; when, in
    /// milliseconds of the server's clock, which wrap within 50 days.
    case damage(PixelRect, drawn: UInt32, sequence: UInt32)
    case pointerMoved
    case cursorChanged
    /// The root window, its outputs or its monitors changed.
    case screenChanged
    /// A watched window was moved or resized, or a window manager says where it is.
    case windowConfigured(xcb_window_t, size: PixelSize?)
    /// A watched window was mapped, unmapped or given another parent.
    case windowRemapped(xcb_window_t)
    case windowDestroyed(xcb_window_t)
    case propertyChanged(xcb_window_t, xcb_atom_t)
}

extension XEvent {
    /// Nil for what is of no interest, errors of unchecked requests among them.
    init?(_ event: UnsafeMutablePointer<xcb_generic_event_t>, extensions: Extensions, root: xcb_window_t) {
        let type = event.pointee.response_type & 0x7F
        let isSynthetic = event.pointee.response_type & 0x80 != 0
        if let core = Self.window(event, type: type, isSynthetic: isSynthetic, root: root) {
            self = core
        } else if !isSynthetic, let other = Self.extended(event, type: type, extensions: extensions) {
            self = other
        } else {
            return nil
        }
    }

    /// This and the next as one, where both tell of damage and no request lies between them.
    func joined(with next: XEvent) -> XEvent? {
        guard case .damage(let area, _, let sequence) = self, case .damage(let other, let drawn, sequence) = next else {
            return nil
        }
        return .damage(area.union(other), drawn: drawn, sequence: sequence)
    }

    private static func window(
        _ event: UnsafeMutablePointer<xcb_generic_event_t>, type: UInt8, isSynthetic: Bool, root: xcb_window_t
    ) -> XEvent? {
        switch Int32(type) {
        case XCB_CONFIGURE_NOTIFY:
            let body = event.body(as: xcb_configure_notify_event_t.self)
            if body.window == root { return .screenChanged }
            // A window manager tells of a move, with the border that was asked for instead of the one there is; of another
            // size the server tells as well.
            if isSynthetic { return .windowConfigured(body.window, size: nil) }
            let border = 2 * Int(body.border_width)
            let size = PixelSize(width: Int(body.width) + border, height: Int(body.height) + border)
            return .windowConfigured(body.window, size: size)
        case XCB_MAP_NOTIFY: return .windowRemapped(event.body(as: xcb_map_notify_event_t.self).window)
        case XCB_UNMAP_NOTIFY: return .windowRemapped(event.body(as: xcb_unmap_notify_event_t.self).window)
        case XCB_REPARENT_NOTIFY: return .windowRemapped(event.body(as: xcb_reparent_notify_event_t.self).window)
        case XCB_DESTROY_NOTIFY: return .windowDestroyed(event.body(as: xcb_destroy_notify_event_t.self).window)
        case XCB_PROPERTY_NOTIFY:
            let body = event.body(as: xcb_property_notify_event_t.self)
            return .propertyChanged(body.window, body.atom)
        default: return nil
        }
    }

    private static func extended(
        _ event: UnsafeMutablePointer<xcb_generic_event_t>, type: UInt8, extensions: Extensions
    ) -> XEvent? {
        if type == extensions.damage?.firstEvent {
            let body = event.body(as: xcb_damage_notify_event_t.self)
            return .damage(PixelRect(body.area), drawn: body.timestamp, sequence: event.pointee.full_sequence)
        }
        // XFixes 5: SelectionNotify is event 0, CursorNotify event 1.
        if let fixes = extensions.fixes, type == fixes.firstEvent &+ 1 { return .cursorChanged }
        // RandR 1.5: ScreenChangeNotify is event 0, Notify (outputs, CRTCs, resources) event 1.
        if let randr = extensions.randr, type == randr.firstEvent || type == randr.firstEvent &+ 1 {
            return .screenChanged
        }
        if type == UInt8(XCB_GE_GENERIC), let input = extensions.input {
            let body = event.body(as: xcb_ge_generic_event_t.self)
            if body.extension == input.majorOpcode, body.event_type == PointerMotion.event { return .pointerMoved }
        }
        return nil
    }
}

extension UnsafeMutablePointer<xcb_generic_event_t> {
    /// The event as the structure that its type says it is; libxcb allocates at least 32 bytes for each.
    fileprivate func body<Body>(as type: Body.Type) -> Body {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Body.self).pointee
    }
}

extension PixelRect {
    init(_ rectangle: xcb_rectangle_t) {
        self.init(
            x: Int(rectangle.x), y: Int(rectangle.y), width: Int(rectangle.width), height: Int(rectangle.height))
    }
}
