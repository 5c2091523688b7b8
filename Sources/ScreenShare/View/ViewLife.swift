import AudioCodec
import Datagrams
import ICE
import Logging
import NIOCore
import NIOPosix
import PeerCore
import PeerDriver
import RTP
import SecureTransport
import SignalingClient
import SignalingProtocol
import SystemClock
import Timebase

/// What a `ViewSession` does. It holds itself until its end; the session, which nothing in here holds, ends it when nobody
/// holds that any more.
actor ViewLife {
    nonisolated let units: AsyncStream<VideoUnit>
    nonisolated let audio: AsyncStream<AudioPiece>
    nonisolated let events: AsyncStream<ViewEvent>

    let configuration: ViewConfiguration
    let logger: Logger
    private let unitSink: AsyncStream<VideoUnit>.Continuation
    private let audioSink: AsyncStream<AudioPiece>.Continuation
    let eventSink: AsyncStream<ViewEvent>.Continuation
    private var sound: ViewAudio
    private var timing = ViewTiming()
    private var soundPump: Task<Void, Never>?
    private var stream: ConstantRateStream
    private var hub: PeerHub?
    private var eventLoops: MultiThreadedEventLoopGroup?
    private var runner: Task<Void, Never>?
    private var totals = ViewStatistics()
    private var peer = PeerID(0)
    private var offeredAt = Instant.zero
    private var firstUnitAt: Instant?
    private var timeLimit: Task<Void, Never>?
    private var lag = ReaderLag()
    private let unitsTaken = ReadCount()
    /// Of the last unit that was handed over.
    private var lastTimestamp: Int64 = 0
    /// Since the sharer began (anew): a picture's media time, and the units' timestamp then.
    private var origin: (mediaTime: MediaTime, timestamp: Int64)?
    private(set) var hasSound = false
    /// What comes over the present connection is taken.
    private var isReceiving = false
    /// Nothing more is handed over.
    private var hasEnded = false
    /// All is closed, and then the end told; whoever comes later waits for that as well.
    private var closing: Task<Void, Never>?
    private var lastNotice: String?
    /// The sharer says that the path takes too little for moving pictures, or that it pauses.
    var isPathNarrow = false
    var isSharePaused = false
    /// Since when there has been no picture; nil while there are some.
    var nothingSince: ContinuousClock.Instant? = .now

    init(configuration: ViewConfiguration, logger: Logger) {
        self.configuration = configuration.bounded
        self.logger = logger
        stream = ConstantRateStream(
            longestStill: configuration.longestStill, staysAhead: configuration.receivesAudio)
        sound = ViewAudio(
            decoder: configuration.decodesAudio ? try? OpusDecoder() : nil,
            picturesMoveBack: !configuration.constantFrameRate, waitsForMissing: configuration.waitsForLateAudio)
        let unread: AsyncStream<VideoUnit>
        (unread, unitSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(ViewLimits.units))
        units = unread.counted(by: unitsTaken)
        (audio, audioSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(ViewLimits.audioPieces))
        (events, eventSink) = AsyncStream.makeStream(
            of: ViewEvent.self, bufferingPolicy: .bufferingNewest(ViewLimits.unreadEvents))
    }

    func start() {
        guard runner == nil, !hasEnded else { return }
        runner = Task { await run() }
    }

    func stop() async {
        runner?.cancel()
        // What has come by now is handed over first.
        if !isReceiving { endMedia() }
        await runner?.value
        await finish(nil)
    }

    func statistics() async -> ViewStatistics {
        var totals = totals
        let heard = sound.statistics
        timing.add(to: &totals)
        let lost = heard.recoveredTicks + heard.concealedTicks
        totals.audioDuration = AudioTime(ticks: heard.playedTicks + lost).elapsed
        totals.audioLost = AudioTime(ticks: lost).elapsed
        guard let current = await hub?.statistics(of: peer) else { return totals }
        return totals.adding(current)
    }

    // MARK: Joining

    private func run() async {
        do throws(ShareError) { try configuration.check() } catch { return await finish(error) }
        nothingSince = .now
        var pause = ViewLimits.firstPause
        while !Task.isCancelled {
            let joins = totals.joins
            do throws(ShareError) {
                eventSink.yield(.connecting)
                let outcome = try await join()
                if Task.isCancelled { return }
                if totals.joins > joins { pause = ViewLimits.firstPause }
                if isTired { throw outcome.givenUp }
                nothingSince = nothingSince ?? .now
                switch outcome {
                case .left(let reason): eventSink.yield(.disconnected(reason))
                case .nothingYet(let words, let retry):
                    eventSink.yield(.waiting(words))
                    if retry > pause { try? await Task.sleep(for: min(retry - pause, patienceLeft)) }
                }
            } catch {
                // What a stop breaks off is no error.
                return Task.isCancelled ? () : await finish(error)
            }
            try? await Task.sleep(for: min(pause, patienceLeft))
            pause = min(pause * 2, ViewLimits.longestPause)
        }
    }

    /// One life of a connection, from the offer to its end.
    private func join() async throws(ShareError) -> Outcome {
        let (signals, sink) = AsyncStream.makeStream(of: PeerEvent.self)
        let hub: PeerHub
        let (candidates, candidateSink) = AsyncStream.makeStream(of: Candidate.self)
        do throws(ShareError) {
            hub = try await open(signals: sink, candidates: candidateSink)
        } catch {
            // Where it could be joined once, a network that is away for a while takes names and addresses with it.
            guard case .network(let words) = error, totals.joins > 0 else { throw error }
            return .nothingYet(words, retryAfter: .zero)
        }
        self.hub = hub
        peer = PeerID(peer.value + 1)
        let (joined, negotiation): (WHEPSession, ViewNegotiation)
        do throws(SignalingError) {
            (joined, negotiation) = try await negotiate(hub)
        } catch {
            await close(hub)
            return try Outcome(of: error, at: configuration.endpoint, hasJoined: totals.joins > 0)
        }
        let discovery = Task { await discover(joined, negotiation, candidates, hub) }
        let watch = Task { await watchRoom(joined) }
        let path = Task { await watchPath(joined, negotiation, sink) }
        let result = await withTaskCancellationHandler {
            await follow(signals, sink)
        } onCancel: {
            sink.finish()
        }
        path.cancel()
        await path.value
        discovery.cancel()
        await discovery.value
        watch.cancel()
        await watch.value
        forgetRoom()
        await close(hub)
        await leave(joined)
        return result
    }

    private func open(
        signals: AsyncStream<PeerEvent>.Continuation, candidates: AsyncStream<Candidate>.Continuation
    ) async throws(ShareError) -> PeerHub {
        try ProcessLimits.check()
        let loops = eventLoops ?? MultiThreadedEventLoopGroup(numberOfThreads: 1)
        eventLoops = loops
        var wanted = try await configuration.network.hubConfiguration(tcp: .active) { _, _, event in
            signals.yield(event)
        }
        wanted.unlistedAddresses = configuration.unlistedAddresses(beside: wanted.addresses)
        wanted.onCandidate = { candidates.yield($0) }
        wanted.onRelay = { [weak self] event in
            if let notice = event.notice { Task { await self?.tell(notice) } }
        }
        let hub = PeerHub(wanted, eventLoop: loops.next())
        try await hub.open(configuration.network)
        return hub
    }

    /// In a task of its own: what cancelled ours must not cancel that.
    private func leave(_ session: WHEPSession) async {
        await Task { try? await session.leave() }.value
    }

    /// Once, however often it is tried again.
    private func tell(_ notice: String) {
        if notice != lastNotice { eventSink.yield(.notice(notice)) }
        lastNotice = notice
    }

    private func close(_ hub: PeerHub) async {
        if let last = await hub.statistics(of: peer) { totals = totals.adding(last) }
        totals.isConnected = false
        self.hub = nil
        await hub.close()
    }

    private func negotiate(_ hub: PeerHub) async throws(SignalingError) -> (WHEPSession, ViewNegotiation) {
        let client = try WHEPClient(
            endpoint: configuration.endpoint, token: configuration.token.flatMap { BearerToken(foreign: $0) })
        let negotiation: ViewNegotiation
        do {
            negotiation = try await ViewNegotiation(hub: hub, peer: peer, wanted: configuration)
        } catch {
            throw .unreadable("own offer (\(error))")
        }
        offeredAt = SystemClock.now()
        switch try await client.join(offer: negotiation.offer, within: answerTime) {
        case .answered(let session, let sdp):
            guard let accepted = await negotiation.accept(answer: sdp) else {
                await leave(session)
                throw .unreadable("answer")
            }
            hasSound = accepted.hasSound
            return (session, negotiation)
        case .countered(let session, _):
            await leave(session)
            throw .refused(status: 406, words: "the sharer has no video that this viewer can take")
        }
    }

    // MARK: Receiving

    private func follow(
        _ signals: AsyncStream<PeerEvent>, _ sink: AsyncStream<PeerEvent>.Continuation
    ) async -> Outcome {
        var patience = Task { await giveUp(sink, notBefore: ViewLimits.step) }
        isReceiving = true
        defer {
            patience.cancel()
            isReceiving = false
            // Whoever writes a file can complete it before the server has answered the goodbye.
            if Task.isCancelled { endMedia() }
        }
        for await signal in signals where !hasEnded {
            switch signal {
            case .connected:
                totals.isConnected = true
                totals.joins += 1
                beginAnew()
                eventSink.yield(.connected)
                patience.cancel()
                patience = Task { await giveUp(sink, notBefore: ViewLimits.firstPicture) }
            case .received(let unit): await take(unit)
            case .receivedAudio(let packet): take(packet)
            case .disconnected(let reason): return .left(reason.text)
            case .interrupted, .keyframeNeeded, .keyframeAskedEarly, .keyframeNeedless, .losesAudio, .path: break
            }
        }
        if nothingSince == nil || Task.isCancelled { return .left("stopped") }
        return totals.isConnected
            ? .nothingYet("connected, but no picture has come", retryAfter: .zero) : .left("not connected")
    }

    /// What comes over another connection has no relation to what was before.
    func beginAnew() {
        stream.beginSegment()
        origin = nil
        sound.restart()
        timing.restart()
    }

    private func take(_ packet: ReceivedAudio) {
        sound.receive(packet)
        if soundPump == nil { soundPump = Task { [weak self] in while await self?.pumpSound() == true {} } }
    }

    /// Hands over what is due, and waits for what comes next; false when there is nothing more to come.
    private func pumpSound() async -> Bool {
        while let next = sound.next(at: SystemClock.now()) {
            if let heard = next.heard { timing.hear(heard, at: SystemClock.now()) }
            audioSink.yield(next.piece)
        }
        if hasEnded { return false }
        let now = SystemClock.now()
        let pause = sound.nextLook(after: now).map { max(.milliseconds(1), $0 - now) } ?? ViewLimits.audioPause
        return (try? await Task.sleep(for: min(pause, ViewLimits.audioPause))) != nil
    }

    func take(_ unit: ReceivedUnit) async {
        nothingSince = nil
        if firstUnitAt == nil { begin(unit) }
        let showAt = timing.show(unit, beside: &sound)
        var unit = unit
        unit.mediaTime = sound.inStep(unit.mediaTime)
        let timestamp = timestamp(of: unit)
        if !configuration.constantFrameRate { sound.see(captured: unit.capturedAt, timestamp: timestamp, shownAt: showAt) }
        guard lag.takes(isKeyframe: unit.accessUnit.isKeyframe) else { return await leaveOut() }
        // The file's time goes on only with what gets into it.
        var next = stream
        let parts = videoUnit(unit, timestamp, showAt, &next)
            .parted(from: lastTimestamp.addingSaturating(stream.ticksPerSlot))
        let bytes = parts.reduce(0) { $0 + $1.annexB.count }
        guard lag.hasRoom(for: parts.count, bytes: bytes, taken: unitsTaken.value) else { return await leaveOut() }
        for part in parts { unitSink.yield(part) }
        stream = next
        // There each picture takes its time, those too that come together and show how it came to the last.
        if configuration.constantFrameRate {
            sound.see(captured: unit.capturedAt, timestamp: stream.position, shownAt: showAt)
        }
        lag.handedOver(parts.count, bytes: bytes)
        totals.frames += 1
        totals.bytes += unit.accessUnit.bytes.count
        lastTimestamp = timestamp
    }

    private func leaveOut() async {
        totals.skipped += 1
        guard lag.leftOut(at: SystemClock.now(), taken: unitsTaken.value) else { return }
        await hub?.with(peer) { core, now in core.requestKeyframe(at: now) }
    }

    private func begin(_ unit: ReceivedUnit) {
        firstUnitAt = unit.receivedAt
        totals.firstPicture = unit.receivedAt - offeredAt
        eventSink.yield(.firstPicture(after: unit.receivedAt - offeredAt))
        guard let duration = configuration.duration else { return }
        timeLimit = Task { [weak self] in
            guard (try? await Task.sleep(for: duration)) != nil else { return }
            await self?.stop()
        }
    }

    private func videoUnit(
        _ unit: ReceivedUnit, _ timestamp: Int64, _ showAt: Instant, _ stream: inout ConstantRateStream
    ) -> VideoUnit {
        var piece = ConstantRateStream.Piece(pictures: 1)
        if configuration.constantFrameRate {
            piece = stream.append(unit.accessUnit, mediaTime: unit.mediaTime, receivedAt: unit.receivedAt)
        } else {
            AnnexB.append(unit.accessUnit.bytes, nalUnits: unit.accessUnit.nalUnits, to: &piece.bytes)
        }
        return VideoUnit(
            annexB: piece.bytes, timestamp: timestamp, isKeyframe: unit.accessUnit.isKeyframe,
            pictures: piece.pictures, repeated: piece.repeated, showAt: SystemClock.continuous(showAt),
            repeatSize: piece.repeatSize)
    }

    /// Where the sharer begins anew, by the clock: behind the last one all the same, which may be ahead of that by what the
    /// first was late, as the picture of a still screen is that a joiner begins with.
    private func timestamp(of unit: ReceivedUnit) -> Int64 {
        let since = firstUnitAt.map { unit.receivedAt - $0 } ?? .zero
        let least = totals.frames > 0 ? lastTimestamp.addingSaturating(1) : .min
        if let origin {
            let passed = unit.mediaTime.ticks.subtractingSaturating(origin.mediaTime.ticks)
            let timestamp = origin.timestamp.addingSaturating(passed)
            if timestamp >= least { return timestamp }
        }
        let timestamp = max(MediaTime(elapsed: since).ticks, least.addingSaturating(stream.ticksPerSlot))
        origin = (unit.mediaTime, timestamp)
        return timestamp
    }

    private func finish(_ error: ShareError?) async {
        endMedia()
        if let closing { return await closing.value }
        let task = Task {
            try? await eventLoops?.shutdownGracefully()
            eventLoops = nil
            eventSink.yield(.ended(error))
            eventSink.finish()
        }
        closing = task
        await task.value
    }

    private func endMedia() {
        guard !hasEnded else { return }
        hasEnded = true
        timeLimit?.cancel()
        soundPump?.cancel()
        for piece in sound.rest() { audioSink.yield(piece) }
        audioSink.finish()
        fillToTheEnd()
        unitSink.finish()
    }

    /// The still moment since the last unit belongs to the file as well.
    private func fillToTheEnd() {
        guard configuration.constantFrameRate, !lag.isSkipping, let firstUnitAt else { return }
        var end = SystemClock.now()
        if let duration = configuration.duration { end = min(end, firstUnitAt + duration) }
        let piece = stream.finish(at: end)
        guard piece.repeated > 0 else { return }
        unitSink.yield(
            VideoUnit(
                annexB: piece.bytes, timestamp: lastTimestamp + stream.ticksPerSlot, isKeyframe: false, pictures: 0,
                repeated: piece.repeated, showAt: .now, repeatSize: piece.repeatSize))
    }
}
