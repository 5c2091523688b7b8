import CXCB
import Media

/// One X screen: its root window and how pixels of its windows lie in memory.
struct XScreen {
    let root: xcb_window_t
    let size: PixelSize
    let depth: UInt8
    let visual: xcb_visualid_t
}

extension XScreen {
    /// The screens that the server announced when the connection was set up.
    static func all(of connection: OpaquePointer) -> [XScreen] {
        var iterator = xcb_setup_roots_iterator(xcb_get_setup(connection))
        var screens: [XScreen] = []
        while iterator.rem > 0 {
            let screen = iterator.data.pointee
            let size = PixelSize(width: Int(screen.width_in_pixels), height: Int(screen.height_in_pixels))
            screens.append(
                XScreen(root: screen.root, size: size, depth: screen.root_depth, visual: screen.root_visual))
            xcb_screen_next(&iterator)
        }
        return screens
    }
}

extension PixelFormat {
    /// How pixels of a window or screen of this depth and visual lie in memory.
    init(depth: UInt8, visual: xcb_visualid_t, of connection: OpaquePointer) throws(CaptureError) {
        guard let setup = xcb_get_setup(connection) else { throw .lost("The X server is gone.") }
        guard UInt32(setup.pointee.image_byte_order) == XCB_IMAGE_ORDER_LSB_FIRST.rawValue else {
            throw .unsupported("This X server keeps pixels in big-endian byte order; only little-endian is supported.")
        }
        let supported = "Depth 24 and 30 with 32 bits for each pixel are supported."
        let bits = Self.bitsPerPixel(depth: depth, setup)
        guard bits == 32 else {
            throw .unsupported("The screen has depth \(depth) (\(bits) bits for each pixel). \(supported)")
        }
        switch (depth, Self.masks(of: visual, setup)) {
        // Depth 32 is depth 24 with an alpha byte beside the colours.
        case (24, [0xFF_0000, 0xFF00, 0xFF]), (32, [0xFF_0000, 0xFF00, 0xFF]): self = .bgra
        case (30, [0x3FF0_0000, 0xF_FC00, 0x3FF]): self = .bgr10
        default:
            throw .unsupported("Depth \(depth) with this order of colours is not supported. \(supported)")
        }
    }

    private static func bitsPerPixel(depth: UInt8, _ setup: UnsafePointer<xcb_setup_t>) -> Int {
        var iterator = xcb_setup_pixmap_formats_iterator(setup)
        while iterator.rem > 0 {
            if iterator.data.pointee.depth == depth { return Int(iterator.data.pointee.bits_per_pixel) }
            xcb_format_next(&iterator)
        }
        return 0
    }

    /// Red, green and blue of a visual; empty if there is no such visual.
    private static func masks(of visual: xcb_visualid_t, _ setup: UnsafePointer<xcb_setup_t>) -> [UInt32] {
        var screens = xcb_setup_roots_iterator(setup)
        while screens.rem > 0 {
            var depths = xcb_screen_allowed_depths_iterator(screens.data)
            while depths.rem > 0 {
                var visuals = xcb_depth_visuals_iterator(depths.data)
                while visuals.rem > 0 {
                    let type = visuals.data.pointee
                    if type.visual_id == visual { return [type.red_mask, type.green_mask, type.blue_mask] }
                    xcb_visualtype_next(&visuals)
                }
                xcb_depth_next(&depths)
            }
            xcb_screen_next(&screens)
        }
        return []
    }
}
