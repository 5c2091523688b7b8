import Media
import ScreenCapture
import SystemClock
import Timebase

/// Opens a source on the media thread, which is the only one that uses it.
typealias SourceFactory = @Sendable (Wakeup) throws(CaptureError) -> any FrameSource

extension ShareSource {
    func factory(showsCursor: Bool) -> SourceFactory {
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
            return screen(.region(PixelRect(x: x, y: y, width: width, height: height)), display)
        case .testPattern(let width, let height):
            return { wakeup throws(CaptureError) in
                let size = PixelSize(width: width, height: height)
                guard let source = TestPatternSource(size: size, wakeup: wakeup) else {
                    throw .unsupported("A test pattern of \(size) is empty.")
                }
                return source
            }
        case .custom(let source):
            return { wakeup throws(CaptureError) in CustomFrameSource(source, wakeup: wakeup) }
        }
    }
}
