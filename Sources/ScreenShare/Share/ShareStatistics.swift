/// Counters and rates of a share, taken by `ShareSession.statistics()`.
public struct ShareStatistics: Sendable {
    /// Counters keep their values in `.stopped`; nobody is in `viewers` then.
    public var state: ShareState
    /// Of the picture that encoders are given, in pixels, even; 0 before the first. Where bits are few, what is sent
    /// may be smaller.
    public var width: Int
    /// Likewise, in rows.
    public var height: Int
    /// Pictures sent since the start, each once in however many encodings, and again where it is sent sharper.
    public var pictures: Int
    /// Access units sent since the start, of all encodings: pictures, and keep-alives that repeat the last one.
    public var framesEncoded: Int
    /// Of `framesEncoded`, those that only repeat: one a second in each encoding while nothing changes.
    public var keepalives: Int
    /// Source pictures that were not encoded because a newer one came, they showed nothing new, or the network lagged.
    public var framesDropped: Int
    /// Of `framesEncoded`, those that decoding can start with (IDR).
    public var keyframes: Int
    /// Bytes of all of `framesEncoded` as RTP payloads, without headers.
    public var encodedBytes: Int
    /// Encoders running: one lane is the rule, whatever the number of viewers.
    public var lanes: Int
    /// The mean quantiser of the last picture, 0…51; 52: it waits for bits. Not of what slow viewers are sent.
    public var quantiser: Double
    /// With which pictures are encoded now. Those for slow viewers may get by with a smaller one, and be fewer:
    /// notices say so.
    public var preset: EncoderPreset
    /// What the pictures were found to be about; nil in mode `detail` and at a fixed rate, where nobody looks.
    public var content: SharedContent?
    /// What plays in the pictures, in the same modes; nil where nothing has a rate of its own.
    public var cadence: CadenceStatistics?
    /// Datagrams that this machine had no room to send, to all viewers together: lost, as in a network.
    public var datagramsRefused: Int
    /// Of each source of sound, while somebody listens or reads samples of it.
    public var sound: [SharedAudio: SoundStatistics]
    /// All from their offer on, those still connecting among them, in no order.
    public var viewers: [ViewerStatistics]
}

/// How a source of sound fares.
public struct SoundStatistics: Hashable, Sendable {
    /// How often sound ran dry that had been playing.
    public var gaps: Int
    /// How often the device lost sound, or gave some twice.
    public var losses: Int
    /// From when sound is heard until the packet that begins with it leaves.
    public var delay: Duration
    /// Of `delay`, what comes behind the device: from its handing sound over until the packet leaves.
    public var wait: Duration
    /// Of the device's clock against this machine's: 0.0001 is 100 ppm fast.
    public var drift: Double
}

/// What pictures are about.
@nonexhaustive public enum SharedContent: String, Hashable, Sendable {
    /// Programs, pages, text.
    case app
    /// A film, a call, a game, an animation: in the whole picture or in a part of it.
    case video
}

/// A film's, a call's or an animation's rate.
public struct CadenceStatistics: Hashable, Sendable {
    /// 24000/1001, 24, 25, 30000/1001, 30, 50, 60000/1001 or 60 pictures a second. One a thousandth below a whole rate is
    /// taken for that at first, for up to a minute of undisturbed play. Where the display has hardly more ticks, that is up
    /// to 67 s (59.94 on 60 Hz) or 134 s (29.97 on 30) without a missing picture, and for good where the display is off by
    /// more than 30 in a million.
    public var picturesPerSecond: Double
    /// From 0 to 1: grows with each picture that keeps the rate, and falls with those that are missing.
    public var confidence: Double
}

/// One viewer, as the sharer sees it.
public struct ViewerStatistics: Sendable {
    /// The name of `LocalDescription.viewer`.
    public var viewer: String
    /// ICE has found a path and DTLS has keys: media may flow.
    public var isConnected: Bool
    /// By the viewer's reports on the pictures (RFC 3550 § 6.4.1), before them by ICE's checks; nil until one of them was
    /// answered.
    public var roundTripTime: Duration?
    /// Of the pictures' packets, 0…1, in the last report interval, before repairs.
    public var lossFraction: Double
    /// Of pictures and repairs, since the viewer joined; sound is not counted.
    public var packetsSent: Int
    /// Of these packets, with their RTP headers.
    public var bytesSent: Int
    /// Packets sent once more, those that only measure the path among them.
    public var retransmissions: Int
    /// How often the viewer asked for a keyframe (PLI, FIR).
    public var keyframeRequests: Int
    /// Bytes, of `bytesSent`, of what was sent once more and of repair packets (RFC 8627).
    public var bytesRepaired: Int
    /// Bits per second that the path is thought to let through of what the share may use: pictures, sound and repairs;
    /// nil until an offer of ours (`counterOffer`) is answered.
    public var availableBitrate: Int?
    /// How long packets wait in queues on their way; nil likewise.
    public var queueDelay: Duration?
    /// Routers on the way may mark packets instead of dropping them, and the viewer tells of it (ECN, RFC 6679).
    public var isMarkable: Bool
    /// Packets that came marked: a router had too much to send.
    public var congestionMarks: Int
}
