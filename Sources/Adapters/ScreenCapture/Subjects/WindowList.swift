import CXCB
import Media
import Timebase

/// What a list of windows tells of one.
struct WindowDescription {
    var window: xcb_window_t
    var title: String
    var processIdentifier: Int?
    var rect: PixelRect
    var isVisible: Bool
    var hasPixels: Bool
}

/// Finds the windows that can be shared.
struct WindowList {
    private let connection: XConnection
    private let deadline: Instant
    private let titleAtom: xcb_atom_t
    private let textType: xcb_atom_t
    private let processAtom: xcb_atom_t
    private let clientListAtom: xcb_atom_t
    private let extentsAtom: xcb_atom_t

    init(_ connection: XConnection, until deadline: Instant) throws(XFailure) {
        self.connection = connection
        self.deadline = deadline
        titleAtom = try connection.atom("_NET_WM_NAME", until: deadline)
        textType = try connection.atom("UTF8_STRING", until: deadline)
        processAtom = try connection.atom("_NET_WM_PID", until: deadline)
        clientListAtom = try connection.atom("_NET_CLIENT_LIST", until: deadline)
        extentsAtom = try connection.atom(FrameExtents.property, until: deadline)
    }

    /// The window manager's clients, minimised ones among them; without a window manager what is on the screen.
    func load() throws(XFailure) -> [WindowDescription] {
        let clients = try clientList()
        if !clients.isEmpty { return try describe(clients).filter(\.hasPixels) }
        let topLevels = try describe(try connection.children(of: connection.root, until: deadline))
        var windows: [WindowDescription] = []
        for window in topLevels where window.hasPixels && window.isVisible && window.rect.size.area > 1 {
            windows.append(window.title.isEmpty ? try titledChild(of: window) ?? window : window)
        }
        return windows
    }

    func describe(_ windows: [xcb_window_t]) throws(XFailure) -> [WindowDescription] {
        var descriptions: [WindowDescription] = []
        var rest = windows.prefix(Limits.windows)
        while !rest.isEmpty {
            let batch = rest.prefix(Limits.windowBatch).map { ask(about: $0) }
            rest = rest.dropFirst(Limits.windowBatch)
            for (index, question) in batch.enumerated() {
                do throws(XFailure) {
                    descriptions.append(try answer(to: question))
                } catch .refused {
                    // It was closed while the list was made.
                    continue
                } catch {
                    for unread in batch.dropFirst(index + 1) { unread.sequences.forEach(connection.abandon) }
                    throw error
                }
            }
        }
        return descriptions
    }

    /// The client within the frame of a window manager that keeps no list of clients.
    private func titledChild(of frame: WindowDescription) throws(XFailure) -> WindowDescription? {
        try describe(try connection.children(of: frame.window, until: deadline))
            .first { !$0.title.isEmpty && $0.hasPixels && $0.isVisible }
    }

    private func clientList() throws(XFailure) -> [xcb_window_t] {
        let cookie = xcb_get_property(
            connection.handle, 0, connection.root, clientListAtom, XCB_ATOM_WINDOW.rawValue, 0, UInt32(Limits.windows))
        return try property(cookie.sequence).words
    }
}

/// The requests about one window, sent but not answered.
private struct WindowQuestion {
    var window: xcb_window_t
    var attributes: UInt32
    var geometry: UInt32
    var place: UInt32
    var title: UInt32
    var oldTitle: UInt32
    var process: UInt32
    var extents: UInt32

    var sequences: [UInt32] { [attributes, geometry, place, title, oldTitle, process, extents] }
}

extension WindowList {
    private func ask(about window: xcb_window_t) -> WindowQuestion {
        let handle = connection.handle
        func property(_ atom: xcb_atom_t, type: xcb_atom_t, length: UInt32) -> UInt32 {
            xcb_get_property(handle, 0, window, atom, type, 0, length).sequence
        }
        return WindowQuestion(
            window: window, attributes: xcb_get_window_attributes(handle, window).sequence,
            geometry: xcb_get_geometry(handle, window).sequence,
            place: xcb_translate_coordinates(handle, window, connection.root, 0, 0).sequence,
            title: property(titleAtom, type: textType, length: Limits.titleLength),
            oldTitle: property(XCB_ATOM_WM_NAME.rawValue, type: 0, length: Limits.titleLength),
            process: property(processAtom, type: XCB_ATOM_CARDINAL.rawValue, length: 1),
            extents: property(extentsAtom, type: XCB_ATOM_CARDINAL.rawValue, length: FrameExtents.words))
    }

    /// Every reply is taken, also after one was an error, so that none is left in the connection.
    private func answer(to question: WindowQuestion) throws(XFailure) -> WindowDescription {
        var unread = question.sequences[...]
        do throws(XFailure) {
            func next<Body>(_ type: Body.Type) throws(XFailure) -> Reply<Body> {
                let sequence = unread.removeFirst()
                return try connection.reply(sequence, as: type, until: deadline)
            }
            let attributes = try next(xcb_get_window_attributes_reply_t.self).body
            let geometry = try next(xcb_get_geometry_reply_t.self).body
            let place = try next(xcb_translate_coordinates_reply_t.self).body
            let title = Property(try next(xcb_get_property_reply_t.self)).text
            let oldTitle = Property(try next(xcb_get_property_reply_t.self)).text
            let process = Property(try next(xcb_get_property_reply_t.self)).words.first
            let extents = FrameExtents(Property(try next(xcb_get_property_reply_t.self)).words)
            return WindowDescription(
                window: question.window, title: title.isEmpty ? oldTitle : title,
                processIdentifier: process.map { Int($0) },
                rect: extents.inset(
                    PixelRect(
                        x: Int(place.dst_x), y: Int(place.dst_y), width: Int(geometry.width),
                        height: Int(geometry.height))),
                isVisible: UInt32(attributes.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue,
                hasPixels: UInt32(attributes._class) == XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue)
        } catch {
            unread.forEach(connection.abandon)
            throw error
        }
    }

    private func property(_ sequence: UInt32) throws(XFailure) -> Property {
        Property(try connection.reply(sequence, as: xcb_get_property_reply_t.self, until: deadline))
    }
}
