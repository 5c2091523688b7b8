import Media
import TestSupport
import Testing
import Timebase

/// A film as a display shows it: drawn anew at each of the display's ticks, whether it has changed or not.
private struct Film {
    var rate: FrameRate
    var display: Int64
    /// Scenes by their number of ticks; each begins anywhere in the pattern.
    var edits: [Int64] = []
    var length = Duration.seconds(30)
    /// Of those that stand for three ticks, the player shows every so many two ticks late, and the next in its time.
    var stumblesEvery: Int?

    /// For each tick which picture it shows, from 0 up.
    func pictures(seed: UInt64) -> [Int] {
        var random = SeededGenerator(seed: seed)
        var shown: [Int] = []
        var offset = Int64.random(in: 0..<1_000_000_000, using: &random)
        var base = 0
        var first = 0
        for tick in 0..<length.nanoseconds * display / 1_000_000_000 {
            if edits.contains(tick) {
                offset = Int64.random(in: 0..<1_000_000_000, using: &random)
                base = (shown.last ?? 0) + 1
                first = Int(tick)
            }
            let time = Double(tick - Int64(first)) / Double(display) * rate.framesPerSecond
            shown.append(base + Int(time + Double(offset) / 1e9))
        }
        if let stumblesEvery {
            for tick in 1..<shown.count - 2 {
                let picture = shown[tick]
                guard picture > 60, picture % stumblesEvery == 0, shown[tick - 1] < picture, shown[tick + 2] == picture else { continue }
                shown[tick] = picture - 1
                shown[tick + 1] = picture - 1
            }
        }
        return shown
    }

    /// When its pictures come to be, where nothing is drawn for those that stand.
    func changes(seed: UInt64, ticks display: FrameRate? = nil) -> [Instant] {
        let shown = pictures(seed: seed)
        let ticks = RegularChanges(
            rate: display ?? FrameRate(self.display), from: .zero + .milliseconds(500), jitter: .milliseconds(1),
            generator: SeededGenerator(seed: seed))
        return zip(shown.indices, IteratorSequence(ticks)).filter { $0.0 == 0 || shown[$0.0] != shown[$0.0 - 1] }.map(\.1)
    }

    func loop(
        seed: UInt64 = 1, pace: FramePace = .following, jitter: Duration = .milliseconds(1)
    ) -> CaptureLoop {
        let shown = pictures(seed: seed)
        let changes = RegularChanges(
            rate: FrameRate(display), from: .zero + .milliseconds(500), jitter: jitter,
            generator: SeededGenerator(seed: seed))
        var loop = CaptureLoop(rate: pace == .watching ? .fps15 : .fps30, pace: pace, changes: changes)
        loop.isNew = { $0 == 0 || $0 >= shown.count || shown[$0] != shown[$0 - 1] }
        return loop
    }
}

@Suite("Following what plays")
struct FollowingTests {
    /// Frames behind the first second, by which everything is found.
    private func settled(_ loop: CaptureLoop) -> [CaptureLoop.Sent] { settled(loop.frames) }
    private func settled(_ frames: [CaptureLoop.Sent]) -> [CaptureLoop.Sent] { Array(frames.dropFirst(30)) }

    private func distances(_ frames: [CaptureLoop.Sent]) -> [Int64] {
        zip(frames.dropFirst(), frames).map { $0.mediaTime.ticks - $1.mediaTime.ticks }
    }

    @Test(
        "each picture of a film leaves once, with the film's own times, and no repeat does",
        arguments: [
            (24, 60, 3750), (25, 60, 3600), (30, 60, 3000), (24, 30, 3750), (25, 30, 3600), (24, 120, 3750),
            (25, 75, 3600), (24, 144, 3750), (30, 144, 3000), (30, 30, 3000),
        ] as [(Int64, Int64, Int64)])
    func film(rate: Int64, display: Int64, ticks: Int64) {
        for seed in 1...4 as ClosedRange<UInt64> {
            let film = Film(rate: FrameRate(rate), display: display)
            var loop = film.loop(seed: seed)
            loop.run(until: .zero + .milliseconds(400) + film.length)
            let shown = film.pictures(seed: seed)
            let frames = settled(loop)
            let pictures = frames.map { shown[min($0.picture, shown.count - 1)] }
            #expect(zip(pictures.dropFirst(), pictures).allSatisfy { $0 == $1 + 1 }, "every picture, once (seed \(seed))")
            #expect(Set(distances(frames)) == [ticks], "seed \(seed)")
            #expect(loop.adapter.cadence?.rate.frameRate == FrameRate(rate))
        }
    }

    @Test("a player that stumbles over a picture now and then costs a film neither that picture nor its times")
    func stumblingPlayer() {
        for seed in 1...4 as ClosedRange<UInt64> {
            let film = Film(rate: .fps24, display: 60, stumblesEvery: 13)
            var loop = film.loop(seed: seed)
            loop.run(until: .zero + .milliseconds(400) + film.length)
            let shown = film.pictures(seed: seed)
            let frames = loop.frames.dropFirst(60)
            let pictures = frames.map { shown[min($0.picture, shown.count - 1)] }
            #expect(zip(pictures.dropFirst(), pictures).allSatisfy { $0 == $1 + 1 }, "every picture, once (seed \(seed))")
            #expect(Set(distances(Array(frames))) == [3750], "seed \(seed)")
            #expect(frames.allSatisfy { $0.isLocked })
        }
    }

    @Test(
        "a keyframe that is wanted in the middle of a film goes with its next picture, and no repeat behind it ends the film",
        arguments: [(24, 3750), (25, 3600)] as [(Int64, Int64)])
    func keyframe(rate: Int64, ticks: Int64) {
        for offset in 0..<6 as Range<Int64> {
            let film = Film(rate: FrameRate(rate), display: 60)
            var loop = film.loop()
            loop.run(until: .zero + .milliseconds(15_000 + 14 * offset))
            let count = loop.sent.count
            loop.keyframeNeeded = { _ in true }
            while loop.sent.count == count { loop.run(until: loop.now + .milliseconds(1)) }
            loop.keyframeNeeded = { _ in false }
            loop.run(until: .zero + .seconds(25))
            let behind = loop.sent[count...]
            #expect(behind.allSatisfy { $0.kind == .new && $0.isLocked }, "\(offset)")
            #expect(zip(behind.dropFirst(), behind).allSatisfy { $0.mediaTime.ticks - $1.mediaTime.ticks == ticks })
        }
    }

    @Test("a keyframe comes all the same where the film has just stopped, and what stopped has no rate any more")
    func stopped() {
        var film = Film(rate: FrameRate(24), display: 60)
        film.length = .seconds(10)
        var loop = film.loop()
        loop.run(until: .zero + .milliseconds(10_460))
        #expect(loop.adapter.cadence != nil)
        let count = loop.sent.count
        loop.changesEnd()
        loop.keyframeNeeded = { _ in true }
        loop.run(until: .zero + .milliseconds(10_700))
        #expect(loop.sent.count > count)
        loop.keyframeNeeded = { _ in false }
        loop.run(until: .zero + .seconds(12))
        #expect(loop.adapter.cadence == nil && loop.adapter.frameRate == .fps30)
    }

    @Test(
        "a pointer that moves over a film takes no picture of it away, and none leaves later for it",
        arguments: [(24, 60, 3750), (25, 60, 3600), (30, 60, 3000), (24, 144, 3750)] as [(Int64, Int64, Int64)])
    func pointer(rate: Int64, display: Int64, ticks: Int64) {
        for seed in 1...4 as ClosedRange<UInt64> {
            let film = Film(rate: FrameRate(rate), display: display)
            var alone = film.loop(seed: seed)
            var loop = film.loop(seed: seed)
            loop.changesBeside = true
            alone.run(until: .zero + .milliseconds(400) + film.length)
            loop.run(until: .zero + .milliseconds(400) + film.length)
            let shown = film.pictures(seed: seed)
            // With a pointer in each look, changes are noticed later, and the rate is found later too.
            let frames = settled(settled(loop))
            let pictures = frames.map { shown[min($0.picture, shown.count - 1)] }
            #expect(zip(pictures.dropFirst(), pictures).allSatisfy { $0 == $1 + 1 }, "every picture, once (seed \(seed))")
            #expect(Set(distances(frames)) == [ticks], "seed \(seed)")
            let staleness = settled(alone.frames).map(\.staleness).max() ?? .zero
            #expect(frames.allSatisfy { $0.staleness <= staleness + .milliseconds(2) })
        }
    }

    @Test("while it is only watched, frames keep to their own grid, and what plays is known")
    func watching() {
        let film = Film(rate: FrameRate(24), display: 60)
        var loop = film.loop(pace: .watching)
        loop.run(until: .zero + .milliseconds(400) + film.length)
        #expect(loop.adapter.cadence?.rate.frameRate == FrameRate(24))
        #expect(Set(distances(settled(loop))) == [6000], "15 a second")
        loop.adapter.set(rate: .fps30, pace: .following)
        #expect(loop.adapter.cadence?.rate.frameRate == FrameRate(24), "what is known stays known")
    }

    @Test(
        "while it is only watched, what plays is known by when it was drawn, though a picture takes longer to encode than a tick",
        arguments: [FrameRate(60), FrameRate(5995, per: 100)])
    func watchingUnderLoad(display: FrameRate) {
        for seed in 1...6 as ClosedRange<UInt64> {
            let changes = Film(rate: .fps24, display: 60).changes(seed: seed, ticks: display)
            for tellsWhen in [true, false] {
                var loop = CaptureLoop(rate: .fps15, pace: .watching, changes: changes.makeIterator())
                loop.encodingTime = .milliseconds(22)
                loop.tellsWhen = tellsWhen
                loop.run(until: .zero + .milliseconds(2500))
                #expect((loop.adapter.cadence?.rate.nominal == 24) == tellsWhen, "seed \(seed)")
            }
        }
    }

    @Test(
        "a film that is painted anew with each tick keeps its rate, though each picture takes longer to encode than a tick",
        arguments: [FrameRate.fps24, FrameRate(25)], [28, 30])
    func repaintedUnderLoad(rate: FrameRate, encoding: Int) {
        for seed in 1...6 as ClosedRange<UInt64> {
            var loop = Film(rate: rate, display: 60, length: .seconds(20)).loop(seed: seed)
            loop.encodingTime = .milliseconds(encoding)
            loop.tellsWhen = true
            loop.run(until: .zero + .seconds(20))
            let frames = loop.frames.filter { $0.at > .zero + .seconds(3) }
            #expect(frames.count { $0.isLocked } >= frames.count * 19 / 20 && !frames.isEmpty, "seed \(seed)")
        }
    }

    @Test("of 50 and 60 a second every other picture leaves", arguments: [(50, 60, 3600), (60, 60, 3000), (60, 120, 3000)] as [(Int64, Int64, Int64)])
    func halved(rate: Int64, display: Int64, ticks: Int64) {
        let film = Film(rate: FrameRate(rate), display: display)
        var loop = film.loop()
        loop.run(until: .zero + .milliseconds(400) + film.length)
        let shown = film.pictures(seed: 1)
        let frames = settled(loop)
        let pictures = frames.map { shown[min($0.picture, shown.count - 1)] }
        let steps = zip(pictures.dropFirst(), pictures).map { $0 - $1 }
        #expect(steps.count { $0 != 2 } <= steps.count / 100)
        #expect(Set(distances(frames)) == [ticks])
    }

    @Test("five minutes of film with twenty edits: no picture is lost, and the times are right to half a millisecond")
    func edited() {
        var random = SeededGenerator(seed: 8)
        let edits = (0..<20).map { _ in Int64.random(in: 60..<18_000, using: &random) }
        let film = Film(rate: .fps24, display: 60, edits: edits, length: .seconds(300))
        var loop = film.loop(seed: 2)
        loop.run(until: .zero + .milliseconds(400) + film.length)
        let shown = film.pictures(seed: 2)
        let frames = settled(loop)
        let pairs = zip(frames.dropFirst(), frames)
        let lost = pairs.filter { $0.isLocked && $1.isLocked }.map { shown[$0.picture] - shown[$1.picture] - 1 }
        #expect(lost.allSatisfy { $0 == 0 })
        #expect(shown[frames.last?.picture ?? 0] - shown[frames.first?.picture ?? 0] - (frames.count - 1) <= 3)
        #expect(frames.count { !$0.isLocked } <= 20 * 10)
        let wrong = pairs.filter { $0.isLocked && $1.isLocked }.count { $0.mediaTime.ticks - $1.mediaTime.ticks != 3750 }
        #expect(wrong <= 20, "one at each edit, no more: \(wrong)")
    }

    @Test(
        "media times stay with the clock for an hour, whatever the film's rate",
        arguments: [
            FrameRate(24_000, per: 1001), FrameRate(25), FrameRate(2402, per: 100), FrameRate(2998, per: 100),
        ])
    func noDrift(rate: FrameRate) {
        let film = Film(rate: rate, display: 60, length: .seconds(3600))
        var loop = film.loop(jitter: .zero)
        loop.run(until: .zero + .milliseconds(400) + film.length)
        #expect(loop.frames.count > 80_000)
        for frame in loop.frames {
            let ahead = Duration.nanoseconds(frame.mediaTime.ticks * 1_000_000_000 / 90_000) - (frame.at - .zero)
            #expect(ahead < .milliseconds(45) && ahead > .milliseconds(-80), "\(ahead) at \(frame.at)")
            if ahead >= .milliseconds(45) || ahead <= .milliseconds(-80) { break }
        }
    }

    @Test("media times stay with the clock for an hour where a display's own rate is not quite 60 or 30", arguments: [FrameRate(6005, per: 100), FrameRate(5979, per: 100), FrameRate(3002, per: 100)])
    func noDriftOfDisplays(rate: FrameRate) {
        let changes = RegularChanges(
            rate: rate, from: .zero + .milliseconds(500), jitter: .zero, generator: SeededGenerator(seed: 1))
        var loop = CaptureLoop(rate: .fps30, pace: .following, changes: changes)
        loop.run(until: .zero + .seconds(3600))
        #expect(loop.frames.count > 100_000)
        #expect(loop.frames.suffix(100).allSatisfy { $0.isLocked })
        let ahead = loop.frames.map { Duration.nanoseconds($0.mediaTime.ticks * 1_000_000_000 / 90_000) - ($0.at - .zero) }
        #expect((ahead.max() ?? .zero) < .milliseconds(45) && (ahead.min() ?? .zero) > .milliseconds(-80))
    }

    @Test(
        "what plays near a known rate, and never at it, keeps media times with the clock: what follows a pause leaves at once",
        arguments: [(FrameRate(91, per: 4), 60), (FrameRate(57), 75)] as [(FrameRate, Int64)])
    func nearARate(rate: FrameRate, display: Int64) {
        for seed in 1...4 as ClosedRange<UInt64> {
            var changes = Film(rate: rate, display: display, length: .seconds(60)).changes(seed: seed)
            let end = changes.last ?? .zero
            changes.append(end + .milliseconds(400))
            var loop = CaptureLoop(rate: .fps30, pace: .following, changes: changes.makeIterator())
            loop.run(until: end + .seconds(8))
            #expect(loop.frames.count { $0.isLocked } > 100, "rates come")
            #expect(zip(loop.frames.dropFirst(), loop.frames).count { !$0.isLocked && $1.isLocked } > 50, "and go")
            let lateness = loop.frames.map { loop.lateness(of: $0).magnitude }
            #expect((lateness.max() ?? .zero) < FrameRate.fps30.period * 2, "seed \(seed)")
            #expect((loop.frames.last?.staleness ?? .seconds(8)) < FrameRate.fps30.period, "seed \(seed)")
            #expect(distances(loop.frames).allSatisfy { $0 >= 2900 }, "seed \(seed)")
        }
    }

    @Test("a key typed after a still moment leaves at once, and so does each one after it")
    func typing() {
        var random = SeededGenerator(seed: 5)
        var at = Instant.zero + .milliseconds(300)
        var changes: [Instant] = []
        for _ in 0..<200 {
            changes.append(at)
            at += .milliseconds(Int64.random(in: 110...900, using: &random))
        }
        var loop = CaptureLoop(rate: .fps30, pace: .following, changes: changes.makeIterator())
        loop.run(until: at)
        #expect(loop.frames.count == 200)
        #expect(loop.frames.allSatisfy { $0.staleness <= .milliseconds(5) })
    }

    @Test("where nothing has a rate of its own, frames are never closer than a period on average")
    func irregular() {
        for rate in [FrameRate(37), FrameRate(45), FrameRate(90)] {
            let changes = RegularChanges(
                rate: rate, from: .zero + .milliseconds(500), jitter: .milliseconds(6), generator: SeededGenerator(seed: 3))
            var loop = CaptureLoop(rate: .fps30, pace: .following, changes: changes)
            loop.run(until: .zero + .seconds(60))
            #expect(loop.frames.count <= 60 * 30 + 2, "\(rate.framesPerSecond)")
            #expect(loop.distances.allSatisfy { $0 >= 2900 })
        }
    }
}
