import Media
import TestSupport
import Testing
import Timebase

@Suite("Frame-rate adapter")
struct FrameRateAdapterTests {
    private static let second = Duration.seconds(1)

    private func loop(
        _ rate: FrameRate, source: FrameRate, jitter: Duration = .zero, seed: UInt64 = 1,
        from first: Instant = .zero + .milliseconds(500)
    ) -> CaptureLoop {
        CaptureLoop(
            rate: rate,
            changes: RegularChanges(
                rate: source, from: first, jitter: jitter, generator: SeededGenerator(seed: seed)))
    }

    private func loop(changesAt milliseconds: [Int]) -> CaptureLoop {
        CaptureLoop(
            rate: .fps30, changes: milliseconds.map { Instant.zero + .milliseconds($0) }.makeIterator())
    }

    /// A single change takes the grid's phase, then the source begins with its own.
    private func loop(_ rate: FrameRate, startedBefore source: FrameRate, by lead: Duration) -> CaptureLoop {
        let first = Instant.zero + .milliseconds(500)
        let changes = RegularChanges(
            rate: source, from: first + lead, jitter: .microseconds(400), generator: SeededGenerator(seed: 5))
        let all = [first] + IteratorSequence(changes).lazy.prefix(4000)
        return CaptureLoop(rate: rate, changes: all.makeIterator())
    }

    // MARK: The grid

    @Test(
        "any faster source comes out at the exact rate, for four hours and without drift",
        arguments: [
            (FrameRate.fps30, FrameRate(60), 0), (.fps30, FrameRate(75), 0), (.fps30, FrameRate(144), 0),
            (.fps24, FrameRate(60), 0), (.fps24, FrameRate(144), 0), (.fps30, FrameRate(60_000, per: 1001), 300),
            (.fps30, FrameRate(60), 2000), (.fps30, FrameRate(75), 3000),
        ])
    func steadyRate(rate: FrameRate, source: FrameRate, jitterMicroseconds: Int) {
        var loop = loop(rate, source: source, jitter: .microseconds(jitterMicroseconds))
        let hours = Duration.seconds(4 * 3600)
        loop.run(until: .zero + hours)
        let frames = loop.frames
        let expected = Int(4 * 3600 * rate.framesPerSecond)
        #expect(abs(frames.count - expected) <= expected / 400)
        // Whole periods apart, on one grid.
        let ticks = MediaTime.ticksPerSecond / Int64(rate.framesPerSecond)
        let origin = frames[0].mediaTime.ticks
        #expect(frames.allSatisfy { ($0.mediaTime.ticks - origin) % ticks == 0 })
        #expect(loop.distances.allSatisfy { $0 >= ticks })
        // Media time and real time stay together.
        let worst = frames.map { abs(($0.at - .zero).inSeconds - Double($0.mediaTime.ticks) / 90_000) }.max() ?? 1
        #expect(worst < 1.3 * rate.period.inSeconds)
    }

    @Test("24 frames a second on a grid of 30 keep their own cadence, within half a period to either side")
    func film() {
        var loop = loop(.fps30, source: .fps24)
        loop.run(until: .zero + .seconds(600))
        let frames = loop.frames
        #expect(abs(frames.count - 24 * 599 - 12) < 30)
        let delays = frames.map { ($0.at - .zero).inMilliseconds - Double($0.mediaTime.ticks) / 90 }
        #expect((delays.max() ?? 99) - (delays.min() ?? 0) < 33.4)
        #expect(frames.allSatisfy { $0.staleness == .zero })
        #expect(loop.adapter.drops[.superseded] == nil)
    }

    @Test("24 on 24 has no judder")
    func filmOnItsOwnRate() {
        var loop = loop(.fps24, source: .fps24, jitter: .milliseconds(1), seed: 3)
        loop.run(until: .zero + .seconds(600))
        let distances = loop.distances.dropFirst()
        #expect(distances.allSatisfy { $0 == 3750 })
    }

    @Test("irregular frames of a custom source land on the grid, in order and never two in a slot")
    func irregularSource() {
        var generator = SeededGenerator(seed: 11)
        var at = Instant.zero + .milliseconds(100)
        let changes = (0..<5000).map { _ -> Instant in
            at += .microseconds(Int.random(in: 3000...70_000, using: &generator))
            return at
        }
        var loop = CaptureLoop(rate: .fps30, changes: changes.makeIterator())
        loop.run(until: at)
        #expect(loop.distances.allSatisfy { $0 >= 3000 })
        #expect((loop.frames.map(\.staleness).max() ?? Self.second) < .milliseconds(43))
    }

    // MARK: Latency

    @Test("a key typed after a still moment leaves at once, whenever it comes")
    func typing() {
        var generator = SeededGenerator(seed: 5)
        var at = Instant.zero + .milliseconds(300)
        let changes = (0..<500).map { _ -> Instant in
            at += .microseconds(Int.random(in: 110_000...180_000, using: &generator))
            return at
        }
        var loop = CaptureLoop(rate: .fps30, changes: changes.makeIterator())
        loop.run(until: at + Self.second)
        #expect(loop.frames.count == 500)
        #expect(loop.frames.allSatisfy { $0.staleness == .zero })
        #expect(loop.sent.filter { $0.kind == .again }.isEmpty)
    }

    @Test("a key typed while the picture before is being refined leaves at once too")
    func typingOverRefinement() {
        var loop = loop(changesAt: [500, 580, 1000, 1134])
        loop.quantisers = { 44 - 2 * Double($0) }
        loop.run(until: .zero + .milliseconds(1200))
        // At most the rest of a pass that is being encoded.
        #expect(loop.frames.count == 4)
        #expect(loop.frames.allSatisfy { $0.staleness <= loop.encodingTime })
        #expect(loop.sent.contains { $0.kind == .again })
        #expect(loop.distances.allSatisfy { $0 >= 750 })
        #expect(loop.frames.allSatisfy { abs(loop.lateness(of: $0).inMilliseconds) < 9 })
    }

    @Test("a page at fifteen frames a second is refined after a thirtieth, and not again before its slot")
    func earlyRefinement() throws {
        var loop = CaptureLoop(rate: .fps15, changes: [Instant.zero + .milliseconds(500)].makeIterator())
        loop.quantisers = { 44 - 6 * Double($0) }
        loop.run(until: .zero + .milliseconds(900))
        let again = loop.sent.filter { $0.kind == .again }.map { ($0.at - .zero).inMilliseconds }
        try #require(again.count >= 2)
        #expect(again[0] < 540)
        #expect(zip(again.dropFirst(2), again.dropFirst()).allSatisfy { $0 - $1 > 66 })
        #expect(loop.distances.allSatisfy { $0 >= 1500 })
        #expect(loop.sent.allSatisfy { abs(loop.lateness(of: $0).inMilliseconds) < 17 })
    }

    @Test("what plays is not interrupted to be refined", arguments: [FrameRate.fps24, .fps30])
    func noRefinementInMotion(source: FrameRate) {
        var loop = loop(.fps15, source: source)
        loop.quantisers = { _ in 40 }
        loop.run(until: .zero + .seconds(10))
        #expect(loop.sent.filter { $0.kind == .again }.count <= 1)
    }

    @Test("slots follow a 60 Hz source, so that pictures are fresh when they are read", arguments: 1...12)
    func freshness(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // A little off 60 Hz, so that the phase would wander through everything.
        let source = FrameRate(60_000 + Int64.random(in: -120...120, using: &generator), per: 1000)
        var loop = loop(.fps30, source: source, jitter: .microseconds(400), seed: seed)
        loop.run(until: .zero + .seconds(120))
        let staleness = loop.frames.dropFirst(30).map(\.staleness.inMilliseconds).sorted()
        #expect(staleness[staleness.count / 2] < 3.5)
        #expect(staleness[staleness.count * 95 / 100] < 9)
    }

    @Test("slots follow the first showing of a film of 30 that is drawn at 60 Hz, from any phase", arguments: 0..<8)
    func drawnTwice(eighth: Int) {
        var loop = loop(.fps30, startedBefore: FrameRate(60), by: .microseconds(17_000 + eighth * 4167))
        loop.isNew = { change in change % 2 == eighth % 2 }
        loop.tellsMore = false
        loop.run(until: .zero + .seconds(60))
        let staleness = loop.frames.dropFirst(60).map(\.staleness.inMilliseconds).sorted()
        #expect(staleness[staleness.count * 95 / 100] < 4)
    }

    @Test("what a slot waits for leaves with the change before it, the moment it comes", arguments: 0..<8)
    func changedAgain(eighth: Int) {
        var loop = loop(.fps30, startedBefore: FrameRate(60), by: .microseconds(17_000 + eighth * 4167))
        loop.isNew = { change in change % 2 == eighth % 2 }
        loop.run(until: .zero + .seconds(60))
        let staleness = loop.frames.dropFirst(60).map(\.staleness.inMilliseconds).sorted()
        #expect(staleness[staleness.count * 8 / 10] == 0)
        #expect(staleness[staleness.count * 95 / 100] < 4)
    }

    @Test("slots follow a 60 Hz source from any phase, also where a frame takes a third of a period", arguments: 0..<8)
    func slowEncoder(eighth: Int) {
        var loop = loop(.fps30, startedBefore: FrameRate(60), by: .microseconds(17_000 + eighth * 2083))
        loop.encodingTime = .milliseconds(11)
        loop.run(until: .zero + .seconds(60))
        let staleness = loop.frames.dropFirst(60).map(\.staleness.inMilliseconds).sorted()
        #expect(staleness[staleness.count * 95 / 100] < 4)
    }

    @Test("slots follow a source of their own rate that drifts")
    func ownRate() {
        var loop = loop(.fps30, source: FrameRate(29_970, per: 1000), jitter: .microseconds(500), seed: 9)
        loop.run(until: .zero + .seconds(300))
        let staleness = loop.frames.map(\.staleness.inMilliseconds).sorted()
        #expect(staleness[staleness.count * 99 / 100] < 4)
        #expect(abs(loop.frames.count - Int(299.5 * 29.97)) < 5)
    }

    @Test("real frames are never far closer than a period on average, whatever the source does")
    func noBursts() {
        for source in [FrameRate(31), FrameRate(35), FrameRate(40), FrameRate(59), FrameRate(90), FrameRate(240)] {
            var loop = loop(.fps30, source: source, jitter: .milliseconds(2), seed: 21)
            loop.run(until: .zero + .seconds(60))
            let times = loop.frames.map(\.at)
            #expect(times.count > 60 * 25, "\(source)")
            for (first, tenth) in zip(times, times.dropFirst(10)) {
                #expect(tenth - first > .milliseconds(300), "\(source)")
            }
        }
    }

    // MARK: Stillness

    @Test("a still screen gets one keepalive a second and nothing else")
    func keepalives() {
        var loop = loop(changesAt: [100])
        loop.run(until: .zero + .milliseconds(10_150))
        #expect(loop.sent.map(\.kind) == [.new] + Array(repeating: .keepalive, count: 10))
        #expect(loop.distances.allSatisfy { $0 == 90_000 })
    }

    @Test("a change right behind a keepalive leaves at once, and what follows it at its own time")
    func changeAfterKeepalive() {
        var loop = loop(changesAt: [100, 1105, 1139])
        loop.run(until: .zero + .milliseconds(1200))
        #expect(loop.sent.map(\.kind) == [.new, .keepalive, .new, .new])
        #expect(loop.sent.map(\.staleness.inMilliseconds).suffix(2).allSatisfy { $0 < 5 })
        #expect(loop.distances.allSatisfy { $0 >= 750 })
        #expect(loop.frames.suffix(2).map { loop.lateness(of: $0).inMilliseconds.rounded() } == [-3, 1])
    }

    @Test("a blurred picture is refined slot by slot until it is sharp, then rests")
    func refinement() {
        var loop = loop(changesAt: [100])
        loop.quantisers = { [44, 36, 30, 20][$0] }
        loop.run(until: .zero + .milliseconds(900))
        #expect(loop.sent.map(\.kind) == [.new, .again, .again, .again])
        #expect(loop.distances == [3000, 3000, 3000])
        #expect(loop.adapter.refinementPasses == 3)
    }

    @Test("within a run of changes nothing is refined; three periods after it, it is")
    func refinementAfterRun() {
        var loop = loop(changesAt: Array(stride(from: 100, through: 500, by: 25)))
        loop.quantisers = { $0 == 0 ? 30 : 20 }
        loop.run(until: .zero + .milliseconds(900))
        let kinds = loop.sent.map(\.kind)
        #expect(kinds.last == .again)
        #expect(kinds.dropLast().allSatisfy { $0 == .new } && kinds.count >= 13)
        #expect((loop.sent.last?.at ?? .zero) >= .zero + .milliseconds(599))
    }

    @Test("a picture that the encoder had no bits for is tried again until it is sent")
    func nothingEncoded() {
        var loop = loop(changesAt: [100])
        var tries = 0
        loop.quantisers = { _ in
            tries += 1
            return tries < 30 ? RefinementPolicy.nothingEncoded : 20
        }
        loop.run(until: .zero + .seconds(2))
        #expect(loop.sent.filter { $0.kind != .keepalive }.count == 30)
    }

    @Test("so is the last one of a run, in the very next slot")
    func nothingEncodedInRun() {
        var loop = loop(changesAt: Array(stride(from: 100, through: 500, by: 25)))
        var tries = 0
        loop.quantisers = { _ in
            tries += 1
            return 10...14 ~= tries ? RefinementPolicy.nothingEncoded : 20
        }
        loop.run(until: .zero + .milliseconds(1400))
        let made = loop.sent.filter { $0.kind != .keepalive }
        #expect(made.allSatisfy { $0.kind == .new } && made.count >= 14)
        #expect(loop.distances.prefix(made.count - 1).allSatisfy { $0 == 3000 })
    }

    @Test("while passes wait for bits, signs of life come once a second")
    func signsOfLife() {
        var loop = loop(changesAt: [100])
        loop.quantisers = { $0 == 0 ? 40 : RefinementPolicy.nothingEncoded }
        loop.run(until: .zero + .milliseconds(6050))
        #expect(loop.sent.filter { $0.kind == .keepalive }.count == 5)
        #expect(loop.sent.filter { $0.kind == .again }.count > 100)
    }

    // MARK: Keyframes, drops, pauses

    @Test("a viewer that joins a still screen gets the same picture again, at once")
    func joinOnStillScreen() {
        var loop = loop(changesAt: [100])
        let joined = Instant.zero + .milliseconds(5003)
        loop.run(until: joined)
        let before = loop.sent.count
        loop.keyframeNeeded = { _ in true }
        loop.run(until: joined + .milliseconds(1))
        #expect(loop.sent.count == before + 1)
        #expect(loop.sent.last?.kind == .again)
        #expect(loop.sent.last?.at == joined)
    }

    @Test("who joins while something moves leaves its media times where they were", arguments: 0..<8)
    func joinKeepsClock(eighth: Int) {
        let rate = FrameRate(15)
        let joined = Instant.zero + .seconds(2) + rate.period * eighth / 8
        let again = joined + .milliseconds(500)
        var loop = CaptureLoop(
            rate: rate, pace: .watching,
            changes: RegularChanges(rate: FrameRate(20), from: .zero + .seconds(1), generator: SeededGenerator(seed: 1)))
        for viewer in [joined, again] {
            loop.run(until: viewer)
            loop.keyframeNeeded = { _ in true }
            let before = loop.sent.count
            while loop.sent.count == before { loop.run(until: loop.now + .milliseconds(1)) }
            loop.keyframeNeeded = { _ in false }
        }
        loop.run(until: again + .seconds(1))
        let late = loop.frames.map { loop.lateness(of: $0).inMilliseconds }
        #expect(late.count > 30 && late.allSatisfy { abs($0) < 17 }, "\(late)")
        #expect(late.suffix(10).allSatisfy { abs($0) < 5 }, "\(late)")
    }

    @Test("keyframes without end leave no faster than frames may", arguments: [FramePace.fixed, .watching, .following], 0..<4)
    func keyframesBudget(pace: FramePace, quarter: Int) {
        for source in [FrameRate(20), .fps30, FrameRate(50)] {
            let changes = RegularChanges(
                rate: source, from: .zero + source.period * quarter / 4, jitter: .milliseconds(3),
                generator: SeededGenerator(seed: 4))
            var loop = CaptureLoop(rate: .fps30, pace: pace, changes: changes)
            loop.keyframeNeeded = { _ in true }
            loop.run(until: .zero + .seconds(20))
            #expect((20 * 20...20 * 30 + 2).contains(loop.sent.count), "\(source.framesPerSecond)")
        }
    }

    @Test("before the first picture a keyframe is a new picture; without either there is nothing to do")
    func firstPicture() {
        var adapter = FrameRateAdapter(rate: .fps30, start: .zero)
        #expect(adapter.decide(at: .zero, outboxFull: false, keyframeNeeded: false) == .wait(until: .distantFuture))
        #expect(adapter.decide(at: .zero, outboxFull: false, keyframeNeeded: true) == .encode(MediaTime(ticks: 0)))
    }

    @Test("a full outbox drops the picture, counts it, and the newest one leaves when there is room")
    func fullOutbox() {
        var loop = loop(.fps30, source: FrameRate(60))
        let blocked = Instant.zero + .seconds(1)..<Instant.zero + .seconds(2)
        loop.outboxFull = { blocked.contains($0) }
        loop.run(until: .zero + .seconds(3))
        #expect(loop.sent.filter { blocked.contains($0.at) }.isEmpty)
        #expect((loop.adapter.drops[.outboxFull] ?? 0) >= 28)
        let first = loop.frames.first { $0.at >= blocked.upperBound }
        #expect((first?.at ?? .distantFuture) < blocked.upperBound + .milliseconds(18))
        #expect((first?.staleness ?? Self.second) < .milliseconds(17))
    }

    @Test("who comes while something moves gets it in its own slots from the first picture on")
    func joinsMotion() {
        var adapter = FrameRateAdapter(rate: .fps30, start: .zero)
        // Taken 20 ms before the viewer came; the one before is of no matter.
        for taken in [950, 983] { adapter.changedUnwatched(at: .zero + .milliseconds(taken)) }
        let first = adapter.decide(at: .zero + .milliseconds(1003), outboxFull: false, keyframeNeeded: true)
        #expect(first == .encode(MediaTime(elapsed: .milliseconds(983))))
        adapter.encoded(quantiser: 20, isNewPicture: true)
        let next = Instant.zero + .milliseconds(1017)
        adapter.changed(at: next)
        let second = adapter.decide(at: next, outboxFull: false, keyframeNeeded: false)
        #expect(second == .encode(MediaTime(ticks: MediaTime(elapsed: .milliseconds(983)).ticks + 3000)))
    }

    @Test("what has stood for long is as new as who comes to see it")
    func joinsRest() {
        var adapter = FrameRateAdapter(rate: .fps30, start: .zero)
        adapter.changedUnwatched(at: .zero)
        #expect(
            adapter.decide(at: .zero + .seconds(9), outboxFull: false, keyframeNeeded: true)
                == .encode(MediaTime(ticks: 810_000)))
    }

    @Test("pictures replaced by newer ones are counted")
    func superseded() {
        var adapter = FrameRateAdapter(rate: .fps30, start: .zero)
        for _ in 0..<4 { adapter.changed(at: .zero) }
        #expect(adapter.drops == [.superseded: 3])
    }

    @Test("after a reset what was there is not sent, and the next change starts anew")
    func reset() {
        var adapter = FrameRateAdapter(rate: .fps30, start: .zero)
        adapter.changed(at: .zero)
        _ = adapter.decide(at: .zero, outboxFull: false, keyframeNeeded: false)
        adapter.changed(at: .zero + .milliseconds(10))
        let later = Instant.zero + .seconds(3)
        adapter.reset()
        #expect(adapter.decide(at: later, outboxFull: false, keyframeNeeded: false) == .wait(until: .distantFuture))
        adapter.changed(at: later)
        #expect(
            adapter.decide(at: later, outboxFull: false, keyframeNeeded: false) == .encode(MediaTime(ticks: 270_000)))
    }
}
