import Media
import PeerCore
import Timebase
import VideoCodec

/// What the session asks of the thread of pictures; taken between two frames.
struct VideoCommands: Sendable {
    var isPaused = false
    var stops = false
    /// Lanes with connected viewers.
    var lanes: Set<LaneKey> = []
    /// Those, and the lanes of viewers who are still connecting: made ready, so that their first picture is quick.
    var expected: Set<LaneKey> = []
    /// Lanes whose viewers all take High profile, those still connecting among them.
    var high: Set<LaneKey> = []
    /// What was said of one last.
    var keyframes: [LaneKey: KeyframeWish] = [:]
    /// How many have ever begun to read pictures as they are captured; 0 while nobody does.
    var samplers = 0
    var source: NextSource?
    var size: OutputSize
    /// That frames are forced to, whatever is shown.
    var fixedRate: FrameRate?
    var mode: ContentMode
    var preset: X264Configuration.Preset
    var bitsPerSecond: Int
    /// What the viewers' paths let through of it, by rung.
    var rungRates: [Int: Int] = [:]
    /// Called once the commands so far are in force.
    var acknowledgements: [@Sendable () -> Void] = []
}

/// A lane's viewers lack a keyframe since then, or none of them does any more.
enum KeyframeWish: Sendable {
    case asked(Instant)
    case withdrawn
}

/// A source to be shown instead, and who waits to hear whether it could be opened.
struct NextSource: Sendable {
    let open: SourceFactory
    let answer: @Sendable (Result<Void, ShareError>) -> Void
}

extension VideoCommands {
    /// Of the stream: the most there will be.
    var frameRate: FrameRate { fixedRate ?? .fps30 }

    /// What the size comes to: where none was asked for, the mode has a say.
    var policy: FitGeometry.Policy { size.policy(in: mode) }

    /// Where a source of this size goes in the encoded picture.
    func geometry(of source: PixelSize) -> FitGeometry { size.geometry(of: source, in: mode) }

    /// The lanes in the order in which they are encoded: nobody waits for the pictures of slower viewers.
    var inTurn: [LaneKey] { lanes.count < 2 ? Array(lanes) : lanes.sorted { $0.rung < $1.rung } }

    /// How often a pointer changes a picture in which nothing else does.
    var pointerPeriod: Duration {
        mode == .detail && fixedRate == nil ? MediaLimits.pointerPeriodOverPages : MediaLimits.pointerPeriod
    }

    /// The rate of frames where nothing plays that has its own, and whether that is looked for.
    func grid(for content: Content) -> (rate: FrameRate, pace: FramePace) {
        if let fixedRate { return (fixedRate, .fixed) }
        switch (mode, content) {
        case (.detail, _): return (.fps15, .fixed)
        case (.motion, _), (.auto, .video): return (.fps30, .following)
        case (.auto, .app): return (.fps15, .watching)
        }
    }
}

extension ContentMode {
    /// Whether the pictures are a film's. A rate that was asked for is: nobody looks for one then.
    func showsFilm(_ content: Content?, isRateFixed: Bool) -> Bool {
        switch self {
        case .motion: true
        case .detail: false
        case .auto: isRateFixed || content == .video
        }
    }
}

/// The session's end of the thread of pictures.
typealias VideoControls = ThreadControls<VideoCommands>

extension VideoCommands: ThreadCommands {
    mutating func removeRequests() {
        keyframes = [:]
        source = nil
        acknowledgements = []
    }

    mutating func takeWaiting() -> [@Sendable () -> Void] {
        var waiting = acknowledgements
        if let source { waiting.append { source.answer(.failure(.invalid("the session is not running"))) } }
        acknowledgements = []
        source = nil
        return waiting
    }
}

extension VideoControls {
    /// Shows another source; the one before stays where that can't be opened.
    func show(_ open: @escaping SourceFactory) async throws(ShareError) {
        let result: Result<Void, ShareError> = await withCheckedContinuation { continuation in
            change { commands in
                commands.source?.answer(.failure(.invalid("another source was chosen meanwhile")))
                commands.source = NextSource(open: open) { continuation.resume(returning: $0) }
            }
        }
        try result.get()
    }
}
