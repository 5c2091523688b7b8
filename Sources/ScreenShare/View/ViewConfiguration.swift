import PeerCore
import Timebase

/// Where a viewer joins, and how it reaches the sharer.
public struct ViewConfiguration: Sendable {
    /// A WHEP endpoint, such as `http://127.0.0.1:8080/v1/rooms/demo/whep`; any WHEP server will do.
    public var endpoint: String
    /// Sent as `Authorization: Bearer`, if given: 1…8192 visible characters of ASCII.
    public var token: String?
    /// How long to try where nobody shares yet, or the sharer can't be reached; nil: for ever.
    public var patience: Duration?
    /// Fills the time in which the sharer sent nothing by repeating the last picture, and writes the frame rate into every
    /// SPS: the units, one after the other, are a file of constant frame rate.
    public var constantFrameRate = false
    /// Takes the sound as well, where there is some.
    public var receivesAudio = false
    /// Decodes it as well, for whoever plays or mixes it: 0.2 % of a core.
    public var decodesAudio = false
    /// Ends this long after the first picture.
    public var duration: Duration?
    /// How media finds its way. STUN and TURN servers that are named here take the place of those that the WHEP server
    /// names (its `Link` fields).
    public var network = NetworkConfiguration()

    public init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The endpoint of a room on one of this project's servers.
    public init(server: String, room: String) {
        self.init(endpoint: "\(server.hasSuffix("/") ? String(server.dropLast()) : server)/v1/rooms/\(room)/whep")
    }
}

/// One access unit of the shared video, in decoding order (ITU-T H.264, no B pictures).
public struct VideoUnit: Sendable {
    /// NAL units with start codes (Annex B); a keyframe begins with SPS and PPS.
    public var annexB: [UInt8]
    /// Ticks of 1/90000 s since the first picture, rising; the time goes on where the sharer begins anew.
    public var timestamp: Int64
    /// Decoding can start here.
    public var isKeyframe: Bool
    /// Pictures in `annexB` that the sharer sent (1, or 0 in a unit that only fills time).
    public var pictures: Int
    /// Pictures in `annexB` that repeat the one before.
    public var repeated: Int
    /// When it is to be shown, at the source's own pace and in step with the sound's `playAt`.
    public var showAt: ContinuousClock.Instant
}

/// What happens to a viewer, in order.
public enum ViewEvent: Hashable, Sendable {
    /// There is nothing to see yet; the text says why.
    case waiting(String)
    case connecting
    /// Media may flow.
    case connected
    /// The first picture arrived, this long after the offer was sent.
    case firstPicture(after: Duration)
    /// The sharer left or was lost; the session tries again by itself.
    case disconnected(String)
    /// The way here takes too little for moving pictures: the sharer sends one now and then, until it is told that the
    /// path has recovered. Known from servers that say so, as ours does.
    case pathNarrow
    case pathRecovered
    /// Something a person should know that does not end the session.
    case notice(String)
    /// Ended, with the error that ended it if it was not asked to.
    case ended(ShareError?)
}

/// Counters of a viewer.
public struct ViewStatistics: Sendable {
    public var connected = false
    /// Access units handed over.
    public var frames = 0
    public var bytes = 0
    /// Units left out because what they refer to was lost.
    public var skipped = 0
    public var keyframeRequests = 0
    public var packetsLost = 0
    public var packetsRecovered = 0
    /// Seconds of sound handed over, and of them that were lost or late.
    public var audioSeconds = 0.0
    public var audioSecondsLost = 0.0
    /// Of the last twenty seconds' pictures: by how much they are shown later than their sound is heard, in seconds; the
    /// median, and what 95 % of them do not exceed, earlier or later. Nil without sound.
    public var videoLag: Double?
    public var videoLag95: Double?
    /// From the sharer's capture to here, in seconds: pictures until they are shown, sound until it is decoded; medians.
    /// Right only where both machines' wall clocks agree.
    public var videoDelay: Double?
    public var audioDelay: Double?
    /// Seconds.
    public var roundTripTime: Double?
    public var firstPicture: Duration?
    /// How often the session connected.
    public var joins = 0
}

extension ViewStatistics {
    func adding(_ peer: PeerStatistics) -> ViewStatistics {
        var sum = self
        let incoming = peer.incoming ?? IncomingStatistics()
        sum.connected = peer.isConnected
        sum.skipped += incoming.unitsSkipped
        sum.keyframeRequests += incoming.keyframeRequests
        sum.packetsLost += incoming.packetsLost
        sum.packetsRecovered += incoming.packetsRecovered
        sum.roundTripTime = peer.roundTripTime?.inSeconds ?? roundTripTime
        return sum
    }
}
