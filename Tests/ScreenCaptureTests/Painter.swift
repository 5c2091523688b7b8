import CXCB
import Glibc
import Media
import TestSupport

/// A program that draws: an X client of the test's own.
final class Painter {
    private let connection: OpaquePointer
    let root: xcb_window_t
    private let context: xcb_gcontext_t
    private let visual: xcb_visualid_t
    private let depth: UInt8

    init(_ display: String) throws {
        guard let connection = xcb_connect(display, nil), xcb_connection_has_error(connection) == 0,
            let setup = xcb_get_setup(connection)
        else { throw Program.Failure("no connection to \(display)") }
        self.connection = connection
        let screen = xcb_setup_roots_iterator(setup).data.pointee
        root = screen.root
        visual = screen.root_visual
        depth = screen.root_depth
        context = xcb_generate_id(connection)
        var noExposures: UInt32 = 0
        xcb_create_gc(connection, context, root, XCB_GC_GRAPHICS_EXPOSURES.rawValue, &noExposures)
        // What windows beneath others draw on the root counts too.
        var mode = XCB_SUBWINDOW_MODE_INCLUDE_INFERIORS.rawValue
        xcb_change_gc(connection, context, XCB_GC_SUBWINDOW_MODE.rawValue, &mode)
    }

    deinit { xcb_disconnect(connection) }

    /// Returns when the server has done everything asked so far.
    func finish() {
        free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil))
    }

    func flush() { xcb_flush(connection) }

    func fill(_ drawable: xcb_drawable_t, _ rect: PixelRect, _ color: UInt32) {
        var color = color
        xcb_change_gc(connection, context, XCB_GC_FOREGROUND.rawValue, &color)
        var area = xcb_rectangle_t(
            x: Int16(rect.x), y: Int16(rect.y), width: UInt16(rect.width), height: UInt16(rect.height))
        xcb_poly_fill_rectangle(connection, drawable, context, 1, &area)
    }

    func copy(_ drawable: xcb_drawable_t, from source: PixelRect, toY y: Int) {
        xcb_copy_area(
            connection, drawable, drawable, context, Int16(source.x), Int16(source.y), Int16(source.x), Int16(y),
            UInt16(source.width), UInt16(source.height))
    }

    /// Somewhere to draw that nobody sees.
    func makePixmap(width: Int, height: Int) -> xcb_pixmap_t {
        let pixmap = xcb_generate_id(connection)
        xcb_create_pixmap(connection, depth, pixmap, root, UInt16(width), UInt16(height))
        return pixmap
    }

    // MARK: Windows

    func makeWindow(
        _ rect: PixelRect, title: String = "", in parent: xcb_window_t? = nil, border: Int = 0, color: UInt32? = 0,
        number: xcb_window_t? = nil
    ) -> xcb_window_t {
        let window = number ?? xcb_generate_id(connection)
        // Pixmap 0: no background, as most programs have it that draw all of their windows themselves.
        var values = [color ?? 0, color ?? 0]
        let background = color == nil ? XCB_CW_BACK_PIXMAP : XCB_CW_BACK_PIXEL
        xcb_create_window(
            connection, UInt8(XCB_COPY_FROM_PARENT), window, parent ?? root, Int16(rect.x), Int16(rect.y),
            UInt16(rect.width), UInt16(rect.height), UInt16(border), UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue),
            visual, background.rawValue | XCB_CW_BORDER_PIXEL.rawValue, &values)
        if !title.isEmpty {
            xcb_change_property(
                connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, XCB_ATOM_WM_NAME.rawValue,
                XCB_ATOM_STRING.rawValue, 8, UInt32(title.utf8.count), title)
        }
        return window
    }

    func setProperty(_ window: xcb_window_t, _ name: String, _ type: xcb_atom_enum_t, words: [UInt32]) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom(name), type.rawValue, 32,
            UInt32(words.count), words)
    }

    /// The title as programs of today set it.
    func setTitle(_ window: xcb_window_t, _ title: String) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom("_NET_WM_NAME"), atom("UTF8_STRING"), 8,
            UInt32(title.utf8.count), title)
    }

    private func atom(_ name: String) -> xcb_atom_t {
        let cookie = xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name)
        guard let reply = xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
        defer { free(reply) }
        return reply.pointee.atom
    }

    func map(_ window: xcb_window_t) { xcb_map_window(connection, window) }
    func unmap(_ window: xcb_window_t) { xcb_unmap_window(connection, window) }
    func destroy(_ window: xcb_window_t) { xcb_destroy_window(connection, window) }

    /// Moves it and gives it a size.
    func place(_ window: xcb_window_t, _ rect: PixelRect) {
        var values = [Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height)].map(UInt32.init(bitPattern:))
        let mask = XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue | XCB_CONFIG_WINDOW_WIDTH.rawValue
        xcb_configure_window(connection, window, UInt16(mask | XCB_CONFIG_WINDOW_HEIGHT.rawValue), &values)
    }

    /// Nothing of it is left but this part.
    func setShape(_ window: xcb_window_t, _ rect: PixelRect) {
        free(xcb_xfixes_query_version_reply(connection, xcb_xfixes_query_version(connection, 5, 0), nil))
        let region = xcb_generate_id(connection)
        var area = xcb_rectangle_t(
            x: Int16(rect.x), y: Int16(rect.y), width: UInt16(rect.width), height: UInt16(rect.height))
        xcb_xfixes_create_region(connection, region, 1, &area)
        let boundingShape: UInt8 = 0
        xcb_xfixes_set_window_shape_region(connection, window, boundingShape, 0, 0, region)
        xcb_xfixes_destroy_region(connection, region)
    }

    func reparent(_ window: xcb_window_t, into parent: xcb_window_t, x: Int, y: Int) {
        xcb_reparent_window(connection, window, parent, Int16(x), Int16(y))
    }

    // MARK: The pointer

    /// Gives the root a square cursor of one colour; the pointer is its top-left pixel.
    func setCursor(side: Int, red: UInt16, green: UInt16, blue: UInt16) {
        let bitmap = xcb_generate_id(connection)
        xcb_create_pixmap(connection, 1, bitmap, root, UInt16(side), UInt16(side))
        let context = xcb_generate_id(connection)
        var one: UInt32 = 1
        xcb_create_gc(connection, context, bitmap, XCB_GC_FOREGROUND.rawValue, &one)
        var area = xcb_rectangle_t(x: 0, y: 0, width: UInt16(side), height: UInt16(side))
        xcb_poly_fill_rectangle(connection, bitmap, context, 1, &area)
        let cursor = xcb_generate_id(connection)
        xcb_create_cursor(connection, cursor, bitmap, bitmap, red, green, blue, red, green, blue, 0, 0)
        var value = cursor
        xcb_change_window_attributes(connection, root, XCB_CW_CURSOR.rawValue, &value)
        finish()
    }

    func movePointer(x: Int, y: Int) {
        xcb_warp_pointer(connection, 0, root, 0, 0, 0, 0, Int16(x), Int16(y))
        finish()
    }
}
