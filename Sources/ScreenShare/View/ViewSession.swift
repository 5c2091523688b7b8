import Logging

/// A viewer: joins by WHEP, receives, and joins again when the sharer restarts, until `stop()` or an error. A session that
/// nobody holds any more stops, also while its streams are read.
///
/// Safe to use from any task.
public actor ViewSession {
    /// The video, in decoding order; one reader. Units that would need a lost one are left out (and counted). A reader
    /// that falls far behind loses units up to the next keyframe.
    public nonisolated let units: AsyncStream<VideoUnit>
    /// The sound, as it is due; one reader. Nothing, unless the configuration asks for it. A reader that falls far behind
    /// loses the oldest.
    public nonisolated let audio: AsyncStream<AudioPiece>
    /// What happens, in order; one reader. Ends with `.ended`.
    public nonisolated let events: AsyncStream<ViewEvent>

    private let life: ViewLife

    /// Opens nothing; `start` does. The logger is for the developer.
    public init(configuration: ViewConfiguration, logger: Logger = Logger(label: "screenshare")) {
        life = ViewLife(configuration: configuration, logger: logger)
        (units, audio, events) = (life.units, life.audio, life.events)
    }

    deinit {
        Task.detached { [life] in await life.stop() }
    }

    /// Begins to join; what becomes of it is told by `events`.
    public func start() async {
        await life.start()
    }

    /// Ends the video and the sound, leaves, and ends the events; returns when everything is closed.
    public func stop() async {
        await life.stop()
    }

    /// Of all connections since `start`; also after the end.
    public func statistics() async -> ViewStatistics {
        await life.statistics()
    }

    /// The sharer sends sound to this viewer.
    public var hasSound: Bool {
        get async { await life.hasSound }
    }
}
