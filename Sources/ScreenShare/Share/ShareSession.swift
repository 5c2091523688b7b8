import Datagrams
import ICE
import Logging
import Media
import NIOCore
import NIOPosix
import PeerCore
import PeerDriver
import SDP
import SecureTransport
import SystemClock
import Timebase

/// A share: one source, one encoder, any number of viewers.
///
///     idle ──start──► live ⇄ paused (pause, resume) ──stop, or an error──► stopped
///
/// What is changed, muted or paused before `start`, or while it opens, holds from the first picture on. A session that
/// nobody holds any more stops.
///
/// Safe to use from any task. Pictures are captured and encoded on a thread of the session's own, viewers are served on
/// an event loop of its own; several sessions in one process share nothing.
public actor ShareSession {
    /// What happens, in order; one reader, who loses the oldest beyond 1000 unread. Ends when the session has stopped.
    public nonisolated let events: AsyncStream<ShareEvent>
    /// As `events` tells it; stays `.idle` where `start` fails.
    public internal(set) var state = ShareState.idle

    /// What is captured from now on, before it is mixed and encoded: for a recording, a preview, a look of one's own. A
    /// stream of its own for each reader; it costs a copy of each picture while somebody reads. A reader that is slow
    /// finds the newest three pictures and the newest second of each sound. Nothing comes of what is muted or paused;
    /// while no viewer's path takes more, pictures come as seldom as they leave. Ends when the session has stopped.
    public nonisolated func samples(
        _ kinds: Set<ShareSample.Kind> = Set(ShareSample.Kind.allCases)
    ) -> AsyncStream<ShareSample> {
        taps.open(kinds)
    }

    nonisolated let taps = SampleTaps()
    let embedderClock = EmbedderClock()
    let sink: AsyncStream<ShareEvent>.Continuation
    let logger: Logger
    var configuration: ShareConfiguration
    var hub: PeerHub?
    var viewers: [PeerID: Viewer] = [:]
    var lastPeer: UInt64 = 0
    var pendingOffers: [PeerID: PendingOffer] = [:]
    /// Lanes that somebody watches who takes less than high profile, and those that are free of such viewers again.
    private var mixedLanes: Set<LaneKey> = []
    private var unmixedLanes: Set<LaneKey> = []
    var controls: VideoControls?
    /// Nil where there is no sound to share.
    var audioControls: AudioControls?
    /// None can be encoded any more.
    var hasSoundEnded = false
    /// What nobody hears now, though it is captured.
    public internal(set) var mutedAudio: Set<SharedAudio> = []
    let counters = VideoCounters()
    let audioCounters = AudioCounters()
    let paths = ViewerPaths()
    private var datagramsRefused = 0
    /// There is nothing to capture any more, and no other source yet.
    private(set) var hasSourceEnded = false
    /// What the pictures were found to be about.
    var content = Content.app
    /// From when sound is heard until it leaves; at first as it is with a sound server.
    var soundDelay = Duration.milliseconds(25)
    /// A pause that was asked for before there was anything to pause.
    var beginsPaused = false
    var starting: Task<Result<Void, ShareError>, Never>?
    var closing: Task<Void, Never>?
    /// Runs until nobody holds the session: whoever called it before `stop` gets an answer.
    var eventLoops: MultiThreadedEventLoopGroup?
    var watcher: Task<Void, Never>?

    /// One viewer, from its offer on.
    struct Viewer {
        let name: String
        var lane: LaneKey
        let takesHigh: Bool
        var audio: AudioListener?
        var since: Instant
        var isConnected = false
        /// Its path takes too little for moving pictures.
        var isStarved = false
        /// Of its present ICE session; nil until its answer has come.
        var credentials: ICE.ICECredentials?
        /// Of sections of its offer that have transports of their own: what is told of these is not about ours.
        var foreignTags: Set<String> = []
    }

    /// An offer of ours that waits for its answer.
    struct PendingOffer {
        let offer: LocalOffer
        let stream: LocalStream
    }

    /// What comes from the two threads.
    enum Signal: Sendable {
        case peer(PeerID, PeerEvent)
        case video(VideoPipelineEvent)
        case audio(AudioPipelineEvent)
        /// To other rungs.
        case moved([PeerID: Int])
        case starved(PeerID, Bool)
        /// What of a path sound may take, in bits per second.
        case soundRoom(PeerID, Int)
        case relay(RelayEvent)
    }

    /// Opens nothing; `start` does.
    ///
    /// - Parameter logger: for the developer; what a person should know comes as events.
    public init(configuration: ShareConfiguration, logger: Logger = Logger(label: "screenshare")) {
        self.configuration = configuration
        self.logger = logger
        (events, sink) = AsyncStream.makeStream(
            of: ShareEvent.self, bufferingPolicy: .bufferingNewest(ShareLimits.unreadEvents))
    }

    deinit {
        let parts = RunningParts(controls: controls, audioControls: audioControls, hub: hub)
        let loops = eventLoops
        watcher?.cancel()
        taps.finish()
        sink.finish()
        // The last to let go may be the loop itself, which can't wait for its own end.
        Task.detached {
            await parts.release()
            try? await loops?.shutdownGracefully()
        }
    }

    // MARK: Live changes

    /// Shows another source from now on; viewers stay connected.
    ///
    /// - Throws: `.source` where it can't be opened, and the one before is shown on; `.invalid` after `stop`, or where
    ///   another call chose another one meanwhile.
    public func setSource(_ source: ShareSource) async throws(ShareError) {
        _ = await starting?.value
        if case .stopped = state { throw .invalid("the session has stopped") }
        guard state != .idle, let controls else { return configuration.source = source }
        try await controls.show(source.factory(showsCursor: configuration.showsCursor, clock: embedderClock))
        configuration.source = source
        // Who joins now sees nothing of the source before.
        await hub?.forgetCaches()
    }

    /// Bounds what video and sound may use together from now on; with a keyframe where the stream's level is too low for that.
    /// - Parameter bitsPerSecond: clamped to `ShareConfiguration.bitrates`.
    public func setMaximumBitrate(_ bitsPerSecond: Int) {
        configuration.maximumBitrate = bitsPerSecond
        updateAudioLanes()
    }

    /// Encodes at a fixed rate from now on, beginning with a keyframe where the stream had another rate.
    /// - Parameter frameRate: nil for the rate that the mode says.
    public func setFrameRate(_ frameRate: OutputFrameRate?) {
        configuration.frameRate = frameRate
        controls?.change { $0.fixedRate = frameRate?.rate }
        updatePlayout()
    }

    /// Says what the pictures are about from now on. They go on without a keyframe, unless their size is `automatic` and
    /// becomes another with the mode.
    public func setMode(_ mode: ContentMode) {
        configuration.mode = mode
        controls?.change { $0.mode = mode }
        updatePlayout()
    }

    /// Encodes at another size from now on, beginning with a keyframe.
    public func setSize(_ size: OutputSize) {
        configuration.size = size
        controls?.change { $0.size = size }
    }

    // MARK: Statistics

    /// Counters and rates as they are now; of viewers, those that have joined and not left.
    public func statistics() async -> ShareStatistics {
        let video = counters.now
        let peers = await hub?.statistics() ?? []
        await countRefused(by: hub)
        return ShareStatistics(
            state: state, width: video.size.width, height: video.size.height, pictures: video.pictures,
            framesEncoded: video.units, keepalives: video.keepalives, framesDropped: video.drops, keyframes: video.keyframes,
            encodedBytes: video.bytes, lanes: video.lanes, quantiser: video.quantiser,
            preset: video.preset.map { EncoderPreset($0) } ?? configuration.preset,
            content: video.content.map { SharedContent($0) }, cadence: video.cadence.map { CadenceStatistics($0) },
            datagramsRefused: datagramsRefused, sound: soundStatistics,
            viewers: peers.compactMap { peer in
                viewers[peer.peer].map { ViewerStatistics($0.name, peer.statistics) }
            })
    }

    /// Until the hub is gone; what it counted stays.
    func countRefused(by hub: PeerHub?) async {
        if let refused = await hub?.datagramsRefused { datagramsRefused = max(datagramsRefused, refused) }
    }

    /// What the source's present size comes to; of a source that has none yet the largest that may be.
    var encodedSize: PixelSize {
        let source = counters.now.source
        if source.area > 0 { return configuration.size.geometry(of: source, in: configuration.mode).picture }
        switch configuration.size.policy(in: configuration.mode) {
        case .native, .fitPixels: return FitGeometry.defaultBox
        case .fit(let size), .fitTurned(let size), .letterbox(let size): return size
        }
    }

    // MARK: What happens

    /// That the share has stopped comes last.
    func tell(_ event: ShareEvent) {
        if !isStopped { sink.yield(event) }
    }

    func handle(_ signal: Signal) async {
        switch signal {
        case .peer(let id, .connected): connected(id)
        case .peer(let id, .disconnected(let reason)): left(id, ViewerDeparture.Reason(reason))
        case .peer(_, .interrupted), .peer(_, .keyframeNeeded), .peer(_, .keyframeAskedEarly),
            .peer(_, .keyframeNeedless), .peer(_, .path), .peer(_, .received), .peer(_, .receivedAudio): break
        case .peer(let id, .losesAudio(let share)):
            viewers[id]?.audio?.loss = share
            updateAudioLanes()
        case .audio(let event): handle(event)
        case .moved(let rungs): await move(rungs)
        case .soundRoom(let id, let room):
            viewers[id]?.audio?.room = room
            updateAudioLanes()
        case .starved(let id, let isStarved):
            guard let viewer = viewers[id]?.name else { return }
            viewers[id]?.isStarved = isStarved
            tell(isStarved ? .viewerStarved(viewer: viewer) : .viewerRecovered(viewer: viewer))
        case .relay(let event): event.notice.map { tell(.notice($0)) }
        case .video(let event): await handle(event)
        }
    }

    private func handle(_ event: VideoPipelineEvent) async {
        switch event {
        case .geometry(let source, let picture):
            tell(
                .sourceChanged(
                    SourceChange(
                        sourceWidth: source.width, sourceHeight: source.height, width: picture.width,
                        height: picture.height)))
        case .hidden(let text):
            hasSourceEnded = false
            tell(.sourceHidden(SourceAbsence(text: text)))
        case .sourceEnded(let text):
            hasSourceEnded = true
            tell(.sourceEnded(SourceAbsence(text: text)))
            // Who joins now sees nothing of it.
            await hub?.forgetCaches()
        case .visible:
            hasSourceEnded = false
            tell(.sourceVisible)
        case .content(let content, let cadence):
            self.content = content
            updatePlayout()
            tell(
                .contentChanged(
                    ContentChange(content: SharedContent(content), cadence: cadence.map { CadenceStatistics($0) })))
        case .preset(let preset): tell(.presetChanged(EncoderPreset(preset)))
        case .notice(let text): tell(.notice(text))
        case .failed(let error): await end(error)
        }
    }

    // MARK: Viewers

    private func connected(_ id: PeerID) {
        guard !isStopped, let viewer = viewers[id] else { return }
        viewers[id]?.isConnected = true
        updateLanes()
        tell(.viewerJoined(ViewerArrival(viewer: viewer.name, viewers: connectedViewers)))
    }

    /// - Parameter reason: nil where whoever asked for the viewer is told by an error.
    func left(_ id: PeerID, _ reason: ViewerDeparture.Reason?) {
        guard let viewer = viewers.removeValue(forKey: id) else { return }
        pendingOffers[id] = nil
        updateLanes()
        guard let reason else { return }
        let departure = ViewerDeparture(viewer: viewer.name, viewers: connectedViewers, reason: reason)
        tell(viewer.isConnected ? .viewerLeft(departure) : .viewerFailed(departure))
    }

    /// Also while its threads end, for as long as a source takes.
    var isStopped: Bool {
        if case .stopped = state { true } else { false }
    }

    /// A viewer whose path carries far less than the others' is sent an encoding of its own.
    func move(_ rungs: [PeerID: Int]) async {
        for (id, rung) in rungs {
            guard var lane = viewers[id]?.lane else { continue }
            lane.rung = rung
            viewers[id]?.lane = lane
            updateLanes()
            // It is sent what is kept as soon as it comes there.
            if await forgetOtherProfile(before: id) { await controls?.changeAndWait { _ in } }
            // Another may have gone meanwhile, and it have been moved for that.
            if let present = viewers[id]?.lane { await hub?.setLane(present, of: id) }
        }
    }

    /// What a lane's viewers were sent so far is of no use to one who comes to it and takes less than they; and it is less
    /// than they take where one who took less has left since.
    ///
    /// - Returns: whether more of it is forgotten once the thread of pictures goes by the lanes as they are now.
    @discardableResult
    func forgetOtherProfile(before id: PeerID) async -> Bool {
        guard let viewer = viewers[id], let hub else { return false }
        guard !viewer.takesHigh else {
            if unmixedLanes.remove(viewer.lane) != nil { await hub.forgetCache(of: viewer.lane) }
            return false
        }
        let others = viewers.filter { $0.key != id && $0.value.lane == viewer.lane }.values
        guard !others.isEmpty, others.allSatisfy(\.takesHigh) else { return false }
        // A keyframe that is being encoded is still as the others take it.
        controls?.change { $0.acknowledgements.append { hub.perform { $0.forgetCache(of: viewer.lane) } } }
        await hub.forgetCache(of: viewer.lane)
        return true
    }

    var connectedViewers: Int { viewers.values.count { $0.isConnected } }
    var starvedViewers: Set<String> { Set(viewers.values.filter(\.isStarved).map(\.name)) }

    /// Encoders run for connected viewers, and are made ready for those on their way.
    func updateLanes() {
        let connected = Set(viewers.values.filter(\.isConnected).map(\.lane))
        let expected = Set(viewers.values.map(\.lane))
        let mixed = Set(viewers.values.filter { !$0.takesHigh }.map(\.lane))
        unmixedLanes = unmixedLanes.union(mixedLanes).subtracting(mixed).intersection(expected)
        mixedLanes = mixed
        controls?.change { commands in
            commands.lanes = connected
            commands.expected = expected
            commands.high = expected.subtracting(mixed)
        }
        updateAudioLanes()
    }
}

enum ShareLimits {
    /// In bits, of a packet of sound: 60 bytes.
    static let soundHeaders = 480
    /// What sound and its copies may take, in per cent of its bits: packets vary in size, and copies of the larger ones need
    /// room as well.
    static let soundWithCopiesPercent = 250
    /// Beyond it in-band FEC costs more than it brings; in per cent.
    static let mostExpectedLoss = 25
    /// Where all places are taken, a viewer that has not connected for this long loses its own: most need a tenth.
    static let connecting = Duration.seconds(3)
    /// An embedder that does not read its events loses the oldest; that the share has stopped comes last.
    static let unreadEvents = 1000
}
