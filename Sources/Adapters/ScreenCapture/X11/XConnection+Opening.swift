import CXCB
import Glibc
import Media
import Synchronization
import SystemClock
import Timebase

extension XConnection {
    /// Connects to a display, by default that of the environment.
    static func open(display requested: String?, until deadline: Instant) throws(CaptureError) -> XConnection {
        let isWayland = SessionKind.isWayland { environment($0) }
        let name = try displayName(requested, environment("DISPLAY"), isWayland: isWayland)
        guard let opening = Opening(display: name) else {
            throw .unavailable(
                "This process may open no more files or start no more threads, so that display \(name) can't be reached.")
        }
        guard let result = opening.wait(until: deadline) else {
            throw .unavailable("The X server of display \(name) does not answer.")
        }
        guard let handle = OpaquePointer(bitPattern: result.connection) else {
            throw .unavailable("There is no memory for a connection to display \(name).")
        }
        let error = xcb_connection_has_error(handle)
        let screens = error == 0 ? XScreen.all(of: handle) : []
        guard screens.indices.contains(Int(result.screen)) else {
            xcb_disconnect(handle)
            throw .unavailable(complaint(about: name, error: error))
        }
        return XConnection(
            adopting: handle, display: name, screen: screens[Int(result.screen)], extensions: result.extensions)
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

/// xcb_connect(3) blocks for as long as the server takes; a thread of its own bears that, and its owner may walk away.
private final class Opening: Sendable {
    struct Result: Sendable {
        /// The bits of an `xcb_connection_t *`.
        var connection: UInt
        var screen: Int32
        var extensions: Extensions
    }

    private enum Progress {
        case connecting
        case done(Result)
        case abandoned
    }

    private let progress = Mutex(Progress.connecting)
    private let finished: Wakeup

    /// Nil where no file descriptor is left to wait with, or no thread.
    init?(display: String) {
        guard let finished = Wakeup() else { return nil }
        self.finished = finished
        let isStarted = BlockingThread.startIfPossible(name: "x11-connect") { [self] in
            var screen: Int32 = 0
            BrokenPipe.held {
                guard let connection = xcb_connect(display, &screen) else { return }
                var extensions = Extensions()
                if xcb_connection_has_error(connection) == 0 { extensions = Extensions(blockingOn: connection) }
                finish(Result(connection: UInt(bitPattern: connection), screen: screen, extensions: extensions))
            }
        }
        if !isStarted { return nil }
    }

    /// The connection, which may have failed; nil after the deadline.
    func wait(until deadline: Instant) -> Result? {
        while SystemClock.now() < deadline {
            finished.wait(atMost: deadline - SystemClock.now())
            if let result = finishedResult { return result }
        }
        return progress.withLock { progress in
            if case .done(let result) = progress { return result }
            progress = .abandoned
            return nil
        }
    }

    private var finishedResult: Result? {
        progress.withLock { progress in
            if case .done(let result) = progress { return result }
            return nil
        }
    }

    private func finish(_ result: Result) {
        let isWanted = progress.withLock { progress in
            if case .abandoned = progress { return false }
            progress = .done(result)
            return true
        }
        if isWanted {
            finished.fire()
        } else if let connection = OpaquePointer(bitPattern: result.connection) {
            xcb_disconnect(connection)
        }
    }
}
