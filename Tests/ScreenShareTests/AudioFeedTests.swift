import Media
import Synchronization
import Testing
import Timebase

@testable import ScreenShare

/// Gives so many blocks, one at a time, and is lost then.
private final class Fading: AudioSource {
    let format = AudioFormat.stereo48k
    let pollDescriptors: [(descriptor: Int32, events: Int16)] = []
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

    @Test("what worked until now is opened again at once: another output may be the default")
    func atOnce() {
        #expect(openings(blocks: 5, until: 200) == [0, 60, 120, 180])
    }

    @Test("what never gave anything is left alone for a while, and for longer each time")
    func later() {
        let times = openings(blocks: 0, until: 5000)
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses.count > 2 && pauses.allSatisfy { $0 >= 250 } && pauses == pauses.sorted())
    }
}
