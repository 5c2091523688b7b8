import PeerCore
import SignalingProtocol

/// Where a viewer joins, and how it reaches the sharer.
public struct ViewConfiguration: Sendable {
    /// A WHEP endpoint, such as `http://127.0.0.1:8080/v1/rooms/demo/whep`; any WHEP server will do.
    public var endpoint: String
    /// Sent as `Authorization: Bearer`, if given: 1…8192 visible characters of ASCII.
    public var token: String?
    /// How long there may be nothing to see: nobody shares yet, the sharer can't be reached, or it sends no picture.
    /// Counted anew when it is lost; nil: for ever.
    public var patience: Duration?
    /// Fills the time in which the sharer sent nothing by repeating the last picture, and writes the frame rate into every
    /// SPS: the units, one after the other, are a file of constant frame rate.
    public var constantFrameRate = false
    /// How much of a gap is filled so: whoever shows it as it comes is late from then on by what was repeated. Nil: all of
    /// it, as a recording needs.
    public var longestStill: Duration?
    /// Takes the sound as well, where there is some.
    public var receivesAudio = false
    /// The most that the sound may take, in bits per second, 6000…510,000, copies of lost packets too
    /// (`maxaveragebitrate`, RFC 7587 § 6.1): less than the sharer's own makes it encode the sound once more. Nil: as much
    /// as the sharer likes. Outside of these bounds the session ends with `ShareError.invalid`.
    public var maximumAudioBitrate: Int?
    /// Decodes it as well (`AudioPiece.samples`), for whoever plays or mixes it: 0.2 % of a core.
    public var decodesAudio = false
    /// Ends this long after the first picture.
    public var duration: Duration?
    /// How media finds its way. STUN and TURN servers that are named here take the place of those that the WHEP server
    /// names (its `Link` fields).
    public var network = NetworkConfiguration()

    /// Video alone, without a limit of time; nothing is checked or opened before `ViewSession.start`.
    public init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The endpoint of a room on one of this project's servers.
    public init(server: String, room: String) {
        self.init(endpoint: "\(server.hasSuffix("/") ? String(server.dropLast()) : server)/v1/rooms/\(room)/whep")
    }
}

extension ViewConfiguration {
    /// - Throws: `.invalid`, with what can't be asked for.
    func check() throws(ShareError) {
        if let token, BearerToken(foreign: token) == nil { throw .invalid("a token has 1…8192 visible characters") }
        if let maximumAudioBitrate, !ViewLimits.audioBitrates.contains(maximumAudioBitrate) {
            throw .invalid("sound takes 6000…510000 bits per second")
        }
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
    /// A try begins: sockets are opened, and the server is asked. `waiting` or `disconnected` may follow, and the next.
    case connecting
    /// Media may flow.
    case connected
    /// The first picture of the session arrived, this long after the offer was sent.
    case firstPicture(after: Duration)
    /// The sharer left or was lost; the session tries again by itself.
    case disconnected(String)
    /// The way here takes too little for moving pictures: the sharer sends one now and then, until it is told that the
    /// path has recovered. Known from servers that say so, as ours does.
    case pathNarrow
    /// It takes enough again, or the session has left that connection.
    case pathRecovered
    /// Something a person should know that does not end the session.
    case notice(String)
    /// Ended, with the error that ended it if it was not asked to.
    case ended(ShareError?)
}

/// Counters of a viewer.
public struct ViewStatistics: Sendable {
    /// Media may flow now.
    public var isConnected = false
    /// Access units of the sharer's that were handed over; repeats that fill time are not counted.
    public var frames = 0
    /// Of these, without start codes.
    public var bytes = 0
    /// Units left out because what they refer to was lost, or their reader was slow.
    public var skipped = 0
    /// PLIs sent (RFC 4585 § 6.3.1).
    public var keyframeRequests = 0
    /// Packets of pictures that were given up: they came neither in time nor again.
    public var packetsLost = 0
    /// Packets of pictures that were missing, and came by retransmission (RFC 4588) or were computed (RFC 8627).
    public var packetsRecovered = 0
    /// How much sound was handed over, without the sharer's silences.
    public var audioDuration = Duration.zero
    /// Of this, what was lost or late and made up for by in-band FEC or a guess, or was put in to make the delay longer;
    /// copies in later packets (RED, RFC 2198) are no loss.
    public var audioLost = Duration.zero
    /// By how much pictures are shown later than their sound is heard: the median of the last 600. Nil without sound.
    public var videoLag: Duration?
    /// What 95 % of them do not exceed, earlier or later.
    public var videoLag95: Duration?
    /// From the sharer's capture until pictures are shown: the median of the last 600. Right only where both machines'
    /// wall clocks agree; nil until the sharer has told its own (RTCP).
    public var videoDelay: Duration?
    /// Likewise, until pieces of sound are handed over.
    public var audioDelay: Duration?
    /// By ICE's checks; nil before the first answer.
    public var roundTripTime: Duration?
    /// From when the offer was sent until the first picture came; nil before that.
    public var firstPicture: Duration?
    /// How often the session connected.
    public var joins = 0
}

extension ViewStatistics {
    func adding(_ peer: PeerStatistics) -> ViewStatistics {
        var sum = self
        let incoming = peer.incoming ?? IncomingStatistics()
        sum.isConnected = peer.isConnected
        sum.skipped += incoming.unitsSkipped
        sum.keyframeRequests += incoming.keyframeRequests
        sum.packetsLost += incoming.packetsLost
        sum.packetsRecovered += incoming.packetsRecovered
        sum.roundTripTime = peer.roundTripTime ?? roundTripTime
        return sum
    }
}
