import Media
import SystemClock
import Timebase

/// The drawn test pattern as a source: a new picture 30 times a second.
struct TestPatternSource: FrameSource {
    private let pattern: TestPattern
    private let start = SystemClock.now()
    private var frame: Int64 = 0
    private let wakeup: Wakeup

    /// Nil where the size is empty.
    init?(size: PixelSize, wakeup: Wakeup) {
        guard let pattern = TestPattern(size: size) else { return nil }
        self.pattern = pattern
        self.wakeup = wakeup
    }

    var size: PixelSize { pattern.size }

    mutating func waitForChange(until deadline: Instant, wakeup descriptor: Int32) throws(CaptureError) -> SourceEvent {
        let due = start + FrameRate.fps30.time(ofFrame: frame)
        let now = SystemClock.now()
        if due <= now { return .changed }
        wakeup.wait(atMost: min(due, deadline) - now)
        return due <= SystemClock.now() ? .changed : .idle
    }

    mutating func read() throws(CaptureError) -> ScreenFrame {
        let now = SystemClock.now()
        let elapsed = now - start
        // The number follows the clock, so that pictures nobody read are not made up for.
        let shown = max(frame, Int64(elapsed.inSeconds * 30))
        frame = shown + 1
        let damage = pattern.draw(frame: shown, elapsed: elapsed)
        return ScreenFrame(pixels: pattern.pixels, capturedAt: now, damage: damage)
    }
}
