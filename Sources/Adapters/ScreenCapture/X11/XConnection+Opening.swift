import CXCB
import Glibc
import Media
import SystemClock
import Timebase

extension XConnection {
    /// Connects to a display, by default that of the environment.
    static func open(display requested: String?, until deadline: Instant) throws(CaptureError) -> XConnection {
        let isWayland = SessionKind.isWayland { environment($0) }
        let name = try displayName(requested, environment("DISPLAY"), isWayland: isWayland)
        let call: BlockingCall<Opened>
        do throws(BlockingCallError) {
            call = try BlockingCall(name: "x11-connect") {
                Opened(result: Result { () throws(CaptureError) in try connect(to: name) })
            }
        } catch {
            throw .unavailable(
                "This process may open no more files or start no more threads, so that display \(name) can't be reached.")
        }
        guard let opened = call.value(until: deadline) else {
            throw .unavailable("The X server of display \(name) does not answer.")
        }
        return try opened.result.get()
    }

    /// Blocks for as long as the server takes.
    private static func connect(to name: String) throws(CaptureError) -> XConnection {
        try BrokenPipe.held { () throws(CaptureError) in
            var number: Int32 = 0
            guard let handle = xcb_connect(name, &number) else {
                throw .unavailable("There is no memory for a connection to display \(name).")
            }
            let extensions = xcb_connection_has_error(handle) == 0 ? Extensions(blockingOn: handle) : Extensions()
            let error = xcb_connection_has_error(handle)
            let screens = error == 0 ? XScreen.all(of: handle) : []
            guard screens.indices.contains(Int(number)) else {
                xcb_disconnect(handle)
                throw .unavailable(complaint(about: name, error: error))
            }
            return XConnection(
                adopting: handle, display: name, screen: screens[Int(number)], extensions: extensions)
        }
    }

    /// The display that was asked for, or else that of the environment.
    static func displayName(
        _ requested: String?, _ inherited: String?, isWayland: Bool
    ) throws(CaptureError) -> String {
        if let name = requested ?? inherited, !name.isEmpty { return name }
        if isWayland {
            throw .unavailable("This is a Wayland session without an X server. \(SessionKind.advice)")
        }
        throw .unavailable("No display is named: set DISPLAY, or name one. \(LocalDisplays.sentence())")
    }

    private static func complaint(about name: String, error: Int32) -> String {
        switch error {
        case XCB_CONN_CLOSED_PARSE_ERR:
            return "\"\(name)\" is not the name of a display; it looks like \":0\". \(LocalDisplays.sentence())"
        case XCB_CONN_CLOSED_INVALID_SCREEN, 0:
            return "Display \(name) has no such screen; leave out what follows the dot."
        default:
            return "Can't connect to display \(name): is it running, and may this user use it (XAUTHORITY)? "
                + LocalDisplays.sentence()
        }
    }
}

/// The value of an environment variable, nil where it is unset or empty.
func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
}

/// What came of connecting.
private struct Opened: @unchecked Sendable {  // Handed over once, from the thread that connected to the one that asked.
    let result: Result<XConnection, CaptureError>
}
