import Glibc
import ScreenShare
import Synchronization
import Timebase

/// Runs a viewer until its time or its output ends: units to standard output, events to the person.
final class ViewRunner: Sendable {
    private enum Command: Sendable {
        case event(ViewEvent)
        case second
        case quit
        case outputEnded(Failure?)
        /// Everything is in the output.
        case written
    }

    private let session: ViewSession
    private let place: ViewedPlace
    private let frames: Int?
    private let statistics: Mutex<StatsWriter?>
    /// The writer's task counts, the other reports.
    private let written = Mutex(ViewRecord.Written())
    private let output: ViewOutput

    init(
        session: ViewSession, place: ViewedPlace, frames: Int?, output: ViewOutput, statistics: sending StatsWriter?
    ) {
        self.session = session
        self.place = place
        self.frames = frames
        self.output = output
        self.statistics = Mutex(statistics)
    }

    func run() async throws {
        let (commands, continuation) = AsyncStream.makeStream(of: Command.self)
        let quit: @Sendable () -> Void = { continuation.yield(.quit) }
        let signals = Signals([SIGINT: quit, SIGTERM: quit, SIGHUP: quit])
        defer {
            signals.cancel()
            Console.endStatus()
        }
        await session.start()
        let pump = Task { [events = session.events] in
            for await event in events { continuation.yield(.event(event)) }
        }
        let writer = Task {
            async let sound: Void = self.writeSound(continuation)
            await self.write(continuation)
            await sound
            await self.guarding(continuation, "what was received") { try await self.output.finish() }
            // What it ended with comes first.
            await pump.value
            continuation.yield(.written)
        }
        let ticker = Task {
            while true {
                try await Task.sleep(for: .seconds(1))
                continuation.yield(.second)
            }
        }
        defer {
            pump.cancel()
            ticker.cancel()
            writer.cancel()
        }
        let failure = await runUntilEnd(commands)
        if let failure = failure ?? statistics.withLock({ $0?.failure }) { throw failure }
    }

    // MARK: Output

    /// Writes every unit until the session ends, the frames are complete, or the output fails.
    private func write(_ commands: AsyncStream<Command>.Continuation) async {
        await guarding(commands, "the video") {
            var left = frames ?? .max
            for await whole in session.units {
                // Repeats come together with the picture behind them.
                let unit = whole.prefix(left)
                let bytes = try await output.write(unit, of: session)
                written.withLock { written in
                    written.pictures += unit.pictures
                    written.repeated += unit.repeated
                    written.bytes += bytes
                }
                left -= unit.pictures + unit.repeated
                if left <= 0 { break }
            }
            commands.yield(.outputEnded(nil))
        }
    }

    /// Writes the sound until the session ends. A file of its own does not wait for who reads the video.
    private func writeSound(_ commands: AsyncStream<Command>.Continuation) async {
        await guarding(commands, "the sound") {
            for await piece in session.audio { try await output.write(piece) }
        }
        await guarding(commands, "the sound") { try await output.finishSound() }
    }

    /// What can't be written ends the session.
    private func guarding(
        _ commands: AsyncStream<Command>.Continuation, _ what: String, _ body: () async throws -> Void
    ) async {
        do { try await body() } catch { commands.yield(.outputEnded(Failure(error, writing: what))) }
    }

    // MARK: Events

    private func runUntilEnd(_ commands: AsyncStream<Command>) async -> Failure? {
        let clock = ContinuousClock()
        let begin = clock.now
        var isEnding = false
        var failure: Failure?
        var joining = JoiningText(place.text)
        for await command in commands {
            let elapsed = (clock.now - begin) / .seconds(1)
            switch command {
            case .outputEnded(let error):
                failure = failure ?? error
                // Not waited for here: its server may be silent, and a signal is to be heard.
                Task { await session.stop() }
            case .quit:
                // A reader that takes nothing more must not keep us: a second signal ends at once.
                if isEnding { return failure }
                isEnding = true
                Task { await session.stop() }
            case .event(.ended(let error)): failure = failure ?? error.map { Failure($0, at: place) }
            case .written:
                // What came since the last second.
                await report(elapsed)
                return failure
            case .event(let event):
                if case .disconnected = event { Console.clearStatus() }
                if let line = joining.line(event, at: elapsed) { Console.line(line) }
                show(event)
                if case .firstPicture = event, output.takesSound, await !session.hasSound {
                    Console.line("The sharer sends no sound.")
                }
            case .second:
                if let line = joining.line(at: elapsed) { Console.line(line) }
                await report(elapsed)
                // Who closes a player while nothing comes would not be noticed by writing.
                if output.hasLostReader { Task { await session.stop() } }
            }
        }
        return failure
    }

    private func report(_ elapsed: Double) async {
        let now = await session.statistics()
        let written = written.withLock { $0 }
        if now.isConnected {
            let frames = written.pictures + written.repeated
            let counts = "receiving · \(frames) frames · \(written.bytes / 1000) kB · skipped \(now.skipped)"
            Console.status(frames == 0 ? "connected · no picture yet" : counts)
        }
        statistics.withLock { $0?.write(ViewRecord(now, written: written, time: elapsed)) }
    }

    /// But for what `JoiningText` says.
    private func show(_ event: ViewEvent) {
        switch event {
        case .firstPicture(let after): Console.line("First picture after \((after / .milliseconds(1)).text(0)) ms.")
        case .pathNarrow:
            Console.line("The connection takes too little for moving pictures; the sharer sends one now and then.")
        case .pathRecovered: Console.line("The connection takes moving pictures again.")
        case .notice(let text): Console.line(text)
        case .waiting, .connecting, .connected, .disconnected, .ended: break
        }
    }
}

/// One line of `view --stats-json`.
struct ViewRecord: Encodable {
    /// What went to standard output.
    struct Written {
        var pictures = 0
        var repeated = 0
        var bytes = 0
    }

    var time: Double
    var state: String
    var frames: Int
    var repeated: Int
    var bytes: Int
    var skipped: Int
    var keyframeRequests: Int
    var lost: Int
    var recovered: Int
    var joins: Int
    var roundTripMs: Double?
    var firstFrameMs: Double?
    /// Seconds of sound, and of them what was lost.
    var sound: Double
    var soundLost: Double
    /// By how much pictures are later than their sound: the median, and 95 % of the magnitudes.
    var videoLagMs: Double?
    var videoLag95Ms: Double?
    /// Since capture, by both wall clocks.
    var videoDelayMs: Double?
    var audioDelayMs: Double?

    init(_ statistics: ViewStatistics, written: Written, time: Double) {
        self.time = time
        state = statistics.isConnected ? "live" : "waiting"
        frames = written.pictures
        repeated = written.repeated
        bytes = written.bytes
        skipped = statistics.skipped
        keyframeRequests = statistics.keyframeRequests
        lost = statistics.packetsLost
        recovered = statistics.packetsRecovered
        joins = statistics.joins
        roundTripMs = statistics.roundTripTime?.inMilliseconds
        firstFrameMs = statistics.firstPicture?.inMilliseconds
        sound = statistics.audioDuration.inSeconds
        soundLost = statistics.audioLost.inSeconds
        videoLagMs = statistics.videoLag?.inMilliseconds
        videoLag95Ms = statistics.videoLag95?.inMilliseconds
        videoDelayMs = statistics.videoDelay?.inMilliseconds
        audioDelayMs = statistics.audioDelay?.inMilliseconds
    }
}
