import AudioCodec
import AudioDevices
import Media
import NIOConcurrencyHelpers
import Synchronization
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import ScreenShare

/// Gives so many blocks, one at a time, and is lost then.
private final class Fading: AudioSource {
    let format = AudioFormat.stereo48k
    let pollDescriptors: [PollEntry] = []
    private var left: Int
    private var mayGive = true

    init(blocks: Int) { left = blocks }

    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        defer { mayGive.toggle() }
        if !mayGive { return nil }
        guard left > 0 else { throw .lost("gone") }
        left -= 1
        return AudioBlock(format: format, samples: [Float](repeating: 0, count: 960), capturedAt: now)
    }
}

/// One frame of six inputs that nobody named, with a voice at the last.
private final class Inputs: AudioSource {
    let format = AudioFormat(sampleRate: 48_000, channels: 6)
    let pollDescriptors: [PollEntry] = []
    private var isRead = false

    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        defer { isRead = true }
        return isRead ? nil : AudioBlock(format: format, samples: [0, 0, 0, 0, 0, 0.5], capturedAt: now)
    }
}

/// Always has another 100 ms, for a minute of them.
private final class Flood: AudioSource {
    let format = AudioFormat.stereo48k
    let pollDescriptors: [PollEntry] = []
    private var left = 600

    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock? {
        guard left > 0 else { return nil }
        left -= 1
        return AudioBlock(format: format, samples: [Float](repeating: 0, count: 9600), capturedAt: now)
    }
}

@Suite("A source of sound and its losses")
struct AudioFeedTests {
    /// When it was opened, in milliseconds, where it is read each 10 ms.
    private func openings(blocks: Int, until end: Int) -> [Int] {
        let opened = Mutex(0)
        var times: [Int] = []
        var feed = AudioFeed(.system) {
            opened.withLock { $0 += 1 }
            return Fading(blocks: blocks)
        }
        for time in stride(from: 0, to: end, by: 10) {
            _ = feed.read(at: .zero + .milliseconds(time)) { _, _ in }
            if opened.withLock({ $0 }) > times.count { times.append(time) }
        }
        return times
    }

    @Test("a voice at the last of a microphone's inputs is heard on both sides; of what is played that is the low frequencies")
    func inputs() {
        for (kind, expected) in [(.microphone, [0.5, 0.5]), (.system, [0, 0])] as [(AudioKind, [Float])] {
            var heard: [Float] = []
            var feed = AudioFeed(kind) { Inputs() }
            _ = feed.read(at: .zero) { _, stereo in heard += stereo.samples }
            #expect(heard == expected)
        }
    }

    @Test("of a source that always has more, two seconds are taken, and then others have their turn")
    func turns() {
        var feed = AudioFeed(.system) { Flood() }
        var blocks: [Int] = []
        for _ in 0..<3 {
            var count = 0
            _ = feed.read(at: .zero) { _, _ in count += 1 }
            blocks.append(count)
        }
        #expect(blocks == [20, 20, 20])
    }

    @Test("what worked until now is opened again at once: another output may be the default")
    func atOnce() {
        #expect(openings(blocks: 110, until: 3000) == [0, 1110, 2220])
    }

    @Test("what ends with its first sound is left alone for longer each time, and told of once")
    func broken() {
        #expect(openings(blocks: 1, until: 8000) == [0, 260, 770, 1780, 3790, 5800, 7810])
        #expect(news(blocks: 1, until: 8000) == [.back, .lost("gone")])
    }

    @Test("what was broken is back once it has given sound for a second")
    func mended() {
        let opened = Mutex(0)
        var feed = AudioFeed(.system) {
            opened.withLock { $0 += 1 }
            let count = opened.withLock { $0 }
            return Fading(blocks: count < 3 ? 1 : 1000)
        }
        var told: [Int: AudioFeed.News] = [:]
        for time in stride(from: 0, to: 3000, by: 10) {
            told[time] = feed.read(at: .zero + .milliseconds(time)) { _, _ in }
        }
        let expected: [Int: AudioFeed.News] = [10: .lost("gone"), 1770: .back]
        #expect(told == expected)
    }

    @Test(
        "all openings of a device know whether a sound server had it, also of one that is named",
        arguments: [ShareAudioSource.standard, .device("default")])
    func memory(source: ShareAudioSource) {
        let open = source.factory(.microphone, clock: EmbedderClock())
        let memories = [open(), open()].compactMap { ($0 as? DeviceSource)?.memory }
        #expect(memories.count == 2 && memories.first === memories.last)
    }

    @Test("what never gave anything is left alone for a while, and for longer each time")
    func later() {
        let times = openings(blocks: 0, until: 5000)
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses.count > 2 && pauses.allSatisfy { $0 >= 250 } && pauses == pauses.sorted())
    }

    /// What is told of a source that comes behind one whose loss was told, where it is read each 10 ms.
    private func news(blocks: Int, until end: Int) -> [AudioFeed.News] {
        var feed = AudioFeed(.microphone, open: { Fading(blocks: blocks) }, isToldLost: true)
        var news: [AudioFeed.News] = []
        for time in stride(from: 0, to: end, by: 10) {
            if let next = feed.read(at: .zero + .milliseconds(time), { _, _ in }) { news.append(next) }
        }
        return news
    }

    @Test("a source that comes behind a lost one tells of its own first failure, or that sound is back")
    func behindLoss() {
        #expect(news(blocks: 0, until: 5000) == [.lost("gone")])
        #expect(news(blocks: 100, until: 500) == [.back])
        #expect(news(blocks: 110, until: 2000) == [.back, .lost("gone"), .back])
    }

    @Test("a loss that was told ends with the next source that works, also where there was none between the two")
    func behindNothing() async {
        var commands = AudioCommands(sources: [.microphone: { Fading(blocks: 0) }], gains: [:])
        commands.sampled = [.microphone]
        let controls = AudioControls(commands)
        let told = NIOLockedValueBox<[AudioFeed.News]>([])
        controls.thread.begin()
        BlockingThread.start(name: "sound") {
            AudioPipeline(
                controls: controls, packetDuration: .milliseconds20, start: SystemClock.now(), taps: SampleTaps(),
                deliver: { _ in }, report: { event in told.withLockedValue { $0 += event.news } }
            ).run()
            controls.end()
        }
        #expect(await comes([.lost("gone")], to: told))
        await controls.changeAndWait { commands in
            commands.sources[.microphone] = nil
            commands.generations[.microphone, default: 0] += 1
        }
        await controls.changeAndWait { commands in
            commands.sources[.microphone] = { Fading(blocks: 1000) }
            commands.generations[.microphone, default: 0] += 1
        }
        #expect(await comes([.lost("gone"), .back], to: told))
        controls.change { $0.stops = true }
        await controls.thread.ended()
    }

    private func comes(_ news: [AudioFeed.News], to told: NIOLockedValueBox<[AudioFeed.News]>) async -> Bool {
        for _ in 0..<1000 where told.withLockedValue({ $0 }) != news { try? await Task.sleep(for: .milliseconds(5)) }
        return told.withLockedValue { $0 } == news
    }
}

extension AudioPipelineEvent {
    fileprivate var news: [AudioFeed.News] {
        switch self {
        case .lost(_, let text): [.lost(text)]
        case .back: [.back]
        case .delay, .failed, .priority: []
        }
    }
}
