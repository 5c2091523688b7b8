import Media
import NIOConcurrencyHelpers
import SystemClock
import Timebase

/// The media thread's end of a `CustomVideoSource`.
///
/// A pushed frame is dated on our clock by `SourceClock`: the embedder's timestamps give the distances between frames,
/// the least delay seen gives the offset, so that jitter of the pushing thread does not show in the video.
struct CustomFrameSource: FrameSource {
    private let reader: CustomVideoReader
    private let wakeup: Wakeup
    private var frame: ScreenFrame?
    private var clock = SourceClock()
    /// It was taken, and nobody was told that something changed.
    private var isUntold = false
    private(set) var size = PixelSize(width: 2, height: 2)

    init(_ source: CustomVideoSource, wakeup: Wakeup) {
        self.wakeup = wakeup
        reader = CustomVideoReader(of: source, wakeup: wakeup)
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
        frame = ScreenFrame(pixels: pending.pixels, capturedAt: capturedAt, damage: PixelRect(size))
        return true
    }
}

/// Maps an embedder's timestamps to our clock by the smallest delay seen; starts again after a jump, and where everything
/// has come late for a while: behind a stall, for one.
struct SourceClock {
    /// Beyond this the embedder's clock was set, or the sender slept.
    private static let jump = Duration.seconds(1)
    /// A clock that runs slow is followed as fast as this: crystals are off by a twentieth of it.
    private static let drift = 0.001
    private var known: (offset: Duration, at: Instant)?
    /// All that comes in this time is late by more than this: bursts are shorter.
    private static let lateness = Duration.milliseconds(50)
    private static let patience = Duration.seconds(2)
    private var recent: (since: Instant, least: Duration)?

    mutating func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
        let observed = (now - .zero) - timestamp
        if let stalled = stalled(observed, at: now) { known = (stalled, now) }
        if let known, observed >= known.offset, observed - known.offset < Self.jump {
            let followed = min(observed, known.offset + max(.zero, now - known.at) * Self.drift)
            self.known = (followed, max(now, known.at))
            return .zero + followed + timestamp
        }
        known = (observed, now)
        recent = nil
        return now
    }

    /// The least delay of a while in which all was late.
    private mutating func stalled(_ observed: Duration, at now: Instant) -> Duration? {
        let least = min(recent?.least ?? observed, observed)
        let since = recent?.since ?? now
        recent = (since, least)
        guard now - since >= Self.patience else { return nil }
        recent = nil
        guard let known, least - known.offset > Self.lateness else { return nil }
        return least
    }
}
