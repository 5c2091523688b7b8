import Media
import Synchronization
import VideoCodec

/// What the thread of pictures has done so far; read by the session. Thread-safe.
final class VideoCounters: Sendable {
    struct Values: Sendable {
        /// The source's, from when it is open; nothing before there is a picture of one that is pushed.
        var source = PixelSize(width: 0, height: 0)
        /// The picture's, once there is one.
        var size = PixelSize(width: 0, height: 0)
        /// Moments at which a picture left, in however many encodings.
        var pictures = 0
        var units = 0
        var keepalives = 0
        var keyframes = 0
        var bytes = 0
        var drops = 0
        var lanes = 0
        var quantiser = 0.0
        /// Nil while it is the one asked for.
        var preset: X264Configuration.Preset?
        var cadence: Cadence?
        /// Nil where nobody looks.
        var content: Content?
    }

    private let values = Mutex(Values())

    func update(_ body: (inout Values) -> Void) { values.withLock { body(&$0) } }
    var now: Values { values.withLock { $0 } }
}
