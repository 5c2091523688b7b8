import Timebase

/// Why a source cannot give pictures.
package enum CaptureError: Error, Hashable, Sendable {
    /// It can't be opened; the text says what to do.
    case unavailable(String)
    /// It is gone for good (the X server ended, the connection broke).
    case lost(String)
    /// No answer in time, or no picture yet: ask again.
    case timedOut
    /// A pixel layout that is not supported (depth, visual, byte order).
    case unsupported(String)
}

/// What a source reports while it is waited for.
package enum SourceEvent: Hashable, Sendable {
    /// The picture changed since it was last read.
    case changed
    /// The deadline passed, or the waker fired, and nothing changed, or there was no time to find out.
    case idle
    /// There is nothing to show for now (window minimised or withdrawn); the text says why.
    case hidden(String)
    /// There is nothing to show any more (the window was closed); the text says what to do. Every wait ends with it then.
    case ended(String)
}

/// A producer of pictures: a screen, a window, a region, a test pattern, an embedder's frames.
///
/// Used by one thread. `waitForChange` never blocks past its deadline; `read` lends the newest pixels, all of one
/// moment.
package protocol FrameSource: ~Copyable {
    /// The present size; it may change between two reads.
    var size: PixelSize { get }

    /// Blocks until the picture changed, `wakeup` became readable (an eventfd) or the deadline passed.
    mutating func waitForChange(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> SourceEvent

    /// Behind a change that was told and not read yet: blocks until there is more, `wakeup` became readable or the
    /// deadline passed.
    /// - Returns: whether more has changed; nil, at once, where the source can't tell.
    mutating func waitForMore(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> Bool?

    /// The newest picture, valid until the next call on the source.
    mutating func read() throws(CaptureError) -> ScreenFrame

    /// How long the last `read` waited for another process: that is no work of this one.
    var waited: Duration { get }

    /// When the picture that `read` would give was taken; nil where the source can't tell.
    mutating func newestPicture() -> Instant?

    /// What the person who shares should know, each message once.
    mutating func takeNotices() -> [String]

    /// How often a pointer that moves changes the picture at most, where nothing else does.
    mutating func followPointer(every period: Duration)
}

extension FrameSource where Self: ~Copyable {
    package mutating func waitForMore(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> Bool? { nil }
    package var waited: Duration { .zero }
    package mutating func newestPicture() -> Instant? { nil }
    package mutating func takeNotices() -> [String] { [] }
    package mutating func followPointer(every period: Duration) {}
}
