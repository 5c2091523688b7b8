/// Counters and rates of a share, taken by `ShareSession.statistics()`.
public struct ShareStatistics: Sendable {
    public var state: ShareState
    public var width: Int
    public var height: Int
    /// Pictures sent since the start, each once in however many encodings.
    public var pictures: Int
    /// Access units sent since the start, of all encodings: pictures, and keep-alives that repeat the last one.
    public var framesEncoded: Int
    public var keepalives: Int
    /// Source pictures that were not encoded because a newer one came or the network lagged.
    public var framesDropped: Int
    public var keyframes: Int
    /// Bytes that the encoder made.
    public var encodedBytes: Int
    /// Encoders running: one lane is the rule, whatever the number of viewers.
    public var lanes: Int
    /// The mean quantiser of the last picture, 0…51; not of what slow viewers are sent.
    public var quantiser: Double
    /// With which pictures are encoded now.
    public var preset: EncoderPreset
    /// What the pictures were found to be about; nil in mode `detail` and at a fixed rate, where nobody looks.
    public var content: SharedContent?
    /// What plays in the pictures, in the same modes; nil where nothing has a rate of its own.
    public var cadence: CadenceStatistics?
    /// Of each source of sound, while somebody listens.
    public var sound: [SharedAudio: SoundStatistics]
    public var viewers: [ViewerStatistics]
}

/// How a source of sound fares.
public struct SoundStatistics: Hashable, Sendable {
    /// How often sound ran dry that had been playing.
    public var gaps: Int
    /// How often the device lost sound, or gave some twice.
    public var losses: Int
    /// Seconds from when sound is heard until the packet that begins with it leaves, and of them what comes behind the
    /// device's handing it over.
    public var delay: Double
    public var wait: Double
    /// Of the device's clock against this machine's: 0.0001 is 100 ppm fast.
    public var drift: Double
}

/// What pictures are about.
public enum SharedContent: String, Hashable, Sendable {
    /// Programs, pages, text.
    case app
    /// A film, a call, a game, an animation: in the whole picture or in a part of it.
    case video
}

/// A film's, a call's or an animation's rate.
public struct CadenceStatistics: Hashable, Sendable {
    /// 24000/1001, 24, 25, 30000/1001, 30, 50, 60000/1001 or 60 pictures a second.
    public var picturesPerSecond: Double
    /// From 0 to 1.
    public var confidence: Double
}

/// One viewer, as the sharer sees it.
public struct ViewerStatistics: Sendable {
    public var viewer: String
    public var connected: Bool
    /// Seconds; nil until the first report.
    public var roundTripTime: Double?
    /// 0…1, of the last report interval.
    public var lossFraction: Double
    /// Of pictures, sound and repairs, since the viewer joined.
    public var packetsSent: Int
    /// Of these packets, with their RTP headers.
    public var bytesSent: Int
    /// Packets sent once more, those that only measure the path among them.
    public var retransmissions: Int
    /// How often the viewer asked for a keyframe (PLI, FIR).
    public var keyframeRequests: Int
    /// Bytes, of `bytesSent`, of what was sent once more and of repair packets (RFC 8627).
    public var bytesRepaired: Int
    /// Bits per second that the path is thought to let through: pictures, sound and repairs; nil before it connects.
    public var availableBitrate: Int?
    /// Seconds that packets wait in queues on their way.
    public var queueDelay: Double?
    /// Routers on the way may mark packets instead of dropping them, and the viewer tells of it (ECN, RFC 6679).
    public var isMarkable: Bool
    /// Packets that came marked: a router had too much to send.
    public var congestionMarks: Int
}
