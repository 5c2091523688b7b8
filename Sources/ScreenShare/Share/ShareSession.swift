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
/// Safe to use from any task. Pictures are captured and encoded on a thread of the session's own, viewers are served on
/// an event loop of its own; several sessions in one process share nothing.
public actor ShareSession {
    /// What happens, in order; one reader. Ends when the session has stopped.
    public nonisolated let events: AsyncStream<ShareEvent>
    public private(set) var state = ShareState.idle

    /// What is captured from now on, before it is mixed and encoded: for a recording, a preview, a look of one's own. A
    /// stream of its own for each reader; it costs a copy of each picture while somebody reads. What is muted or paused
    /// is not captured. Ends when the session has stopped.
    public nonisolated func samples(
        _ kinds: Set<ShareSample.Kind> = Set(ShareSample.Kind.allCases)
    ) -> AsyncStream<ShareSample> {
        taps.open(kinds)
    }

    nonisolated let taps = SampleTaps()
    let sink: AsyncStream<ShareEvent>.Continuation
    let logger: Logger
    var configuration: ShareConfiguration
    var hub: PeerHub?
    var viewers: [PeerID: Viewer] = [:]
    var lastPeer: UInt64 = 0
    var pendingOffers: [PeerID: PendingOffer] = [:]
    var controls: LineControls?
    /// Nil where there is no sound to share.
    var audioControls: AudioControls?
    /// What nobody hears now, though it is captured.
    public internal(set) var mutedAudio: Set<SharedAudio> = []
    private let counters = LineCounters()
    private let paths = ViewerPaths()
    /// What the pictures were found to be about.
    var content = Content.app
    /// From when sound is heard until it leaves; at first as it is with a sound server.
    var soundDelay = Duration.milliseconds(25)
    private var eventLoops: MultiThreadedEventLoopGroup?
    private var watcher: Task<Void, Never>?

    /// One viewer, from its offer on.
    struct Viewer {
        let name: String
        var lane: LaneKey
        let takesHigh: Bool
        var audio: AudioListener?
        let since: Instant
        var isConnected = false
        /// Its path takes too little for moving pictures.
        var isStarved = false
    }

    /// An offer of ours that waits for its answer.
    struct PendingOffer {
        let offer: LocalOffer
        let stream: LocalStream
    }

    /// What comes from the two threads.
    private enum Signal: Sendable {
        case peer(PeerID, PeerEvent)
        case line(LineEvent)
        case audio(AudioLineEvent)
        /// To other rungs.
        case moved([PeerID: Int])
        case starved(PeerID, Bool)
        case relay(RelayEvent)
    }

    /// - Parameter logger: for the developer; what a person should know comes as events.
    public init(configuration: ShareConfiguration, logger: Logger = Logger(label: "screenshare")) {
        self.configuration = configuration
        self.logger = logger
        (events, sink) = AsyncStream.makeStream(of: ShareEvent.self)
    }

    // MARK: Life

    /// Opens the source and the sockets. Viewers can then be answered, and pictures flow as soon as there is one.
    ///
    /// - Throws: `ShareError.source` or `.network`, with what to do about it; `.invalid` where it was started before.
    public func start() async throws(ShareError) {
        guard state == .idle, hub == nil else { throw .invalid("this session was started before") }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (signals, continuation) = AsyncStream.makeStream(of: Signal.self)
        let controls = LineControls(initialCommands)
        eventLoops = loops
        self.controls = controls
        do throws(ShareError) {
            let hub = try await openHub(on: loops, controls, continuation)
            self.hub = hub
            try await openLine(hub, controls, continuation)
            let audio = openAudio(hub) { continuation.yield(.audio($0)) }
            audioControls = audio
            taps.follow { kinds in
                controls.change { $0.isSampled = kinds.contains(.video) }
                audio?.change { $0.isSampled = !kinds.isDisjoint(with: [.systemAudio, .microphone]) }
            }
        } catch {
            await close()
            throw error
        }
        watcher = Task { [weak self] in
            for await signal in signals { await self?.handle(signal) }
        }
        enter(.live)
    }

    /// Stops pictures at once. Viewers stay connected; one who joins sees nothing from before the pause.
    public func pause() async {
        guard state == .live, let controls else { return }
        enter(.paused)
        audioControls?.change { $0.isPaused = true }
        await controls.changeAndWait { $0.isPaused = true }
        // Whoever resumed meanwhile has new pictures.
        if state == .paused { await hub?.forgetPictures() }
    }

    /// Goes on after a pause, with a keyframe of what the source shows now.
    public func resume() async {
        guard state == .paused, let controls else { return }
        enter(.live)
        audioControls?.change { $0.isPaused = false }
        await controls.changeAndWait { $0.isPaused = false }
    }

    /// Says goodbye to every viewer and lets everything go.
    public func stop() async {
        await end(nil)
    }

    func end(_ error: ShareError?) async {
        if case .stopped = state { return }
        enter(.stopped(error))
        await close()
        sink.finish()
    }

    private func close() async {
        controls?.change { $0.stops = true }
        audioControls?.change { $0.stops = true }
        taps.finish()
        await hub?.close()
        hub = nil
        watcher?.cancel()
        try? await eventLoops?.shutdownGracefully()
        eventLoops = nil
    }

    private func enter(_ next: ShareState) {
        state = next
        sink.yield(.stateChanged(next))
    }

    // MARK: Live changes

    /// Shows another source from now on; viewers stay connected.
    public func setSource(_ source: ShareSource) async {
        configuration.source = source
        let open = source.factory(showsCursor: configuration.showsCursor)
        await controls?.changeAndWait { $0.source = open }
        // Who joins now sees nothing of the source before.
        await hub?.forgetCaches()
    }

    /// - Parameter bitsPerSecond: clamped to 100,000…100,000,000.
    public func setMaximumBitrate(_ bitsPerSecond: Int) async {
        configuration.maximumBitrate = bitsPerSecond
        updateAudioLanes()
    }

    /// - Parameter frameRate: nil for the rate that the mode says.
    public func setFrameRate(_ frameRate: OutputFrameRate?) {
        configuration.frameRate = frameRate
        controls?.change { $0.fixedRate = frameRate?.rate }
    }

    /// Pictures go on without a keyframe.
    public func setMode(_ mode: ContentMode) {
        configuration.mode = mode
        controls?.change { $0.mode = mode }
        updatePlayoutDelay()
    }

    public func setSize(_ size: OutputSize) {
        configuration.size = size
        controls?.change { $0.size = size }
    }

    // MARK: Statistics

    public func statistics() async -> ShareStatistics {
        let line = counters.now
        let peers = await hub?.statistics() ?? []
        return ShareStatistics(
            state: state, width: line.size.width, height: line.size.height, framesEncoded: line.units,
            keepalives: line.keepalives, framesDropped: line.drops, keyframes: line.keyframes, encodedBytes: line.bytes,
            lanes: line.lanes, quantiser: line.quantiser,
            preset: line.preset.map { EncoderPreset($0) } ?? configuration.preset,
            content: line.content.map { SharedContent($0) }, cadence: line.cadence.map { CadenceStatistics($0) },
            sound: soundStatistics,
            viewers: peers.compactMap { peer in
                viewers[peer.peer].map { ViewerStatistics($0.name, peer.statistics) }
            })
    }

    /// What is encoded now, or the largest that may be.
    var encodedSize: PixelSize {
        let size = counters.now.size
        if size.area > 0 { return size }
        switch configuration.size {
        case .native, .maximumPixels: return FitGeometry.defaultBox
        case .fit(let width, let height), .exactly(let width, let height), .within(let width, let height):
            return PixelSize(width: width, height: height)
        }
    }

    // MARK: The two threads

    private var initialCommands: LineCommands {
        LineCommands(
            size: configuration.size, fixedRate: configuration.frameRate?.rate, mode: configuration.mode,
            preset: configuration.preset.preset, bitsPerSecond: videoBitrate)
    }

    private func openHub(
        on loops: MultiThreadedEventLoopGroup, _ controls: LineControls, _ signals: AsyncStream<Signal>.Continuation
    ) async throws(ShareError) -> PeerHub {
        let paths = paths
        let follow: @Sendable (ViewerPaths.Change?) -> Void = { change in
            guard let change else { return }
            controls.change { $0.rungRates = change.rates }
            if !change.moved.isEmpty { signals.yield(.moved(change.moved)) }
            if let (peer, isStarved) = change.starved { signals.yield(.starved(peer, isStarved)) }
        }
        let network = configuration.network
        if network.relayOnly, network.turnServers.isEmpty {
            throw .network("only relays may be used, and no TURN server is named")
        }
        var hubConfiguration = try await network.hubConfiguration(tcp: .passive) { id, lane, event in
            // Straight to the encoder: a joiner waits for this picture, and a path can't take what was meant for it.
            switch event {
            case .keyframeNeeded:
                let now = SystemClock.now()
                if let lane { return controls.change { $0.keyframes[lane] = now } }
            case .path(let path): return follow(paths.update(id, path, at: SystemClock.now()))
            case .disconnected: follow(paths.update(id, nil, at: SystemClock.now()))
            default: break
            }
            signals.yield(.peer(id, event))
        }
        hubConfiguration.onRelay = { signals.yield(.relay($0)) }
        let hub = PeerHub(hubConfiguration, eventLoop: loops.next())
        try await hub.open(network)
        if network.relayOnly, await !hub.hasRelay {
            let words = await hub.relayFailures().first.map { $0.failure.text(of: $0.server) } ?? "no TURN server answers"
            await hub.close()
            throw .network("\(words); only relays may be used")
        }
        return hub
    }

    private func openLine(
        _ hub: PeerHub, _ controls: LineControls, _ signals: AsyncStream<Signal>.Continuation
    ) async throws(ShareError) {
        let open = configuration.source.factory(showsCursor: configuration.showsCursor)
        let (taps, paths) = (taps, paths)
        let result: Result<Void, ShareError> = await withCheckedContinuation { [counters] continuation in
            BlockingThread.start(name: "screenshare") {
                do throws(CaptureError) {
                    let source = try open(controls.wakeup)
                    continuation.resume(returning: .success(()))
                    MediaLine(
                        controls: controls, counters: counters, source: source,
                        deliver: { hub.outbox.deliver($0, lane: $1, to: hub) },
                        isOutboxFull: { hub.outbox.isFull || paths.isCongested },
                        isCongested: { paths.isCongested(rung: $0) },
                        taps: taps, report: { signals.yield(.line($0)) }
                    ).run()
                    controls.end()
                } catch {
                    controls.end()
                    continuation.resume(returning: .failure(error.shareError))
                }
            }
        }
        try result.get()
    }

    private func handle(_ signal: Signal) async {
        switch signal {
        case .peer(let id, .connected): connected(id)
        case .peer(let id, .disconnected(let reason)): left(id, reason.text)
        case .peer(_, .interrupted), .peer(_, .keyframeNeeded), .peer(_, .path), .peer(_, .received),
            .peer(_, .receivedAudio): break
        case .peer(let id, .losesAudio(let share)):
            viewers[id]?.audio?.loss = share
            updateAudioLanes()
        case .audio(let event): handle(event)
        case .moved(let rungs): await move(rungs)
        case .starved(let id, let isStarved):
            guard let viewer = viewers[id]?.name else { return }
            viewers[id]?.isStarved = isStarved
            sink.yield(isStarved ? .viewerStarved(viewer: viewer) : .viewerRecovered(viewer: viewer))
        case .relay(let event): event.notice.map { _ = sink.yield(.notice($0)) }
        case .line(.geometry(let source, let picture)):
            sink.yield(
                .sourceChanged(
                    sourceWidth: source.width, sourceHeight: source.height, width: picture.width, height: picture.height))
        case .line(.hidden(let text)): sink.yield(.sourceHidden(text))
        case .line(.visible): sink.yield(.sourceVisible)
        case .line(.content(let content, let cadence)):
            self.content = content
            updatePlayoutDelay()
            sink.yield(.contentChanged(SharedContent(content), cadence: cadence.map { CadenceStatistics($0) }))
        case .line(.preset(let preset)): sink.yield(.presetChanged(EncoderPreset(preset)))
        case .line(.notice(let text)): sink.yield(.notice(text))
        case .line(.failed(let error)): await end(error)
        }
    }

    // MARK: Viewers

    private func connected(_ id: PeerID) {
        guard let viewer = viewers[id] else { return }
        viewers[id]?.isConnected = true
        updateLanes()
        sink.yield(.viewerJoined(viewer: viewer.name, viewers: connectedViewers))
    }

    func left(_ id: PeerID, _ reason: String) {
        guard let viewer = viewers.removeValue(forKey: id) else { return }
        pendingOffers[id] = nil
        updateLanes()
        if viewer.isConnected {
            sink.yield(.viewerLeft(viewer: viewer.name, viewers: connectedViewers, reason: reason))
        }
    }

    /// A viewer whose path carries far less than the others' is sent an encoding of its own.
    private func move(_ rungs: [PeerID: Int]) async {
        for (id, rung) in rungs {
            guard var lane = viewers[id]?.lane else { continue }
            lane.rung = rung
            viewers[id]?.lane = lane
            updateLanes()
            await hub?.setLane(lane, of: id)
        }
    }

    var connectedViewers: Int { viewers.values.count { $0.isConnected } }
    var starvedViewers: Set<String> { Set(viewers.values.filter(\.isStarved).map(\.name)) }

    /// Encoders run for connected viewers, and are made ready for those on their way.
    func updateLanes() {
        let connected = Set(viewers.values.filter(\.isConnected).map(\.lane))
        let expected = Set(viewers.values.map(\.lane))
        let mixed = Set(viewers.values.filter { !$0.takesHigh }.map(\.lane))
        controls?.change { commands in
            commands.lanes = connected
            commands.expected = expected
            commands.high = expected.subtracting(mixed)
        }
        updateAudioLanes()
    }
}

enum ShareLimits {
    /// In bits per second: 50 packets of sound with 60 bytes of headers each.
    static let soundHeaders = 24_000
    /// Where all places are taken, a viewer that has not connected for this long loses its own: most need a tenth.
    static let connecting = Duration.seconds(3)
}
