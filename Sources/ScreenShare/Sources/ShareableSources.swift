import Media
import ScreenCapture

/// The displays, monitors and windows that can be shared.
public struct ShareableSources: Sendable, Encodable {
    /// One X screen.
    public struct Display: Sendable, Encodable {
        /// What `ShareSource.display` takes.
        public let name: String
        public let width: Int
        public let height: Int
        public let depth: Int
    }

    /// One RandR monitor, placed on its display.
    public struct Monitor: Sendable, Encodable {
        public let name: String
        public let x: Int
        public let y: Int
        public let width: Int
        public let height: Int
        public let primary: Bool
    }

    /// One window of a program.
    public struct Window: Sendable, Encodable {
        /// Hexadecimal, as `ShareSource.window` takes it.
        public let id: String
        public let title: String
        public let pid: Int?
        public let x: Int
        public let y: Int
        public let width: Int
        public let height: Int
        /// False while it is minimised or on another desktop.
        public let visible: Bool
    }

    public let displays: [Display]
    public let monitors: [Monitor]
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
            Monitor(name: $0.name, x: $0.x, y: $0.y, width: $0.width, height: $0.height, primary: $0.isPrimary)
        }
        windows = list.windows.map {
            Window(
                id: "0x" + String($0.id, radix: 16), title: $0.title, pid: $0.pid, x: $0.x, y: $0.y, width: $0.width,
                height: $0.height, visible: $0.isVisible)
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
