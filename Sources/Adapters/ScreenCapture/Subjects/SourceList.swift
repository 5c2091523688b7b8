import CXCB
import Media
import SystemClock
import Timebase

/// What of a display can be shared.
package struct SourceList: Hashable, Sendable {
    /// One X screen.
    package struct Display: Hashable, Sendable {
        /// The name under which it is reached, such as ":0".
        package var name: String
        package var width: Int
        package var height: Int
        package var depth: Int
    }

    /// One RandR monitor.
    package struct Monitor: Hashable, Sendable {
        package var name: String
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        package var isPrimary: Bool
    }

    /// One window of a program.
    package struct Window: Hashable, Sendable {
        package var id: UInt32
        package var title: String
        /// The process that the program names (`_NET_WM_PID`), on whatever machine it runs.
        package var pid: Int?
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        /// False while it is minimised or on another desktop.
        package var isVisible: Bool
    }

    package var displays: [Display]
    package var monitors: [Monitor]
    package var windows: [Window]

    /// Asks the X server of a display, by default that of the environment.
    package static func load(display: String? = nil) throws(CaptureError) -> SourceList {
        let deadline = SystemClock.now() + Limits.connectTime
        let connection = try XConnection.open(display: display, until: deadline)
        return try connection.require { () throws(XFailure) in
            SourceList(
                displays: try displays(connection, until: deadline),
                monitors: try monitors(connection, until: deadline),
                windows: try WindowList(connection, until: deadline).load().map(Window.init))
        }
    }

    private static func displays(_ connection: XConnection, until deadline: Instant) throws(XFailure) -> [Display] {
        let screens = XScreen.all(of: connection.handle)
        var displays: [Display] = []
        for (index, screen) in screens.enumerated() {
            let size = try connection.geometry(of: screen.root, until: deadline)
            displays.append(
                Display(
                    name: name(of: index, among: screens.count, connection.display), width: Int(size.width),
                    height: Int(size.height), depth: Int(screen.depth)))
        }
        return displays
    }

    /// ":0.1" where there are several screens: the name without a screen means the first.
    private static func name(of screen: Int, among count: Int, _ display: String) -> String {
        guard count > 1, let colon = display.lastIndex(of: ":") else { return display }
        let server = display[colon...].prefix { $0 != "." }
        return "\(display[..<colon])\(server).\(screen)"
    }

    private static func monitors(_ connection: XConnection, until deadline: Instant) throws(XFailure) -> [Monitor] {
        var monitors: [Monitor] = []
        for monitor in try connection.monitors(until: deadline) {
            monitors.append(
                Monitor(
                    name: try connection.name(of: monitor.name, until: deadline), x: monitor.rect.x, y: monitor.rect.y,
                    width: monitor.rect.width, height: monitor.rect.height, isPrimary: monitor.isPrimary))
        }
        return monitors
    }
}

extension SourceList.Window {
    init(_ window: WindowDescription) {
        self.init(
            id: window.window, title: window.title, pid: window.processIdentifier, x: window.rect.x, y: window.rect.y,
            width: window.rect.width, height: window.rect.height, isVisible: window.isVisible)
    }
}
