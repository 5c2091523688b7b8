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

    /// Blackens what of a window's pixmap lies outside the window's shape. No program draws there, so that it shows what
    /// stood there on the screen. Nobody draws meanwhile.
    ///
    /// - Parameter border: how far the window's corner lies within the pixmap.
    /// - Returns: the request that drew, with which the server tells of damage to all of the window's shape; nil without
    ///   XFIXES.
    func blacken(
        _ pixmap: xcb_pixmap_t, of size: PixelSize, outsideShapeOf window: xcb_window_t, border: Int
    ) -> UInt32? {
        guard extensions.fixes != nil else { return nil }
        let (region, context) = (makeIdentifier(), makeIdentifier())
        let (width, height) = (UInt16(clamping: size.width), UInt16(clamping: size.height))
        let corner = Int16(clamping: border)
        var (black, whole) = (UInt32(0), xcb_rectangle_t(x: 0, y: 0, width: width, height: height))
        xcb_grab_server(handle)
        xcb_xfixes_create_region_from_window(handle, region, window, Self.boundingShape)
        let bounds = xcb_rectangle_t(x: -corner, y: -corner, width: width, height: height)
        xcb_xfixes_invert_region(handle, region, bounds, region)
        xcb_create_gc(handle, context, pixmap, XCB_GC_FOREGROUND.rawValue, &black)
        // Nothing at all, should the region not have come to be.
        xcb_set_clip_rectangles(handle, UInt8(XCB_CLIP_ORDERING_UNSORTED.rawValue), context, 0, 0, 0, nil)
        xcb_xfixes_set_gc_clip_region(handle, context, region, corner, corner)
        let drawn = xcb_poly_fill_rectangle(handle, pixmap, context, 1, &whole).sequence
        xcb_ungrab_server(handle)
        xcb_free_gc(handle, context)
        xcb_xfixes_destroy_region(handle, region)
        return drawn
    }

    /// ShapeBounding of the SHAPE extension.
    private static let boundingShape: UInt8 = 0

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
