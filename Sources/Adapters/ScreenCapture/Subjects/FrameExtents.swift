import CXCB
import Media
import Timebase

/// What a window draws around itself and is not seen of it: GTK's programs, Firefox and Chrome among them, draw their own
/// frames with a shadow, in pixels that are black without the screen behind them.
struct FrameExtents: Equatable {
    static let property = "_GTK_FRAME_EXTENTS"
    /// Of which it consists: left, right, top, bottom.
    static let words: UInt32 = 4

    private var left = 0
    private var right = 0
    private var top = 0
    private var bottom = 0

    /// - Parameter words: what the property holds; nothing where there is none.
    init(_ words: [UInt32]) {
        guard words.count == Self.words else { return }
        (left, right, top, bottom) = (Int(words[0]), Int(words[1]), Int(words[2]), Int(words[3]))
    }

    /// What is seen of a window's place; all of it where nothing would be left.
    func inset(_ rect: PixelRect) -> PixelRect {
        guard left + right < rect.width, top + bottom < rect.height else { return rect }
        return PixelRect(
            x: rect.x + left, y: rect.y + top, width: rect.width - left - right, height: rect.height - top - bottom)
    }
}

extension XConnection {
    /// - Parameter atom: that of `FrameExtents.property`.
    func frameExtents(
        of window: xcb_window_t, atom: xcb_atom_t, until deadline: Instant
    ) throws(XFailure) -> FrameExtents {
        let cookie = xcb_get_property(handle, 0, window, atom, XCB_ATOM_CARDINAL.rawValue, 0, FrameExtents.words)
        let reply = try reply(cookie.sequence, as: xcb_get_property_reply_t.self, until: deadline)
        return FrameExtents(Property(reply).words)
    }
}
