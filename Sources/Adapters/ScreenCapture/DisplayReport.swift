import Media
import SystemClock
import Timebase

/// What a display gives to somebody who wants to share it: found out by opening it and taking its picture.
package struct DisplayReport: Hashable, Sendable {
    package var display: String
    package var size: PixelSize
    package var depth: Int
    /// Pictures come through memory that the X server writes to (MIT-SHM).
    package var sharesMemory: Bool
    /// XFIXES: the pointer's shape.
    package var seesPointer: Bool
    /// RandR 1.5: monitors by name, and to be told of new sizes.
    package var knowsMonitors: Bool
    /// Of a Wayland session it would show only black.
    package var isXwayland: Bool
    /// How long the first picture took, the whole of it.
    package var pictureTime: Duration

    package init(
        display: String, size: PixelSize, depth: Int, sharesMemory: Bool, seesPointer: Bool, knowsMonitors: Bool,
        isXwayland: Bool = false, pictureTime: Duration
    ) {
        self.display = display
        self.size = size
        self.depth = depth
        self.sharesMemory = sharesMemory
        self.seesPointer = seesPointer
        self.knowsMonitors = knowsMonitors
        self.isXwayland = isXwayland
        self.pictureTime = pictureTime
    }

    /// Blocks, for some seconds where the X server does not answer.
    ///
    /// - Throws: why the display can't be shared (no DAMAGE, an odd depth, a Wayland session), with what to do.
    package static func make(display: String? = nil) throws(CaptureError) -> DisplayReport {
        let source = try ScreenSource(display: display, target: .display)
        let start = SystemClock.now()
        _ = try source.read()
        let time = SystemClock.now() - start
        let extensions = source.connection.extensions
        return DisplayReport(
            display: source.connection.display, size: source.size, depth: Int(source.connection.screen.depth),
            sharesMemory: !source.isMemoryPrivate, seesPointer: extensions.fixes != nil,
            knowsMonitors: extensions.hasMonitors, isXwayland: extensions.isXwayland, pictureTime: time)
    }
}
