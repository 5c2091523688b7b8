import CXCB
import Media
import Timebase

/// Where the pixels of a source are at present.
struct Surface: Equatable {
    var drawable: xcb_drawable_t
    /// The part of the drawable that is fetched.
    var rect: PixelRect
    /// Where the picture's first pixel lies in the coordinates of damage events and of the pointer.
    var originX: Int
    var originY: Int

    var size: PixelSize { rect.size }

    /// A rectangle of the watched window, in pixels of the picture.
    func picture(_ area: PixelRect) -> PixelRect {
        PixelRect(x: area.x - originX, y: area.y - originY, width: area.width, height: area.height)
            .intersection(PixelRect(size))
    }
}

/// What there is to see of a source.
enum Sight {
    case visible(Surface)
    /// Nothing for now; the text says why.
    case hidden(String)
    /// Nothing any more; the text says what to do.
    case closed(String)
    /// It draws itself anew until then, or until that is done.
    case undrawn(until: Instant)
}

/// What an event means to a source.
enum Reaction: Comparable {
    case none
    /// The picture stays, but the pointer may be elsewhere in it.
    case pointer
    /// Place, size or visibility may have changed.
    case settle
    /// The same, and nothing of the old pixels is left.
    case replaced
    /// What was waited for is drawn.
    case drawn
}

/// Something that can be captured: a part of the root window, or one window.
protocol Subject: AnyObject {
    /// The window whose damage is reported.
    var watched: xcb_window_t { get }
    var format: PixelFormat { get }
    /// Its size when it was opened, should there be nothing to see yet.
    var nominalSize: PixelSize { get }

    /// Asks the server where the subject is now.
    func look(until deadline: Instant) throws(XFailure) -> Sight

    /// Whether looking drew something itself since this was asked last: the server tells of that as well.
    func takeOwnDrawing() -> Bool

    func reaction(to event: XEvent) -> Reaction

    /// Sends the question where the pointer is.
    func askForPointer() -> PointerQuestion
    /// The pointer within the picture; nil where it is not over the subject.
    func pointer(_ answer: PointerAnswer, on surface: Surface) -> PixelPoint?
}

extension Subject {
    func takeOwnDrawing() -> Bool { false }
}

/// A place in the picture, which may lie outside of it.
struct PixelPoint: Hashable {
    var x: Int
    var y: Int
}

/// The requests that ask for the pointer, sent but not answered.
struct PointerQuestion {
    var onRoot: UInt32
    var onWindow: UInt32?
}

/// Where the pointer is.
struct PointerAnswer {
    var isOnScreen: Bool
    var onRoot: PixelPoint
    /// The child of the root beneath the pointer.
    var topLevel: xcb_window_t
    var onWindow: PixelPoint?
}

extension XConnection {
    func answer(to question: PointerQuestion, until deadline: Instant) throws(XFailure) -> PointerAnswer {
        let root: xcb_query_pointer_reply_t
        do throws(XFailure) {
            root = try reply(question.onRoot, as: xcb_query_pointer_reply_t.self, until: deadline).body
        } catch {
            if let window = question.onWindow { abandon(window) }
            throw error
        }
        var answer = PointerAnswer(
            isOnScreen: root.same_screen != 0, onRoot: PixelPoint(x: Int(root.root_x), y: Int(root.root_y)),
            topLevel: root.child, onWindow: nil)
        if let window = question.onWindow {
            let reply = try reply(window, as: xcb_query_pointer_reply_t.self, until: deadline).body
            answer.onWindow = PixelPoint(x: Int(reply.win_x), y: Int(reply.win_y))
        }
        return answer
    }
}
