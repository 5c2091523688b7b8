import Media
import Timebase

/// What a device is asked for; it may have something else.
struct CaptureWish: Hashable, Sendable {
    var format = AudioFormat.stereo48k
    /// How often it hands over what it has.
    var period: Duration = .milliseconds(10)
}
