import Media
import NIOConcurrencyHelpers
import PeerCore
import RTP
import SystemClock
import TestSupport
import Testing
import Timebase
import VideoCodec
@testable import ScreenShare

/// The thread of pictures of a share whose source does what a test says.
final class ScriptedPipeline: Sendable {
    /// What the source shows: one grey.
    struct Scene: Sendable {
        var grey: UInt8 = 0
        /// More than its bits can show at once; of 640×480.
        var isNoise = false
        var size = PixelSize(width: 320, height: 240)
        var isHidden = false
        /// It was found hidden, by a look or a read.
        var isFoundHidden = false
        var hasEnded = false
        /// How often it was waited for.
        var looks = 0
        /// It can't be read for the moment.
        var isBusy = false
        var isChanged = true
        var readTimes: [Instant] = []
    }

    /// What came of it.
    struct Results: Sendable {
        var units: [PacketizedUnit] = []
        var keys: [LaneKey] = []
        var sizes: [PixelSize] = []
        var presets = 0
        var isHidden = false
        var hasEnded = false
        /// How many units had come when each size was told.
        var unitsBeforeSizes: [Int] = []
        /// The luma of each picture that left.
        var lumas: [UInt8] = []
        var marks = 0
        var pictureSizes: [PixelSize] = []
    }

    let controls: VideoControls
    let counters = VideoCounters()
    private let taps = SampleTaps()
    private let scene = NIOLockedValueBox(Scene())
    private let results = NIOLockedValueBox(Results())
    /// The rungs whose viewers are all behind, and how often that was told.
    private let held = NIOLockedValueBox<(rungs: Set<Int>, told: Int)>(([], 0))
    /// Whether as many pictures wait as may, and how often that was asked.
    private let outbox = NIOLockedValueBox((isFull: false, asks: 0))

    init(isSampled: Bool = false, lanes: Set<LaneKey> = [], mode: ContentMode = .auto) {
        var commands = VideoCommands(
            size: .native, fixedRate: nil, mode: mode, preset: .ultrafast, bitsPerSecond: 2_000_000)
        commands.samplers = isSampled ? 1 : 0
        commands.lanes = lanes
        commands.expected = lanes
        controls = VideoControls(commands)
        start()
    }

    /// Who counts the pictures waits for the next, and is kept by what would bring it.
    deinit { taps.finish() }

    private func start() {
        let (controls, counters, scene, results, taps) = (controls, counters, scene, results, taps)
        let (held, outbox) = (held, outbox)
        let samples = taps.open([.video, .systemAudio])
        Task {
            for await sample in samples {
                switch sample {
                case .video(let picture): results.withLockedValue { $0.lumas.append(picture.i420[0]) }
                case .audio: results.withLockedValue { $0.marks += 1 }
                }
            }
        }
        controls.thread.begin()
        BlockingThread.start(name: "pictures") {
            VideoPipeline(
                controls: controls, counters: counters, source: ScriptedSource(scene: scene, wakeup: controls.wakeup),
                deliver: { unit, key in
                    results.withLockedValue {
                        $0.units.append(unit)
                        $0.keys.append(key)
                    }
                },
                isOutboxFull: { news in
                    outbox.withLockedValue { outbox in
                        if !news { outbox.asks += 1 }
                        return outbox.isFull
                    }
                },
                isCongested: { rung, _ in
                    held.withLockedValue { held in
                        let isHeld = held.rungs.contains(rung)
                        held.told += isHeld ? 1 : 0
                        return isHeld
                    }
                },
                taps: taps, report: { event in results.withLockedValue { $0.note(event) } }
            ).run()
            controls.end()
        }
    }

    var now: Results { results.withLockedValue { $0 } }
    var readTimes: [Instant] { scene.withLockedValue { $0.readTimes } }
    var reads: Int { readTimes.count }
    var looks: Int { scene.withLockedValue { $0.looks } }

    func show(_ change: (inout Scene) -> Void) {
        scene.withLockedValue {
            change(&$0)
            $0.isChanged = true
        }
        controls.wakeup.fire()
    }

    /// Waits for what must come; gives up where it has not after five seconds and two hundred looks: on a busy machine this
    /// task, and the one that takes in what comes, may be kept waiting for long.
    func wait(for what: (Results) -> Bool) async -> Bool {
        let end = SystemClock.now() + .seconds(5)
        var looks = 0
        while !what(now) {
            if SystemClock.now() >= end, looks >= 200 { return false }
            looks += 1
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// Waits until every picture that has left is counted: a mark behind them has come.
    func countAll() async -> Bool {
        let marks = now.marks
        taps.give(.audio(AudioSample(samples: [], sampleRate: 48_000, channels: 2, capturedAt: .now), .system))
        return await wait { $0.marks > marks }
    }

    /// As `show`, without a word that there is something new.
    func settle(_ change: (inout Scene) -> Void) { scene.withLockedValue { change(&$0) } }

    func hold(_ rungs: Set<Int>) { held.withLockedValue { $0.rungs = rungs } }

    /// How often the thread has heard that a rung is held.
    var refusals: Int { held.withLockedValue { $0.told } }

    /// Returns once the pipeline goes by it.
    func fillOutbox(_ isFull: Bool) async {
        outbox.withLockedValue { $0.isFull = isFull }
        await controls.changeAndWait { _ in }
    }

    var asksOfOutbox: Int { outbox.withLockedValue { $0.asks } }

    func stop() { controls.change { $0.stops = true } }
}

extension ScriptedPipeline.Results {
    fileprivate mutating func note(_ event: VideoPipelineEvent) {
        switch event {
        case .geometry(let source, let picture):
            sizes.append(source)
            pictureSizes.append(picture)
            unitsBeforeSizes.append(units.count)
        case .preset: presets += 1
        case .hidden: isHidden = true
        case .sourceEnded: hasEnded = true
        case .visible: (isHidden, hasEnded) = (false, false)
        case .content, .notice, .failed: break
        }
    }
}

private struct ScriptedSource: FrameSource {
    private static let noise: [UInt8] = {
        var random = SeededGenerator(seed: 1)
        return (0..<640 * 480 * 4).map { _ in .random(in: 0...255, using: &random) }
    }()
    let scene: NIOLockedValueBox<ScriptedPipeline.Scene>
    let wakeup: Wakeup
    var size: PixelSize { scene.withLockedValue { $0.size } }

    mutating func waitForChange(until deadline: Instant, wakeup descriptor: Int32) throws(CaptureError) -> SourceEvent {
        let isNew = scene.withLockedValue { scene in
            scene.looks += 1
            return scene.isChanged
        }
        if isNew { return .changed }
        // As a screen's source, which does not ask the server where there is no time for an answer.
        let hasTime = deadline - SystemClock.now() >= .milliseconds(2)
        wakeup.wait(atMost: deadline - SystemClock.now())
        return scene.withLockedValue { scene in
            if hasTime { scene.isFoundHidden = scene.isHidden }
            if scene.isChanged { return .changed }
            if scene.hasEnded { return .ended("It was closed.") }
            return scene.isFoundHidden ? .hidden("It is hidden.") : .idle
        }
    }

    mutating func read() throws(CaptureError) -> ScreenFrame {
        let scene = scene.withLockedValue { scene in
            scene.isChanged = false
            scene.isFoundHidden = scene.isHidden
            scene.readTimes.append(SystemClock.now())
            return scene
        }
        let bytes = scene.isNoise ? Self.noise : [UInt8](repeating: scene.grey, count: scene.size.area * 4)
        guard !scene.isHidden, !scene.isBusy, !scene.hasEnded,
            let pixels = PixelBuffer(format: .bgra, size: scene.size, copying: bytes.span.bytes)
        else { throw .timedOut }
        return ScreenFrame(pixels: pixels, capturedAt: SystemClock.now(), damage: PixelRect(scene.size))
    }
}

extension ThreadControls {
    convenience init(_ initial: Commands) { self.init(initial, wakeup: .made()) }
}
