import CXCB
import Media
import Timebase

/// Whether X11 sees the user's screen.
package enum SessionKind: Hashable, Sendable {
    /// A real X server, or a virtual one.
    case x11
    /// The X server is Xwayland within a Wayland session: it holds windows of X11 programs only, and a black root.
    case xwayland

    /// What to tell a user who wants to share a screen that X11 can't see.
    package static let advice = """
        X11 shows only black there: log in to an X11 session ("Xorg" in the login screen's menu), or share an X11 \
        display that is not part of it, such as one of Xvfb.
        """

    /// - Parameters:
    ///   - isWaylandSession: what the environment says.
    ///   - hasExtension: the server has the XWAYLAND extension (Xwayland 22.1 and later).
    ///   - output: the name of one of its RandR outputs.
    init(isWaylandSession: Bool, hasExtension: Bool, output: String?) {
        let isXwayland = hasExtension || output?.hasPrefix("XWAYLAND") == true
        self = isWaylandSession && isXwayland ? .xwayland : .x11
    }

    /// What to say of an Xwayland that is shared all the same, because nothing tells of a Wayland session: one that has its
    /// screen in a window shows what it should, but seen from another login, as by SSH, one within a session looks the same.
    static func doubt(about display: String, hasExtension: Bool) -> String? {
        guard hasExtension else { return nil }
        return "The X server of display \(display) is Xwayland, perhaps that of a Wayland session. \(advice)"
    }

    /// What the environment, looked up by name, says of the session.
    static func isWayland(_ environment: (String) -> String?) -> Bool {
        environment("XDG_SESSION_TYPE") == "wayland" || environment("WAYLAND_DISPLAY") != nil
    }
}

extension SessionKind {
    init(of connection: XConnection, until deadline: Instant) throws(XFailure) {
        let isWayland = Self.isWayland { environment($0) }
        self.init(
            isWaylandSession: isWayland, hasExtension: connection.extensions.isXwayland,
            output: isWayland ? try Self.outputName(connection, until: deadline) : nil)
    }

    /// One is enough: Xwayland names all of its outputs alike.
    private static func outputName(_ connection: XConnection, until deadline: Instant) throws(XFailure) -> String? {
        guard connection.extensions.randr != nil else { return nil }
        let cookie = xcb_randr_get_screen_resources_current(connection.handle, connection.root)
        let resources = try connection.reply(
            cookie.sequence, as: xcb_randr_get_screen_resources_current_reply_t.self, until: deadline)
        let outputs = UnsafeBufferPointer(
            start: xcb_randr_get_screen_resources_current_outputs(resources.pointer),
            count: Int(xcb_randr_get_screen_resources_current_outputs_length(resources.pointer)))
        guard let first = outputs.first else { return nil }
        let information = xcb_randr_get_output_info(connection.handle, first, resources.body.config_timestamp)
        let output = try connection.reply(
            information.sequence, as: xcb_randr_get_output_info_reply_t.self, until: deadline)
        let name = UnsafeBufferPointer(
            start: xcb_randr_get_output_info_name(output.pointer),
            count: Int(xcb_randr_get_output_info_name_length(output.pointer)))
        return String(decoding: name, as: UTF8.self)
    }
}
