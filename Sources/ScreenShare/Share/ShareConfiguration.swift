import PeerDriver

/// What a share shows and how: everything `ShareSession` needs to know before it starts.
public struct ShareConfiguration: Sendable {
    /// Where the pictures come from.
    public var source: ShareSource
    /// How large the encoded picture is.
    public var size = OutputSize.automatic
    /// What the pictures are about, and so how fast frames leave.
    public var mode = ContentMode.auto
    /// A fixed rate that whatever is shown is turned into; nil: as the mode says.
    public var frameRate: OutputFrameRate?
    /// The sound that goes with the pictures.
    public var audio = AudioConfiguration.none
    /// How hard the encoder tries.
    public var preset = EncoderPreset.ultrafast
    /// The most that video and sound may use together, in bits per second, 100,000…100,000,000; repairs come on top.
    public var maximumBitrate = 4_000_000
    /// Draws the mouse pointer into captured screens.
    public var showsCursor = true
    /// Viewers beyond this many are refused, 1…1000.
    public var maximumViewers = 100
    /// How viewers reach us.
    public var network = NetworkConfiguration()

    /// A silent share of a source; everything else as the properties' defaults say.
    public init(source: ShareSource) {
        self.source = source
    }
}

/// How media finds its way: one UDP port serves all viewers, and one of TCP those whose network lets no UDP through.
public struct NetworkConfiguration: Hashable, Sendable {
    /// 0 lets the system choose.
    public var udpPort: UInt16 = 0
    /// Whether TCP is used where UDP does not get through (RFC 6544): a share takes connections, at the same port where
    /// that is free, a view makes them.
    public var usesTCP = true
    /// Whether pictures ask routers for AF41 and sound for EF (RFC 8837): a network that knows these treats them as a call's.
    /// And whether routers may mark them instead of dropping them, where the other side tells of it (ECN, RFC 6679).
    public var marksPackets = true
    /// The local IP addresses to use; empty: all but link-local, those that come later too, and loopback only where
    /// there is nothing else. Eight at most.
    public var interfaces: [String] = []
    /// STUN servers (`stun:host[:port]`, RFC 7064) that tell our address outside a NAT.
    public var stunServers: [String] = []
    /// TURN servers that relay media where two can't reach each other, the preferred first; four at most.
    public var turnServers: [TURNServer] = []
    /// Tells and uses nothing but the relays' addresses: the other side does not learn ours, nor can it send there.
    public var relayOnly = false

    /// Any port, UDP and TCP, all addresses, and nobody else's server is asked.
    public init() {}

    /// Whether a text is a STUN server's URL (RFC 7064): `stun:host[:port]`.
    public static func isSTUNServer(_ url: String) -> Bool {
        STUNServer.uri(url) != nil
    }
}

/// A fixed output frame rate. In mode `auto` whatever is shown is treated as a film then, where a path is slow as well: its
/// pictures become smaller, not fewer. In mode `detail` none is left out for sharpness.
public enum OutputFrameRate: Int, Sendable, CaseIterable {
    /// 24 a second exactly, not 24000/1001.
    case fps24 = 24
    /// 30 a second exactly, not 30000/1001.
    case fps30 = 30
}

/// What the pictures are about, and so what counts most: WebRTC's content hints for video, which `init(contentHint:)` takes.
public enum ContentMode: String, Hashable, Sendable, CaseIterable {
    /// `detail` for programs and pages; `motion` from a second or two after something begins to play, in the whole picture
    /// or in a part of it, until it ends.
    case auto
    /// Text and drawings: 15 frames a second at most, each as sharp as the bit rate allows, of the source's own size unless
    /// another was asked for. Where bits are too few, frames are left out so that the others stay sharp; not at a fixed rate
    /// (`ShareConfiguration.frameRate`).
    case detail
    /// Films, calls, games: as soon as it is known at which rate they play (23.976 to 60 a second), each of their
    /// pictures leaves once, when it is drawn, with a timestamp of that rate; of more than 30 a second every other one.
    case motion

    /// What a video track's `contentHint` asks for (W3C, MediaStreamTrack Content Hints).
    ///
    /// - Parameter contentHint: `""` for `auto`, `"text"` or `"detail"` for `detail`, `"motion"`; nil comes of any other.
    public init?(contentHint: String) {
        switch contentHint {
        case "": self = .auto
        case "text", "detail": self = .detail
        case "motion": self = .motion
        default: return nil
        }
    }
}

/// How hard the encoder tries, by x264's names. Where pictures would be late, a share goes down by itself, and up again
/// when there is room: `ShareEvent.presetChanged` says so.
///
/// | | a share of 1280×720, resident | of 1920×1080 |
/// |---|---|---|
/// | `minimal`, `ultrafast` | 48 MB | 75 MB |
/// | `superfast` to `medium` | 54 MB | 117 MB |
///
/// A share that has gone down keeps the memory of the preset that was asked for. Text gets a twentieth smaller from
/// `ultrafast` to `veryfast`, for about twice the work.
public enum EncoderPreset: String, Hashable, Sendable, CaseIterable {
    /// x264's `ultrafast` as it is: changed and scrolled text takes more bits.
    case minimal
    /// Named as x264's, each with more work for fewer bits than the one before. Unlike `minimal`, all search widely
    /// where a page changed or scrolls.
    case ultrafast, superfast, veryfast, faster, fast, medium
}

/// The encoded picture's size in pixels, always even. The aspect is always kept, nothing is cropped, nothing enlarged.
/// What no level of H.264 has room for (table A-1) becomes the nearest size that one has.
public enum OutputSize: Hashable, Sendable {
    /// What suits the mode, also where that changes: `native` in `detail`, else `within` 1920 by 1080 pixels.
    case automatic
    /// The source's own size, made even.
    case native
    /// As large as fits into the box.
    case fit(width: Int, height: Int)
    /// As large as fits into the box, which is turned for a picture that stands upright.
    case within(longSide: Int, shortSide: Int)
    /// No more pixels than these.
    case maximumPixels(Int)
    /// Exactly this size, with black bars where the source is smaller or of another aspect.
    case exactly(width: Int, height: Int)
}

/// Where the pictures come from.
public enum ShareSource: Sendable {
    /// A whole X display, `:0` style; nil reads `DISPLAY`.
    case display(String?)
    /// A monitor by its RandR name, such as `HDMI-1`.
    case monitor(String, display: String?)
    /// One window, by id (`0x…` or decimal) or by a part of its title.
    case window(String, display: String?)
    /// A rectangle of the display, in pixels from its upper left corner.
    case region(x: Int, y: Int, width: Int, height: Int, display: String?)
    /// A drawn pattern with known colours and something moving, 30 pictures a second, 1…8192 pixels a side: needs no
    /// display.
    case testPattern(width: Int, height: Int)
    /// Frames that the embedder pushes.
    case custom(CustomVideoSource)
}
