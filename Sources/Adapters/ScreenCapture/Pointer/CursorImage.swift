import CXCB
import Media

/// The shape of the pointer: premultiplied ARGB, as XFixes tells it.
struct CursorImage {
    var width: Int
    var height: Int
    var hotX: Int
    var hotY: Int
    var pixels: [UInt32]

    /// Nil for a shape that is empty, too large to be one, or shorter than it claims.
    init?(_ reply: borrowing Reply<xcb_xfixes_get_cursor_image_reply_t>) {
        let body = reply.body
        width = Int(body.width)
        height = Int(body.height)
        hotX = Int(body.xhot)
        hotY = Int(body.yhot)
        guard (1...Limits.cursorSide).contains(width), (1...Limits.cursorSide).contains(height),
            reply.excess >= 4 * width * height
        else { return nil }
        pixels = Array(
            UnsafeBufferPointer(
                start: xcb_xfixes_get_cursor_image_cursor_image(reply.pointer), count: width * height))
    }

    init(width: Int, height: Int, hotX: Int, hotY: Int, pixels: [UInt32]) {
        self.width = width
        self.height = height
        self.hotX = hotX
        self.hotY = hotY
        self.pixels = pixels
    }

    /// Where it is drawn when the pointer is at this point.
    func rect(at point: PixelPoint) -> PixelRect {
        PixelRect(x: point.x - hotX, y: point.y - hotY, width: width, height: height)
    }
}
