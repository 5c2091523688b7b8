import AudioCodec
import Glibc
import Media
import NIOConcurrencyHelpers
import RTP
import SystemClock
import TestSupport
import Testing
import Timebase
@testable import ScreenShare

@Suite("The thread of sound", .serialized, .timeLimit(.minutes(1)))
struct AudioPipelineTests {
    /// A thread of sound with one viewer, and what that hears.
    private final class Stage: Sendable {
        let controls: AudioControls
        private let units = NIOLockedValueBox<[[UInt8]]>([])
        /// When each packet was heard, on the share's clock, less its own time.
        private let zeros = NIOLockedValueBox<[Duration]>([])

        private let opened = NIOLockedValueBox<[AudioKind: Int]>([:])

        /// - Parameter sampled: what somebody reads while nobody hears the share; nil: there is a viewer.
        init(
            system: CustomAudioSource?, microphone: CustomAudioSource?, muted: Set<AudioKind> = [],
            sampled: Set<AudioKind>? = nil
        ) {
            var commands = AudioConfiguration(
                system: system.map { .custom($0) }, microphone: microphone.map { .custom($0) }
            ).commands(clock: EmbedderClock())
            commands.muted = muted
            for (kind, open) in commands.sources {
                commands.sources[kind] = { [opened] in
                    opened.withLockedValue { $0[kind, default: 0] += 1 }
                    return open()
                }
            }
            commands.sampled = sampled ?? []
            commands.lanes = sampled == nil ? Self.viewer : [:]
            controls = AudioControls(commands)
            controls.thread.begin()
            BlockingThread.start(name: "sound") { [controls, units, zeros] in
                let start = SystemClock.now()
                AudioPipeline(
                    controls: controls, packetDuration: .milliseconds20, start: start, taps: SampleTaps(),
                    deliver: { unit in
                        units.withLockedValue { $0.append(unit.encodings[.full]?.bytes ?? []) }
                        zeros.withLockedValue { $0.append(unit.capturedAt - start - unit.time.elapsed) }
                    },
                    report: { _ in }
                ).run()
                controls.end()
            }
        }

        /// What is encoded for one viewer.
        static let viewer: [AudioLane: OpusTarget] = [.full: OpusTarget(bitsPerSecond: 64_000)]

        /// How often a device was opened.
        func openings(of kind: AudioKind) -> Int { opened.withLockedValue { $0[kind, default: 0] } }

        /// Returns when the thread has had a whole turn with the change.
        func change(_ body: @Sendable (inout AudioCommands) -> Void) async {
            await controls.changeAndWait(body)
            // Which the turn behind that one acknowledges.
            await controls.changeAndWait { _ in }
        }

        var packets: Int { units.withLockedValue { $0.count } }
        var firstZero: Duration? { zeros.withLockedValue { $0.first } }

        /// The loudest sample of each packet so far.
        func peaks() throws -> [Float] {
            let decoder = try OpusDecoder()
            return try units.withLockedValue { $0 }.map { try decoder.decode($0).map(\.magnitude).max() ?? 0 }
        }

        /// The largest step from one sample of the left to the next.
        func largestStep() throws -> Float {
            let decoder = try OpusDecoder()
            let samples = try units.withLockedValue { $0 }.flatMap { try decoder.decode($0) }
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            return zip(left.dropFirst(), left).map { ($0 - $1).magnitude }.max() ?? 0
        }

        /// The loudest sample since so many packets.
        func loudest(after packets: Int) throws -> Float { try peaks()[packets...].max() ?? 0 }

        /// Waits for what must come, ten seconds at most: on a busy machine the thread gets its turn late.
        func comesTrue(_ what: (Stage) throws -> Bool) async throws -> Bool {
            for _ in 0..<500 {
                if try what(self) { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return try what(self)
        }

        func stop() async {
            controls.change { $0.stops = true }
            await controls.thread.ended()
        }
    }

    /// 10 ms of a level that changes its sign each half millisecond, for as long as said. Each block comes when it is due:
    /// by pauses between them they would be ever later, and what is later than a mute lasts is never heard.
    private func play(_ level: Float, on source: CustomAudioSource, from begin: Int, blocks: Int) async throws {
        let start = ContinuousClock.now
        for block in begin..<begin + blocks {
            let samples = (0..<960).map { ($0 / 48) % 2 == 0 ? level : -level }
            try source.push(
                samples.span.bytes, encoding: .float32, sampleRate: 48_000, channels: 2, timestamp: .milliseconds(10 * block))
            try await Task.sleep(until: start + .milliseconds(10 * (block + 1 - begin)), clock: .continuous)
        }
    }

    @Test("what was said while the microphone was muted is not heard afterwards")
    func unmute() async throws {
        let microphone = CustomAudioSource()
        let stage = Stage(system: nil, microphone: microphone, muted: [.microphone])
        try await play(0.5, on: microphone, from: 0, blocks: 60)
        #expect(try await stage.comesTrue { $0.packets > 20 })
        let before = stage.packets
        #expect(try stage.loudest(after: 0) < 0.01)
        stage.controls.change { $0.muted = [] }
        try await play(0, on: microphone, from: 60, blocks: 40)
        #expect(try stage.loudest(after: before) < 0.01)
        try await play(0.5, on: microphone, from: 100, blocks: 40)
        #expect(try await stage.comesTrue { try $0.loudest(after: before) > 0.3 }, "and now it is heard")
        await stage.stop()
    }

    @Test(
        "of half a second that comes in one block nothing is heard that was said while muted or paused",
        arguments: [true, false])
    func burst(isPaused: Bool) async throws {
        let system = CustomAudioSource()
        let stage = Stage(system: system, microphone: nil)
        #expect(try await stage.comesTrue { $0.openings(of: .system) == 1 })
        await stage.controls.changeAndWait { commands in
            commands.isPaused = isPaused
            commands.muted = isPaused ? [] : [.system]
        }
        await stage.controls.changeAndWait { commands in
            commands.isPaused = false
            commands.muted = []
        }
        #expect(try await stage.comesTrue { $0.openings(of: .system) == (isPaused ? 2 : 1) })
        let before = stage.packets
        func push(loud frames: Int, at timestamp: Duration) throws {
            let samples = (0..<2 * 22_596).map { index -> Float in
                index >= 2 * frames ? 0 : index / 44 % 2 == 0 ? 0.5 : -0.5
            }
            try system.push(
                samples.span.bytes, encoding: .float32, sampleRate: 44_100, channels: 2, timestamp: timestamp)
        }
        // It ends 300 ms ago: the thread may have taken so long.
        try push(loud: 9000, at: .zero)
        try await Task.sleep(for: .milliseconds(600))
        #expect(try await stage.comesTrue { $0.packets > before + 25 })
        #expect(try stage.loudest(after: before) < 0.01)
        try push(loud: 22_596, at: .milliseconds(600))
        #expect(try await stage.comesTrue { try $0.loudest(after: before) > 0.3 }, "and now it is heard")
        await stage.stop()
    }

    @Test("what leaves first was heard when it says, though the device took longer to open than a packet lasts")
    func slowToOpen() async throws {
        var zero = Duration.zero
        // Blocks of 10 ms and packets of 20. Whoever pushes may be held up itself, until silence is told of.
        for _ in 0..<3 where zero > .milliseconds(-30) { zero = try await firstZeroOfSlowDevice() }
        #expect(zero <= .milliseconds(-30), "\(zero)")
    }

    private func firstZeroOfSlowDevice() async throws -> Duration {
        let system = CustomAudioSource()
        let stage = Stage(system: system, microphone: nil)
        #expect(try await stage.comesTrue { $0.openings(of: .system) == 1 })
        try await Task.sleep(for: .milliseconds(70))
        try await play(0.3, on: system, from: 0, blocks: 50)
        #expect(try await stage.comesTrue { $0.packets > 10 })
        let zero = try #require(stage.firstZero)
        await stage.stop()
        return zero
    }

    @Test("where no sound comes at all, silence is told of in the end")
    func neverOpens() async throws {
        let stage = Stage(system: CustomAudioSource(), microphone: nil)
        #expect(try await stage.comesTrue { $0.packets > 0 })
        await stage.stop()
    }

    @Test("a source whose gain is made less is heard as much softer")
    func gain() async throws {
        let system = CustomAudioSource()
        let stage = Stage(system: system, microphone: nil)
        try await play(0.5, on: system, from: 0, blocks: 60)
        #expect(try await stage.comesTrue { try $0.loudest(after: 0) > 0.3 })
        await stage.change { $0.gains[.system] = Gain(decibels: -20) }
        // The first has the way to it, and the codec's overlap is in the second.
        let softer = stage.packets + 2
        try await play(0.5, on: system, from: 60, blocks: 60)
        #expect(try await stage.comesTrue { try $0.packets > softer + 20 && $0.loudest(after: softer) > 0.02 })
        #expect(try stage.loudest(after: softer) < 0.15)
        await stage.stop()
    }

    @Test("of a source that was taken away nothing is heard any more, and the other is not opened anew")
    func removed() async throws {
        let (system, microphone) = (CustomAudioSource(), CustomAudioSource())
        let stage = Stage(system: system, microphone: microphone)
        let playing = Task { try await play(0.1, on: system, from: 0, blocks: 4000) }
        try await play(0.5, on: microphone, from: 0, blocks: 60)
        #expect(try await stage.comesTrue { try $0.loudest(after: 0) > 0.3 })
        await stage.controls.changeAndWait { commands in
            commands.sources[.microphone] = nil
            commands.generations[.microphone, default: 0] += 1
        }
        let removed = stage.packets
        // The first has the end of it, falling, and the codec's overlap is in the second.
        #expect(try await stage.comesTrue { try $0.packets > removed + 40 && $0.loudest(after: removed + 2) > 0.02 })
        playing.cancel()
        let after = try stage.peaks().dropFirst(removed + 2)
        #expect(after.max() ?? 0 < 0.25, "\(after)")
        #expect(stage.openings(of: .system) == 1)
        await stage.stop()
    }

    @Test("who reads the microphone alone opens no other device, and one that nobody hears any more is closed")
    func oneKind() async {
        let stage = Stage(system: CustomAudioSource(), microphone: CustomAudioSource(), sampled: [.microphone])
        func openings() -> [Int] { [AudioKind.microphone, .system].map { stage.openings(of: $0) } }
        await stage.change { _ in }
        #expect(openings() == [1, 0])
        await stage.change { $0.lanes = Stage.viewer }
        #expect(openings() == [1, 1])
        await stage.change { $0.lanes = [:] }
        await stage.change { $0.lanes = Stage.viewer }
        #expect(openings() == [1, 2])
        await stage.change { $0.lanes = [:] }
        await stage.change { $0.sampled = [.system] }
        #expect(openings() == [1, 3])
        await stage.change { $0.sampled = [] }
        await stage.change { $0.sampled = [.microphone] }
        #expect(openings() == [2, 3])
        await stage.stop()
    }

    @Test("what is muted ends without a click, whenever that is")
    func muteWithoutClick() async throws {
        let system = CustomAudioSource()
        let stage = Stage(system: system, microphone: nil)
        let tone = Task {
            let start = ContinuousClock.now
            // Until it is cancelled.
            for block in 0... {
                let samples = (0..<480).flatMap { index in
                    let sample = 0.5 * Float(sin(2 * .pi * 440 * Double(480 * block + index) / 48_000))
                    return [sample, sample]
                }
                try system.push(
                    samples.span.bytes, encoding: .float32, sampleRate: 48_000, channels: 2,
                    timestamp: .milliseconds(10 * block))
                try await Task.sleep(until: start + .milliseconds(10 * (block + 1)), clock: .continuous)
            }
        }
        defer { tone.cancel() }
        for round in 0..<12 {
            let before = stage.packets
            try await Task.sleep(for: .milliseconds(130 + 7 * round))
            // Otherwise there is nothing that could end with a click.
            try #require(try await stage.comesTrue { try $0.loudest(after: before) > 0.3 })
            stage.controls.change { $0.muted = [.system] }
            try await Task.sleep(for: .milliseconds(90))
            stage.controls.change { $0.muted = [] }
        }
        // The tone's own steps are up to 0.029.
        #expect(try stage.largestStep() < 0.06)
        await stage.stop()
    }

    @Test("a source that is pushed faster than it is read keeps nobody from stopping")
    func flooded() async throws {
        let system = CustomAudioSource()
        let stage = Stage(system: system, microphone: nil)
        let flood = Task.detached {
            let samples = [Float](repeating: 0.1, count: 96_000)
            for second in 0... {
                if Task.isCancelled { return }
                try? system.push(
                    samples.span.bytes, encoding: .float32, sampleRate: 48_000, channels: 2, timestamp: .seconds(second))
            }
        }
        defer { flood.cancel() }
        // It has turns, though there is always more.
        try #require(try await stage.comesTrue { $0.packets > 0 })
        await stage.stop()
        #expect(!stage.controls.thread.isRunning)
    }

    @Test("a change is waited for until the thread works by it, or is gone")
    func waited() async {
        let stage = Stage(system: CustomAudioSource(), microphone: nil)
        await stage.controls.changeAndWait { $0.isPaused = true }
        let packets = stage.packets
        try? await Task.sleep(for: .milliseconds(100))
        #expect(stage.packets == packets, "nothing leaves once the pause is in force")
        await stage.stop()
        await stage.controls.changeAndWait { $0.isPaused = false }
    }

    @Test("what is longer than a second is refused, as it would not be heard")
    func longBlocks() throws {
        let samples = [Float](repeating: 0, count: 72_000)
        #expect(throws: CustomAudioSource.PushError.wrongFormat) {
            try CustomAudioSource().push(
                samples.span.bytes, encoding: .float32, sampleRate: 48_000, channels: 1, timestamp: .zero)
        }
    }

    @Test("an embedder's clock that runs slow is followed within 20 ms for hours", arguments: [-100e-6, -300e-6, 0, 100e-6])
    func slowClock(drift: Double) {
        var clock = SourceClock()
        var worst = Duration.zero
        for step in 0..<(5 * 3600 * 10) {
            let time = Duration.milliseconds(100 * step)
            let arrival = Instant.zero + time + .milliseconds(step * 7 % 6)
            let stamped = clock.instant(of: time * (1 + drift), arrivedAt: arrival)
            worst = max(worst, arrival - stamped, stamped - arrival)
        }
        #expect(worst <= .milliseconds(20))
    }

    @Test("behind a stall of the embedder's its stamps are near again within seconds, and bursts do not count as one")
    func stalledClock() {
        var clock = SourceClock()
        var late: [Duration] = []
        for step in 0..<1200 {
            let arrival = Instant.zero + .milliseconds(10 * step + (step < 600 ? 0 : 500))
            late.append(arrival - clock.instant(of: .milliseconds(10 * step), arrivedAt: arrival))
        }
        #expect(late[600] >= .milliseconds(490) && late[900...].allSatisfy { $0 < .milliseconds(5) })
        var bursts = SourceClock()
        for step in 0..<1200 {
            // Ninety blocks at once, each 900 ms.
            let arrival = Instant.zero + .milliseconds(900 * (step / 90 + 1))
            let stamped = bursts.instant(of: .milliseconds(10 * step), arrivedAt: arrival)
            let offset = (stamped - Instant.zero) - .milliseconds(10 * step)
            #expect(step < 90 || abs(offset.inMilliseconds - 10) < 5)
        }
    }
}
