import Media
import SystemClock
import Timebase

/// The thread of pictures's end of a `CustomVideoSource`.
///
/// A pushed frame is dated on our clock by `SourceClock`: the embedder's timestamps give the distances between frames,
/// the least delay seen gives the offset, so that jitter of the pushing thread does not show in the video. What moment it
/// shows is for `EmbedderClock` to say.
struct CustomFrameSource: FrameSource {
    private let reader: CustomVideoReader
    private let wakeup: Wakeup
    private var frame: ScreenFrame?
    private var clock = SourceClock()
    private let embedder: EmbedderClock
    /// It was taken, and nobody was told that something changed.
    private var isUntold = false
    /// Nothing before the first picture.
    private(set) var size = PixelSize(width: 0, height: 0)

    init(_ source: CustomVideoSource, wakeup: Wakeup, embedder: EmbedderClock = EmbedderClock()) {
        self.wakeup = wakeup
        self.embedder = embedder
        reader = CustomVideoReader(of: source, wakeup: wakeup)
        // What was pushed before has a size.
        if takePending() { isUntold = true }
    }

    mutating func waitForChange(until deadline: Instant, wakeup descriptor: Int32) throws(CaptureError) -> SourceEvent {
        if takePending() || isUntold {
            isUntold = false
            return .changed
        }
        wakeup.wait(atMost: deadline - SystemClock.now())
        return takePending() ? .changed : .idle
    }

    mutating func read() throws(CaptureError) -> ScreenFrame {
        _ = takePending()
        isUntold = false
        guard let frame else { throw .timedOut }
        return frame
    }

    mutating func newestPicture() -> Instant? {
        if takePending() { isUntold = true }
        return frame?.capturedAt
    }

    private mutating func takePending() -> Bool {
        guard let pending = reader.takePending() else { return false }
        let capturedAt = clock.instant(of: pending.timestamp, arrivedAt: pending.pushedAt)
        size = pending.pixels.size
        let moment = embedder.moment(of: pending.timestamp, dated: capturedAt, at: pending.pushedAt)
        frame = ScreenFrame(pixels: pending.pixels, capturedAt: capturedAt, moment: moment, damage: PixelRect(size))
        return true
    }
}
