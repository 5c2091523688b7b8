import ICE
import Media
import NIOCore
import NIOPosix
import PeerCore
import PeerDriver
import SystemClock
import Timebase

/// How a share begins, rests and ends.
extension ShareSession {
    /// Opens the source and the sockets. Viewers can then be answered, and pictures flow as soon as there is one.
    ///
    /// - Throws: `ShareError.source`, `.network`, or `.forbidden` where a TURN server refuses us, with what to do about
    ///   it, and may be tried again then; viewers who were answered meanwhile are forgotten. `.invalid` where it was
    ///   started before, or stopped before or meanwhile.
    public func start() async throws(ShareError) {
        if isStopped { throw .invalid("the session has stopped") }
        guard state == .idle, starting == nil else { throw .invalid("this session was started before") }
        try ProcessLimits.check()
        controls = VideoControls(initialCommands, wakeup: try ProcessLimits.makeWakeup())
        audioControls = try initialAudioCommands.map { commands throws(ShareError) in
            AudioControls(commands, wakeup: try ProcessLimits.makeWakeup())
        }
        let task = Task { await open() }
        starting = task
        try await task.value.get()
    }

    /// Stops pictures and sound at once. Viewers stay connected; one who joins sees nothing from before the pause.
    public func pause() async {
        switch state {
        case .idle: beginsPaused = true
        case .live: enter(.paused)
        case .paused, .stopped: return
        }
        // Both are told before either is waited for.
        audioControls?.change { $0.isPaused = true }
        await controls?.changeAndWait { $0.isPaused = true }
        await audioControls?.changeAndWait { _ in }
        // Whoever resumed meanwhile has new pictures.
        if state == .paused { await hub?.forgetPictures() }
    }

    /// Goes on after a pause, with a keyframe of what the source shows now.
    public func resume() async {
        switch state {
        case .idle: beginsPaused = false
        case .paused: enter(.live)
        case .live, .stopped: return
        }
        audioControls?.change { $0.isPaused = false }
        await controls?.changeAndWait { $0.isPaused = false }
    }

    /// Says goodbye to every viewer and lets everything go; sources and devices are closed when it returns. The event loop,
    /// a thread with descriptors of its own, goes with the session itself.
    public func stop() async {
        await end(nil)
    }

    func end(_ error: ShareError?) async {
        if let closing { return await closing.value }
        enter(.stopped(error))
        let task = Task {
            starting?.cancel()
            _ = await starting?.value
            await release()
            taps.finish()
            sink.finish()
        }
        closing = task
        await task.value
    }

    private func release() async {
        let parts = RunningParts(controls: controls, audioControls: audioControls, hub: hub)
        hub = nil
        await parts.release()
        await countRefused(by: parts.hub)
        watcher?.cancel()
    }

    private func enter(_ next: ShareState) {
        state = next
        sink.yield(.stateChanged(next))
    }

    // MARK: Beginning

    private func open() async -> Result<Void, ShareError> {
        do throws(ShareError) {
            try await openParts()
            return .success(())
        } catch {
            // Who stops also ends what is waited for, which fails then.
            let failure = stopped ?? error
            await release()
            if state == .idle {
                forgetViewers()
                starting = nil
            }
            return .failure(failure)
        }
    }

    /// Whoever joined while it was being opened has nobody to connect to: no lane is kept for it, and no place.
    private func forgetViewers() {
        for id in viewers.keys {
            left(id, nil)
            _ = paths.update(id, nil, at: SystemClock.now())
        }
    }

    private func openParts() async throws(ShareError) {
        guard let controls else { return }
        let loops = eventLoops ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
        eventLoops = loops
        let (signals, continuation) = AsyncStream.makeStream(of: Signal.self)
        let hub = try await openHub(on: loops, controls, continuation)
        self.hub = hub
        try checkWanted()
        try await openVideo(hub, controls, continuation)
        try checkWanted()
        openAudio(hub) { continuation.yield(.audio($0)) }
        taps.follow { [audioControls] readers in
            controls.change { $0.samplers = readers[.video, default: 0] }
            audioControls?.change { $0.sampled = Set(readers.keys.compactMap(\.audioKind)) }
        }
        watcher = Task { [weak self] in
            for await signal in signals { await self?.handle(signal) }
        }
        enter(beginsPaused ? .paused : .live)
    }

    private func checkWanted() throws(ShareError) {
        if let stopped { throw stopped }
    }

    /// Nil while it may go on.
    private var stopped: ShareError? { state == .idle ? nil : .invalid("the session was stopped while it started") }

    private var initialCommands: VideoCommands {
        var commands = VideoCommands(
            size: configuration.size, fixedRate: configuration.frameRate?.rate, mode: configuration.mode,
            preset: configuration.preset.preset, bitsPerSecond: videoBitrate)
        commands.isPaused = beginsPaused
        return commands
    }

    private func openHub(
        on loops: MultiThreadedEventLoopGroup, _ controls: VideoControls, _ signals: AsyncStream<Signal>.Continuation
    ) async throws(ShareError) -> PeerHub {
        let network = configuration.network
        if network.relayOnly, network.turnServers.isEmpty {
            throw .network("only relays may be used, and no TURN server is named")
        }
        let onPathChange = pathChangeHandler(controls, signals)
        var hubConfiguration = try await network.hubConfiguration(tcp: .passive) { [paths] id, lane, event in
            // Straight to the encoder: a joiner waits for this picture, and a path can't take what was meant for it.
            switch event {
            case .keyframeNeeded:
                let now = SystemClock.now()
                if let lane { return controls.change { $0.keyframes[lane] = .asked(now) } }
            case .keyframeNeedless:
                if let lane { return controls.change { $0.keyframes[lane] = .withdrawn } }
            case .path(let path): return onPathChange(paths.update(id, path, at: SystemClock.now()))
            case .disconnected: onPathChange(paths.update(id, nil, at: SystemClock.now()))
            case .connected, .interrupted, .keyframeAskedEarly, .losesAudio, .received, .receivedAudio: break
            }
            signals.yield(.peer(id, event))
        }
        hubConfiguration.onRelay = { signals.yield(.relay($0)) }
        let hub = PeerHub(hubConfiguration, eventLoop: loops.next())
        do throws(ShareError) {
            try await hub.open(network)
            if network.relayOnly, await !hub.hasRelay {
                let failure = await hub.relayFailures().first
                let words = failure.map { $0.failure.text(of: $0.server) } ?? "no TURN server answers"
                throw .network("\(words); only relays may be used")
            }
        } catch {
            await hub.close()
            throw error
        }
        return hub
    }

    /// What follows from what a viewer's path takes.
    private func pathChangeHandler(
        _ controls: VideoControls, _ signals: AsyncStream<Signal>.Continuation
    ) -> @Sendable (ViewerPaths.Change?) -> Void {
        { change in
            guard let change else { return }
            controls.change { $0.rungRates = change.rates }
            if !change.moved.isEmpty { signals.yield(.moved(change.moved)) }
            if let (peer, isStarved) = change.starved { signals.yield(.starved(peer, isStarved)) }
            if let (peer, room) = change.sound { signals.yield(.soundRoom(peer, room)) }
        }
    }

    private func openVideo(
        _ hub: PeerHub, _ controls: VideoControls, _ signals: AsyncStream<Signal>.Continuation
    ) async throws(ShareError) {
        let open = configuration.source.factory(showsCursor: configuration.showsCursor, clock: embedderClock)
        let result: Result<Void, ShareError> = await withCheckedContinuation { [counters, taps, paths] continuation in
            let isStarted = controls.start(name: "screenshare") {
                let opened: (Result<PixelSize, ShareError>) -> Void = { result in
                    if let size = try? result.get() { counters.update { $0.source = size } }
                    continuation.resume(returning: result.map { _ in })
                }
                Self.run(open, opened, controls) { source in
                    VideoPipeline(
                        controls: controls, counters: counters, source: source,
                        deliver: { hub.outbox.deliver($0, lane: $1, to: hub) },
                        isOutboxFull: { hub.outbox.isFull || paths.isCongested(news: $0) },
                        isCongested: { paths.isCongested(rung: $0, news: $1) }, taps: taps,
                        report: { signals.yield(.video($0)) })
                }
            }
            if !isStarted { continuation.resume(returning: .failure(.network(ProcessLimits.noThread))) }
        }
        try result.get()
    }

    /// The source is closed when it returns.
    private static func run(
        _ open: SourceFactory, _ opened: (Result<PixelSize, ShareError>) -> Void, _ controls: VideoControls,
        _ makePipeline: (any FrameSource) -> VideoPipeline
    ) {
        let source: any FrameSource
        do throws(CaptureError) {
            source = try open(controls.wakeup)
        } catch {
            return opened(.failure(error.shareError))
        }
        opened(.success(source.size))
        makePipeline(source).run()
    }
}

/// What of a share runs by itself.
struct RunningParts: Sendable {
    let controls: VideoControls?
    let audioControls: AudioControls?
    let hub: PeerHub?

    /// The threads first: they hand over to the hub.
    func release() async {
        controls?.change { $0.stops = true }
        audioControls?.change { $0.stops = true }
        await controls?.thread.ended()
        await audioControls?.thread.ended()
        await hub?.close()
    }
}
