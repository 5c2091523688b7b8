import Media
import PixelConversion
import Synchronization
import SystemClock
import Timebase

/// A source whose pictures the embedder pushes, at any rate and size; they leave at the rate that the share's mode says.
///
/// Thread-safe. Only the newest picture is kept: pushing never blocks and never builds up a queue.
public final class CustomVideoSource: Sendable {
    /// How a pushed picture lies in memory.
    @nonexhaustive public enum Format: Hashable, Sendable {
        /// Bytes B, G, R, A; A is ignored.
        case bgra
        /// Y, then interleaved U and V at half size (BT.709 limited).
        case nv12
        /// Y, U, V planes, U and V at half size (BT.709 limited).
        case i420
    }

    /// Which side of the scene the first row and the first column show: the eight values of EXIF's Orientation.
    public enum Orientation: Int, Hashable, Sendable, CaseIterable {
        /// EXIF's 1 to 8 (CIPA DC-008), the row's side first: `rightTop`, 6, is to be turned clockwise by 90°.
        case topLeft = 1, topRight, bottomRight, bottomLeft, leftTop, rightTop, rightBottom, leftBottom
    }

    /// A picture that was not taken; the one before stays.
    @nonexhaustive public enum PushError: Error, Hashable, Sendable {
        /// Width and height must be 2…8192, and the bytes must hold a picture of that format and size.
        case wrongSize
        /// Timestamps must rise.
        case notLater
    }

    /// The newest frame and who shows the source; guarded by the mutex, because pushes come from any thread.
    struct State {
        /// Which whoever shows the source later begins with.
        var newest: PendingFrame?
        var lastTimestamp: Duration?
        var readers: [Int: Reader] = [:]
        var readersMade = 0
    }

    /// A share that shows the source.
    struct Reader {
        var pending: PendingFrame?
        let wakeup: Wakeup
    }

    let state = Mutex(State())

    /// Without a picture: a share that shows it waits for the first.
    public init() {}

    /// Hands over a picture.
    ///
    /// - Parameters:
    ///   - bytes: the planes back to back, copied before the call returns.
    ///   - width: in pixels, as the picture lies in memory; so is `height`.
    ///   - bytesPerRow: of the first plane, 65,536 at most; nil: no padding. Chroma planes follow with the same (NV12)
    ///     or half of it (I420), rounded up where it is odd.
    ///   - orientation: how the picture lies in memory; viewers see it upright.
    ///   - timestamp: on the embedder's own clock, rising from picture to picture; only differences matter, those to
    ///     pushed sounds too: a picture is of the moment of the sound with its timestamp, if that comes up to 100 ms sooner.
    public func push(
        _ bytes: RawSpan, format: Format, width: Int, height: Int, bytesPerRow: Int? = nil,
        orientation: Orientation = .topLeft, timestamp: Duration
    ) throws(PushError) {
        let pushedAt = SystemClock.now()
        let sides = 2...PictureLimits.side
        guard sides.contains(width), sides.contains(height), (0...PictureLimits.bytesPerRow).contains(bytesPerRow ?? 0),
            let copy = PixelBuffer(
                format: format.pixelFormat, size: PixelSize(width: width, height: height), bytesPerRow: bytesPerRow,
                copying: bytes),
            let pixels = copy.upright(Media.Orientation(orientation))
        else { throw .wrongSize }
        let frame = PendingFrame(pixels: pixels, timestamp: timestamp, pushedAt: pushedAt)
        let later = state.withLock { state in
            if let last = state.lastTimestamp, timestamp <= last { return false }
            state.lastTimestamp = timestamp
            state.newest = frame
            for id in state.readers.keys {
                state.readers[id]?.pending = frame
                state.readers[id]?.wakeup.fire()
            }
            return true
        }
        if !later { throw .notLater }
    }
}

/// One share's place among the source's readers, as long as it is held.
final class CustomVideoReader: Sendable {
    private let source: CustomVideoSource
    private let id: Int

    init(of source: CustomVideoSource, wakeup: Wakeup) {
        self.source = source
        id = source.state.withLock { state in
            var newest = state.newest
            newest?.pushedAt = SystemClock.now()
            state.readersMade += 1
            state.readers[state.readersMade] = CustomVideoSource.Reader(pending: newest, wakeup: wakeup)
            return state.readersMade
        }
    }

    deinit { source.state.withLock { $0.readers[id] = nil } }

    /// What came since it was asked last.
    func takePending() -> PendingFrame? {
        source.state.withLock { state in
            let pending = state.readers[id]?.pending
            state.readers[id]?.pending = nil
            return pending
        }
    }
}

extension Media.Orientation {
    init(_ orientation: CustomVideoSource.Orientation) {
        self = Media.Orientation(rawValue: orientation.rawValue) ?? .topLeft
    }
}

/// A pushed picture on its way to the thread of pictures.
// Sendable: the buffer is an own copy that nobody writes again, and it moves whole from the pusher to that thread.
struct PendingFrame: @unchecked Sendable {
    let pixels: PixelBuffer
    let timestamp: Duration
    var pushedAt: Instant
}

extension CustomVideoSource.Format {
    var pixelFormat: PixelFormat {
        switch self {
        case .bgra: .bgra
        case .nv12: .nv12
        case .i420: .i420
        }
    }
}
