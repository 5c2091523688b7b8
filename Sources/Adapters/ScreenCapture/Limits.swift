import Timebase

/// Every bound of the capture adapter, with its reason.
enum Limits {
    /// Connecting, finding what was asked for or listing what there is: takes milliseconds, but a server that is
    /// stopped never answers.
    static let connectTime: Duration = .seconds(5)
    /// A server on another machine that is silent for so many seconds is probed, and after so many probes given up.
    static let probeSeconds: Int32 = 2
    static let probes: Int32 = 5
    /// What one `read` may wait for the server: eight frames at 30 fps, then the caller decides.
    static let readTime: Duration = .milliseconds(250)
    /// The same for a server whose answers come, but late: a long line, or a machine that has too much to do. Longer, and
    /// whoever shares could not stop it.
    static let longestReadTime: Duration = .seconds(2)
    /// A server that gives no picture for so long is told of: a machine that wakes up takes a second or two.
    static let silence: Duration = .seconds(3)
    /// What seems older than this when it is read was waited for, or the server's clock went otherwise than before: nobody
    /// knows when it was drawn.
    static let drawnAge: Duration = .milliseconds(100)
    /// Each try to fetch a picture that is one moment; the last one takes the whole picture, which always is.
    static let grabTries = 4
    /// Tries within one `read` to follow a source that changes while it is fetched.
    static let settleTries = 3
    /// After a source refused to be fetched that often: how long until it is asked again.
    static let refusalPause: Duration = .milliseconds(100)
    /// What a window has to draw itself again, where nothing tells that it did: programs take one to three frames.
    static let drawingTime: Duration = .milliseconds(200)
    /// Nothing is asked of the server where less than this is left: the answer takes 0.1 ms, on a busy machine more.
    static let roundTrip: Duration = .milliseconds(2)
    /// A band taller than this share of the picture (in quarters) is not cheaper than the whole, which needs no check.
    static let bandQuarters = 3
    /// A pointer that stood still for so long is left to the server's motion events again.
    static let pointerRest: Duration = .milliseconds(500)
    /// A position newer than this is not asked for again: `read` follows `waitForChange` at once.
    static let pointerFresh: Duration = .milliseconds(5)
    /// How often a pointer whose motion is told by events is looked at all the same: a program that moves it
    /// (WarpPointer) makes no raw motion. Four looks a second cost 0.02 % of a core.
    static let pointerCheck: Duration = .milliseconds(250)
    /// Cursor themes reach 256 pixels a side on large screens.
    static let cursorSide = 512
    /// X11 sizes have 16 bits; 16384 squared is a segment of 1 GiB.
    static let pictureArea = 16_384 * 16_384
    /// Windows listed, and children of a window looked at.
    static let windows = 512
    /// Windows asked about in one batch, so that requests and replies fit the socket's buffers.
    static let windowBatch = 32
    /// Bytes of a title, in units of four as GetProperty counts.
    static let titleLength: UInt32 = 256
    /// Frames around a window, up to the root; window managers use one to three.
    static let ancestors = 16
    /// Events kept before they are looked at: more than a mouse makes in a minute.
    static let events = 65_536
    /// Where so many wait, further damage is kept as the rectangle around it: a program may draw pixel by pixel, and no
    /// damage may be lost.
    static let damageEvents = 1024
    /// Messages to the owner kept until it takes them.
    static let notices = 16
}
