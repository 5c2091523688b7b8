import Glibc
import Logging
import ScreenShare
import Synchronization

/// Runs a share from the first line printed to the last: events, status, keys, signals, the end.
final class HostRunner: Sendable {
    /// What ends or changes a run, from whatever side it comes.
    private enum Command: Sendable {
        case event(ShareEvent)
        case second
        case togglePause
        case toggleMute(SharedAudio)
        case quit
        /// The share has ended, and its room is given back.
        case closed
    }

    private let session: ShareSession
    /// Which sound is shared, and a line that says what is captured of it.
    private let sounds: Set<SharedAudio>
    private let soundText: String
    private let plan: SignalingPlan
    private let duration: Double?
    private let statistics: Mutex<StatsWriter?>
    private let logger: Logger
    /// Underway until the room is open.
    private let opening = Mutex<Opening?>(nil)

    private struct Opening {
        let task: Task<SignalingPlan.OpenRoom, any Error>
        /// Waits for it no longer.
        let abandon: @Sendable () -> Void
    }

    /// What was given up ends by itself where nothing is silent.
    private static let openingEnd = Duration.seconds(1)

    init(
        session: ShareSession, sounds: Set<SharedAudio>, soundText: String, plan: SignalingPlan, duration: Double?,
        statistics: sending StatsWriter?, logger: Logger
    ) {
        self.session = session
        self.sounds = sounds
        self.soundText = soundText
        self.plan = plan
        self.duration = duration
        self.statistics = Mutex(statistics)
        self.logger = logger
    }

    func run() async throws {
        let (commands, continuation) = AsyncStream.makeStream(of: Command.self)
        let quit: @Sendable () -> Void = { [self] in
            continuation.yield(.quit)
            giveUpOpening()
        }
        let keys = TerminalKeys { [keysText] key in
            switch key.lowercased() {
            case "p": continuation.yield(.togglePause)
            case "s": continuation.yield(.toggleMute(.system))
            case "m": continuation.yield(.toggleMute(.microphone))
            case "q": quit()
            case "?": Console.line(keysText)
            default: break
            }
        }
        var handlers: [Int32: @Sendable () -> Void] = [
            SIGINT: quit, SIGTERM: quit, SIGHUP: quit, SIGUSR1: { continuation.yield(.togglePause) },
        ]
        if let keys {
            handlers[SIGCONT] = { keys.takeTerminal() }
            handlers[SIGTSTP] = { keys.suspend() }
        }
        let signals = Signals(handlers)
        defer {
            keys?.restore()
            signals.cancel()
            Console.endStatus()
        }
        do {
            try await share(commands, continuation, keys)
        } catch is CancellationError {
            // It was given up while it opened.
        } catch {
            throw (error as? ShareError).map { Failure($0) } ?? error
        }
    }

    /// From the opening to the end.
    private func share(
        _ commands: AsyncStream<Command>, _ continuation: AsyncStream<Command>.Continuation, _ keys: TerminalKeys?
    ) async throws {
        let room = try await open()
        room.greeting.forEach(Console.line)
        Console.line(soundText)
        if keys != nil, TerminalKeys.isInForeground { Console.line(keysText) }
        ProcessSetup.forgetUnusedCode()
        let pump = Task { [events = session.events] in
            for await event in events { continuation.yield(.event(event)) }
        }
        let ticker = Task { try await Self.tick(continuation, keys) }
        defer {
            pump.cancel()
            ticker.cancel()
        }
        let ending = await runUntilEnd(commands)
        await end(room, ending, commands, continuation)
        if case .failed(let failure) = ending { throw Failure(failure) }
        if let failure = statistics.withLock({ $0?.failure }) { throw failure }
    }

    /// What a terminal's keys do.
    private var keysText: String {
        var texts = ["p pauses and resumes"]
        if sounds.contains(.system) { texts.append("s mutes the system's sound") }
        if sounds.contains(.microphone) { texts.append("m mutes the microphone") }
        return "Keys: \((texts + ["q quits"]).joined(separator: ", "))."
    }

    /// Starts and publishes the share; a signal ends that at once.
    private func open() async throws -> SignalingPlan.OpenRoom {
        let task = Task { [plan, session, logger] in
            try await session.start()
            return try await plan.open(session: session, logger: logger)
        }
        let (ends, end) = AsyncStream.makeStream(of: Result<SignalingPlan.OpenRoom, any Error>?.self)
        Task { end.yield(await task.result) }
        opening.withLock { $0 = Opening(task: task) { end.yield(nil) } }
        defer { opening.withLock { $0 = nil } }
        var found = ends.makeAsyncIterator()
        guard let result = await found.next() ?? nil else { throw CancellationError() }
        do { return try result.get() } catch {
            await session.stop()
            throw task.isCancelled ? CancellationError() : error
        }
    }

    private func giveUpOpening() {
        guard let opening = opening.withLock({ $0 }) else { return }
        if opening.task.isCancelled { return opening.abandon() }
        opening.task.cancel()
        // Who starts is not told of a cancellation, but of a stop.
        Task { [session] in await session.stop() }
        // An X server that does not answer is waited for, whatever is wished.
        Task {
            try? await Task.sleep(for: Self.openingEnd)
            opening.abandon()
        }
    }

    private static func tick(_ continuation: AsyncStream<Command>.Continuation, _ keys: TerminalKeys?) async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            keys?.takeTerminal()
            continuation.yield(.second)
        }
    }

    private enum Ending {
        case asked, over
        case failed(ShareError)
    }

    /// Until something ends the share.
    private func runUntilEnd(_ commands: AsyncStream<Command>) async -> Ending {
        var meter = HostRates.Meter()
        let clock = ContinuousClock()
        let begin = clock.now
        _ = meter.rates(await session.statistics(), at: 0)
        var playing = PlayingText()
        // What opened the share is done with soon, and so is what lets a viewer in.
        var quietAt: Double? = 1
        for await command in commands {
            let elapsed = (clock.now - begin) / .seconds(1)
            switch command {
            case .quit, .closed: return .asked
            case .togglePause: await togglePause()
            case .toggleMute(let audio): await toggleMute(audio)
            case .second:
                await report(&meter, elapsed)
                if let duration, elapsed >= duration { return .over }
                if let at = quietAt, elapsed >= at {
                    quietAt = nil
                    ProcessSetup.forgetUnusedCode()
                }
            case .event(.stateChanged(.stopped(let error))): return error.map { .failed($0) } ?? .over
            // Nobody is here to choose another.
            case .event(.sourceEnded(let absence)): return .failed(.source(absence.text))
            case .event(.contentChanged(let change)):
                if let line = playing.line(change.content, rate: change.cadence?.picturesPerSecond) { Console.line(line) }
            case .event(let event):
                if case .viewerJoined = event { quietAt = elapsed + 1 }
                show(event)
            }
        }
        return .over
    }

    /// Viewers hear of it first: the server may be slow, or silent, and then a second signal ends at once.
    private func end(
        _ room: SignalingPlan.OpenRoom, _ ending: Ending, _ commands: AsyncStream<Command>,
        _ continuation: AsyncStream<Command>.Continuation
    ) async {
        Task { [session] in
            await session.stop()
            await room.close()
            continuation.yield(.closed)
        }
        var isAsked = if case .asked = ending { true } else { false }
        for await command in commands {
            switch command {
            case .quit:
                if isAsked { return }
                isAsked = true
            case .closed: return
            case .event, .second, .togglePause, .toggleMute: continue
            }
        }
    }

    private func togglePause() async {
        if await session.state == .paused { await session.resume() } else { await session.pause() }
    }

    private func toggleMute(_ audio: SharedAudio) async {
        guard sounds.contains(audio) else { return Console.line("Sound of \(audio.words) is not shared (see --audio).") }
        await session.setMuted(!(await session.mutedAudio.contains(audio)), for: audio)
    }

    private func report(_ meter: inout HostRates.Meter, _ elapsed: Double) async {
        let now = await session.statistics()
        let rates = meter.rates(now, at: elapsed)
        Console.status(now.statusLine(rates))
        statistics.withLock { $0?.write(HostRecord(now, rates, elapsed)) }
    }

    private func show(_ event: ShareEvent) {
        switch event {
        case .stateChanged(let state):
            // What it was stands there until the next second.
            Console.clearStatus()
            Console.line("The share is \(state.word).")
        case .viewerJoined(let arrival): Console.line("A viewer joined (\(arrival.viewers) now).")
        case .viewerStarved(let viewer):
            Console.line("The path to \(viewer) takes too little for moving pictures; it is sent one now and then.")
        case .viewerRecovered(let viewer): Console.line("The path to \(viewer) takes moving pictures again.")
        case .viewerLeft(let departure):
            Console.line("A viewer left: \(departure.reason.text) (\(departure.viewers) now).")
        case .viewerFailed(let departure): Console.line("A viewer did not connect: \(departure.reason.text).")
        case .sourceChanged(let change):
            Console.line("Sharing \(change.sourceWidth)x\(change.sourceHeight) as \(change.width)x\(change.height).")
        case .sourceHidden(let absence): Console.line(absence.text)
        case .sourceVisible: Console.line("The source is visible again.")
        case .contentChanged, .sourceEnded: break
        case .presetChanged(let preset): Console.line("Pictures are encoded with preset \(preset.rawValue) now.")
        case .audioInterrupted(let audio, let reason):
            Console.line("\(reason) Silence is sent in place of \(audio.words); trying again.")
        case .audioResumed(let audio): Console.line("There is sound of \(audio.words) again.")
        case .audioMuted(let muted):
            Console.line(
                muted.isEmpty ? "All sound is on." : "Muted: \(muted.map(\.words).sorted().joined(separator: " and ")).")
        case .roomLost(let loss):
            Console.line("Signaling is lost (\(loss.reason)); trying again. Viewers who are here don't notice.")
        case .roomFound: Console.line("The signaling server is there again.")
        case .notice(let text): Console.line(text)
        }
    }
}

extension SharedAudio {
    fileprivate var words: String { self == .system ? "the system" : "the microphone" }
}
