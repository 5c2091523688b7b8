import CXCB
import Media
import Timebase

/// A window that was asked for and found.
struct FoundWindow {
    var window: xcb_window_t
    var title: String
}

extension XConnection {
    /// The window with this number, or else the one whose title is or contains the text, in whatever case.
    ///
    /// Several that match are refused with a list: sharing the wrong window would show what nobody meant to show. So is
    /// an empty text, which is no title but a variable that was not set.
    func findWindow(_ text: String, until deadline: Instant) throws(CaptureError) -> FoundWindow {
        let list = try require { () throws(XFailure) in try WindowList(self, until: deadline) }
        if let number = Self.windowNumber(text) {
            let named = try require { () throws(XFailure) in try list.describe([number]) }
            if let window = named.first { return FoundWindow(window: number, title: window.title) }
        }
        let windows = try require { () throws(XFailure) in try list.load() }
        let wanted = text.lowercased()
        let exact = windows.filter { $0.title.lowercased() == wanted }
        let matches = exact.isEmpty ? windows.filter { $0.title.lowercased().contains(wanted) } : exact
        guard !text.isEmpty, let match = matches.first else {
            throw .unavailable("There is no window \"\(text)\". \(Self.sentence(windows))")
        }
        guard matches.count == 1 else {
            throw .unavailable(
                "\(matches.count) windows match \"\(text)\"; name one by its number. \(Self.sentence(matches))")
        }
        return FoundWindow(window: match.window, title: match.title)
    }

    /// 0x1c00007 or decimal.
    private static func windowNumber(_ text: String) -> xcb_window_t? {
        text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    private static func sentence(_ windows: [WindowDescription]) -> String {
        let named = windows.filter { !$0.title.isEmpty }
        guard !named.isEmpty else { return "No window with a title is on the screen." }
        return "There is " + named.map { "\($0.window.hexadecimal) \"\($0.title)\"" }.joined(separator: ", ") + "."
    }
}
