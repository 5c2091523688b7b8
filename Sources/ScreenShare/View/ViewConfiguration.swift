import AudioCodec
import Datagrams
import PeerDriver
import SignalingClient
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
    /// The most that the sound may take, in bits per second, within `audioBitrates`, copies of lost packets too
    /// (`maxaveragebitrate`, RFC 7587 § 6.1): less than the sharer's own makes it encode the sound once more. Nil: as much
    /// as the sharer likes. Outside of the bounds the session ends with `ShareError.invalid`.
    public var maximumAudioBitrate: Int?
    /// Decodes it as well (`AudioPiece.samples`), for whoever plays or mixes it: 0.2 % of a core.
    public var decodesAudio = false
    /// Where no sound comes, it is waited for, up to a second, as a recording needs: pieces then come that much after their
    /// `playAt`, and where no pictures come either none do: how long that was, the next one's timestamp tells. Otherwise the
    /// time is filled at once, and of what a stalled network brings later only the newest is heard.
    public var waitsForLateAudio = false
    /// Ends this long after the first picture.
    public var duration: Duration?
    /// How media finds its way. STUN and TURN servers that are named here take the place of those that the WHEP server
    /// names (its `Link` fields).
    public var network = NetworkConfiguration()
    /// At a server of this project's the viewer begins the DTLS handshake. Behind a NAT it is the first to know that packets get
    /// through; and pictures leave right behind the handshake's last flight, for which a sharer that had begun it would have to
    /// wait. Other servers are left the choice (RFC 8842 § 5.2).
    var beginsHandshake = false

    /// What sound can be bounded to, in bits per second: 6000…510,000, as Opus (RFC 7587 § 6.1).
    public static let audioBitrates: ClosedRange<Int> = OpusTarget.bitrates

    /// Video alone, without a limit of time; nothing is checked or opened before `ViewSession.start`.
    public init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The endpoint of a room on one of this project's servers.
    public init(server: String, room: String) {
        self.init(endpoint: ServerAddress.whepEndpoint(of: room, at: server))
        beginsHandshake = true
    }
}

extension ViewConfiguration {
    /// With no times but such as can be slept for.
    var bounded: ViewConfiguration {
        var bounded = self
        bounded.patience = patience.map { max(.zero, min($0, ViewLimits.longestWait)) }
        bounded.duration = duration.map { max(.zero, min($0, ViewLimits.longestWait)) }
        return bounded
    }

    /// A sharer on this machine may have nothing but loopback, which is only used from there. RFC 8445 § 5.1.1.1 keeps that
    /// out of what others are told; and whoever is elsewhere could otherwise have us send checks to this machine's ports.
    ///
    /// - Parameter others: are told of.
    func unlistedAddresses(beside others: [IPAddress]) -> [IPAddress] {
        guard network.interfaces.isEmpty, !network.relayOnly, isServerOnLoopback else { return [] }
        return LocalAddresses.loopback().filter { !others.contains($0) }
    }

    private var isServerOnLoopback: Bool {
        (try? ServerAddress(endpoint)).map { IPAddress.isLoopback(host: $0.host) } ?? false
    }

    /// - Throws: `.invalid`, with what can't be asked for.
    func check() throws(ShareError) {
        if let token, BearerToken(foreign: token) == nil { throw .invalid("a token has 1…8192 visible characters") }
        let bounds = Self.audioBitrates
        if let maximumAudioBitrate, !bounds.contains(maximumAudioBitrate) {
            throw .invalid("sound takes \(bounds.lowerBound)…\(bounds.upperBound) bits per second")
        }
    }
}
