import Media
import ScreenCapture
import SystemClock
import Timebase

/// Opens a source on the thread of pictures, which is the only one that uses it.
typealias SourceFactory = @Sendable (Wakeup) throws(CaptureError) -> any FrameSource

extension ShareSource {
    /// - Parameter clock: of what an embedder pushes.
    func factory(showsCursor: Bool, clock: EmbedderClock) -> SourceFactory {
        func screen(_ target: CaptureTarget, _ display: String?) -> SourceFactory {
            { _ throws(CaptureError) in
                try ScreenSource(display: display, target: target, showsCursor: showsCursor)
            }
        }
        switch self {
        case .display(let display): return screen(.display, display)
        case .monitor(let name, let display): return screen(.monitor(name), display)
        case .window(let text, let display): return screen(.window(text), display)
        case .region(let x, let y, let width, let height, let display):
            func bound(_ number: Int) -> Int { max(-SourceLimits.screen, min(SourceLimits.screen, number)) }
            let rect = PixelRect(x: bound(x), y: bound(y), width: bound(width), height: bound(height))
            guard !rect.isEmpty else {
                return { _ throws(CaptureError) in
                    throw .unsupported("A region has at least 1 pixel a side, not \(width)x\(height).")
                }
            }
            return screen(.region(rect), display)
        case .testPattern(let width, let height):
            return { wakeup throws(CaptureError) in
                let size = PixelSize(width: width, height: height)
                guard max(width, height) <= PictureLimits.side, let source = TestPatternSource(size: size, wakeup: wakeup)
                else { throw .unsupported("A test pattern has 1 to \(PictureLimits.side) pixels a side, not \(size).") }
                return source
            }
        case .custom(let source):
            return { wakeup throws(CaptureError) in CustomFrameSource(source, wakeup: wakeup, embedder: clock) }
        }
    }
}

enum SourceLimits {
    /// X11 counts pixels with 16 bits.
    static let screen = 65_535
}
