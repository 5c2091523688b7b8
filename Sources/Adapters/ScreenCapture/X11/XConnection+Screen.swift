import CXCB
import Media
import Timebase

/// A RandR 1.5 monitor: a named rectangle of the screen.
struct Monitor {
    var name: xcb_atom_t
    var rect: PixelRect
    var isPrimary: Bool
}

extension XConnection {
    /// Asks to be told of new sizes, outputs and monitors. A change by RRSetMonitor is told as ConfigureNotify.
    func watchScreen() {
        var mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        xcb_change_window_attributes(handle, root, XCB_CW_EVENT_MASK.rawValue, &mask)
        guard extensions.randr != nil else { return }
        let events =
            XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE.rawValue
            | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE.rawValue
        xcb_randr_select_input(handle, root, UInt16(events))
    }

    /// The present size of the root window.
    func screenSize(until deadline: Instant) throws(XFailure) -> PixelSize {
        let reply = try reply(
            xcb_get_geometry(handle, root).sequence, as: xcb_get_geometry_reply_t.self, until: deadline)
        return PixelSize(width: Int(reply.body.width), height: Int(reply.body.height))
    }

    /// The active monitors; none where RandR is older than 1.5.
    func monitors(until deadline: Instant) throws(XFailure) -> [Monitor] {
        guard extensions.hasMonitors else { return [] }
        let reply = try reply(
            xcb_randr_get_monitors(handle, root, 1).sequence, as: xcb_randr_get_monitors_reply_t.self, until: deadline)
        var iterator = xcb_randr_get_monitors_monitors_iterator(reply.pointer)
        var monitors: [Monitor] = []
        while iterator.rem > 0 {
            let monitor = iterator.data.pointee
            let rect = PixelRect(
                x: Int(monitor.x), y: Int(monitor.y), width: Int(monitor.width), height: Int(monitor.height))
            monitors.append(Monitor(name: monitor.name, rect: rect, isPrimary: monitor.primary != 0))
            xcb_randr_monitor_info_next(&iterator)
        }
        return monitors
    }

    func monitorNames(until deadline: Instant) throws(XFailure) -> [String] {
        var names: [String] = []
        for monitor in try monitors(until: deadline) {
            names.append(try name(of: monitor.name, until: deadline))
        }
        return names
    }

    func atom(_ name: String, until deadline: Instant) throws(XFailure) -> xcb_atom_t {
        let cookie = xcb_intern_atom(handle, 0, UInt16(clamping: name.utf8.count), name)
        return try reply(cookie.sequence, as: xcb_intern_atom_reply_t.self, until: deadline).body.atom
    }

    func name(of atom: xcb_atom_t, until deadline: Instant) throws(XFailure) -> String {
        let reply = try reply(
            xcb_get_atom_name(handle, atom).sequence, as: xcb_get_atom_name_reply_t.self, until: deadline)
        let length = min(Int(xcb_get_atom_name_name_length(reply.pointer)), reply.excess)
        guard let start = xcb_get_atom_name_name(reply.pointer) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
}
