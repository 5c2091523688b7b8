import Media
import ScreenCapture

/// The displays, monitors and windows that can be shared.
public struct ShareableSources: Sendable, Encodable {
    /// One X screen.
    public struct Display: Sendable, Encodable {
        /// What `ShareSource.display` takes.
        public let name: String
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// Of its root window, in bits for each pixel that carry colour: mostly 24.
        public let depth: Int
    }

    /// One RandR monitor, placed on its display.
    public struct Monitor: Sendable, Encodable {
        /// What `ShareSource.monitor` takes.
        public let name: String
        /// In pixels from the display's left edge.
        public let x: Int
        /// In pixels from the display's upper edge.
        public let y: Int
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// RandR's primary monitor, where desktops put their panels.
        public let isPrimary: Bool

        private enum CodingKeys: String, CodingKey {
            case name, x, y, width, height
            case isPrimary = "primary"
        }
    }

    /// One window of a program.
    public struct Window: Sendable, Encodable {
        /// Hexadecimal, as `ShareSource.window` takes it.
        public let id: String
        /// `_NET_WM_NAME`, or else `WM_NAME`; may be empty, and change at any time.
        public let title: String
        /// The program's process, as it says itself (`_NET_WM_PID`), on whatever machine it runs; nil where it doesn't.
        public let pid: Int?
        /// In pixels from the display's left edge, without the window manager's frame; may be negative.
        public let x: Int
        /// Likewise, from the upper edge.
        public let y: Int
        /// Without the frame, in pixels.
        public let width: Int
        /// Without the frame, in pixels.
        public let height: Int
        /// False while it is minimised or on another desktop.
        public let isVisible: Bool

        private enum CodingKeys: String, CodingKey {
            case id, title, pid, x, y, width, height
            case isVisible = "visible"
        }
    }

    /// All screens of the X server; mostly one.
    public let displays: [Display]
    /// Of the screen that was asked for; none where RandR is older than 1.5.
    public let monitors: [Monitor]
    /// Of that screen: the window manager's clients, or without one what is on the screen.
    public let windows: [Window]

    /// Asks an X server; nil: the one of `DISPLAY`. Blocks for up to a few seconds.
    ///
    /// - Throws: `ShareError.source` where there is no X server to ask.
    public static func list(display: String? = nil) throws(ShareError) -> ShareableSources {
        do {
            return ShareableSources(try SourceList.load(display: display))
        } catch {
            throw error.shareError
        }
    }

    private init(_ list: SourceList) {
        displays = list.displays.map { Display(name: $0.name, width: $0.width, height: $0.height, depth: $0.depth) }
        monitors = list.monitors.map {
            Monitor(name: $0.name, x: $0.x, y: $0.y, width: $0.width, height: $0.height, isPrimary: $0.isPrimary)
        }
        windows = list.windows.map {
            Window(
                id: "0x" + String($0.id, radix: 16), title: $0.title, pid: $0.pid, x: $0.x, y: $0.y, width: $0.width,
                height: $0.height, isVisible: $0.isVisible)
        }
    }
}

extension CaptureError {
    var shareError: ShareError {
        switch self {
        case .unavailable(let text), .lost(let text), .unsupported(let text): .source(text)
        case .timedOut: .source("The X server does not answer.")
        }
    }
}
