import CXCB
import Media
import Timebase

extension XConnection {
    /// Asks to be told when a window is moved, resized, mapped, reparented or destroyed, and when what it says of itself
    /// changes.
    func watch(_ window: xcb_window_t, properties: Bool = false) {
        var mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        if properties { mask |= XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue }
        xcb_change_window_attributes(handle, window, XCB_CW_EVENT_MASK.rawValue, &mask)
    }

    func attributes(
        of window: xcb_window_t, until deadline: Instant
    ) throws(XFailure) -> xcb_get_window_attributes_reply_t {
        try reply(
            xcb_get_window_attributes(handle, window).sequence, as: xcb_get_window_attributes_reply_t.self,
            until: deadline
        ).body
    }

    func geometry(of drawable: xcb_drawable_t, until deadline: Instant) throws(XFailure) -> xcb_get_geometry_reply_t {
        try reply(
            xcb_get_geometry(handle, drawable).sequence, as: xcb_get_geometry_reply_t.self, until: deadline
        ).body
    }

    func parent(of window: xcb_window_t, until deadline: Instant) throws(XFailure) -> xcb_window_t {
        try reply(
            xcb_query_tree(handle, window).sequence, as: xcb_query_tree_reply_t.self, until: deadline
        ).body.parent
    }

    /// The children of a window, lowest first.
    func children(of window: xcb_window_t, until deadline: Instant) throws(XFailure) -> [xcb_window_t] {
        let reply = try reply(
            xcb_query_tree(handle, window).sequence, as: xcb_query_tree_reply_t.self, until: deadline)
        let count = min(Int(xcb_query_tree_children_length(reply.pointer)), reply.excess / 4)
        return Array(
            UnsafeBufferPointer(start: xcb_query_tree_children(reply.pointer), count: count).suffix(Limits.windows))
    }
}

extension UInt32 {
    /// As X11 programs write a window's number.
    var hexadecimal: String { "0x" + String(self, radix: 16) }
}
