import NIOCore
import Timebase

/// Bounds of the signaling client.
enum ClientLimits {
    /// A server that doesn't take the connection in this time isn't there.
    static let connect = TimeAmount.seconds(3)
    /// An answer to a plain request.
    static let request = Duration.seconds(5)
    /// Giving back a room that was asked for in vain: whoever gave up, or is to hear why, waits for that.
    static let withdrawal = Duration.seconds(1)
    /// An answer to somebody who wants to know whether there is one.
    static let examination = Duration.seconds(3)
    /// Both transfers of a direction; the second is to take about so long.
    static let measurement = Duration.milliseconds(2_200)
    static let transferTime = Duration.seconds(1)
    /// The first, in bytes, and the most that a server gives or takes at once.
    static let firstTransfer = 32 * 1024
    static let transfer = 1024 * 1024
    /// The answer to an offer: the server itself gives the sharer 10 s.
    static let join = Duration.seconds(15)
    /// The server closes idle connections after 5 s; ours go first, so that none is used while it closes.
    static let idleConnection = TimeAmount.seconds(4)
    /// Requests that are answered at once; more wait.
    static let connectionsPerHost = 64
    /// Requests that wait for the other side: one for each viewer of this process.
    static let heldPerHost = 512
    /// A body we read: an answer of a foreign server may be larger than ours would be.
    static let body = 256 * 1024
    static let redirects = 5
    /// STUN and TURN servers taken from one answer.
    static let iceServers = 8
    /// Events the owner of a `SharerClient` hasn't taken yet.
    static let events = 1024
    /// How often the sharer says that it is alive, unless the server wants to hear it more often.
    static let heartbeat = Duration.milliseconds(1500)
    /// Events that are acknowledged with the next heartbeat; more are at once. Our server keeps 512, or 2 MiB of them.
    static let unsaidEvents = 64
    static let unsaidBytes = 256 * 1024
    /// No server may ask for longer silence, in seconds.
    static let slowestHeartbeat = 60.0
    /// An event stream that was open for so long was worth something.
    static let lastingStream = Duration.seconds(5)
    /// An event stream without a byte for so many of its heartbeats is dead.
    static let missedHeartbeats = 3.0
    /// A room's stream without a byte for three of its heartbeats is dead.
    static let monitorSilence = Duration.seconds(15)
    /// Streams that stay open: one for each viewer of this process.
    static let streamsPerHost = 512
    /// Times one answer is sent where the connection breaks.
    static let attempts = 3
    static let attemptPause = Duration.milliseconds(200)
    /// `Retry-After` as far as it is believed, and where it is missing.
    static let retryAfter = Duration.seconds(60)
    static let defaultRetryAfter = Duration.seconds(2)
    /// Between two attempts of one kind: many clients lose a server at once.
    static let pauses = Duration.milliseconds(250)...Duration.seconds(8)
    static let scatter = 0.5...1.0
}

extension Backoff {
    /// Between two attempts to reach a server.
    package static let signaling = Backoff(ClientLimits.pauses, scatter: ClientLimits.scatter)
}
