import Media
import NIOConcurrencyHelpers
import PeerCore
import RTP
import SystemClock
import Testing
import Timebase
import VideoCodec
@testable import ScreenShare

@Suite("How hard the encoder tries")
struct EncoderEffortTests {
    /// A share of thirty pictures a second on which each is looked at before its slot, and encoded in it.
    private struct Machine {
        private static let period = Duration.microseconds(33_333)
        var effort: EncoderEffort
        private var work = PictureWork()
        private var now = Instant.zero + .seconds(10)

        init(_ preset: X264Configuration.Preset) { effort = EncoderEffort(preset) }

        mutating func run(pictures: Int, looks: Duration, encoding: Duration) {
            for _ in 0..<pictures {
                work.looked(for: looks)
                let begun = now + looks
                let ended = begun + encoding
                let ahead = work.take(begun: begun, ended: ended, period: Self.period).ahead
                _ = effort.spent(ahead + encoding, of: Self.period, at: ended)
                now = max(ended, now + Self.period)
            }
        }
    }

    @Test("a picture that is late because it is looked at before its slot gets a smaller preset, as one read in it")
    func late() {
        var machine = Machine(.medium)
        machine.run(pictures: 60, looks: .zero, encoding: .milliseconds(24))
        #expect(machine.effort.preset == .medium)
        machine.run(pictures: 30, looks: .milliseconds(19), encoding: .milliseconds(24))
        #expect(machine.effort.preset < .medium)
    }

    @Test("there is no room for a larger preset where looks take it")
    func noRoom() {
        var machine = Machine(.superfast)
        machine.run(pictures: 8, looks: .milliseconds(19), encoding: .milliseconds(24))
        #expect(machine.effort.preset == .ultrafast)
        machine.run(pictures: 600, looks: .milliseconds(8), encoding: .milliseconds(12))
        #expect(machine.effort.preset == .ultrafast)
        machine.run(pictures: 600, looks: .zero, encoding: .milliseconds(12))
        #expect(machine.effort.preset == .superfast)
    }

    @Test("looks at what stands still for a second count by the period, not all with the picture behind them")
    func spread() {
        var work = PictureWork()
        let begin = Instant.zero + .seconds(10)
        _ = work.take(begun: begin, ended: begin, period: .milliseconds(40))
        for _ in 0..<60 { work.looked(for: .milliseconds(5)) }
        let next = begin + .seconds(1)
        let ahead = work.take(begun: next, ended: next, period: .milliseconds(40)).ahead
        #expect(ahead > .microseconds(11_999) && ahead < .microseconds(12_001))
        let again = work.take(begun: next, ended: next, period: .milliseconds(40)).ahead
        #expect(again == .zero)
    }

    @Test("what is read, compared and converted before its slot is work on a picture")
    func lookedAt() throws {
        let pipeline = try VideoPipeline.threadless()
        try pipeline.lookFirst(at: SystemClock.now() - .seconds(1), until: .distantFuture)
        let now = SystemClock.now()
        let ahead = pipeline.work.take(begun: now, ended: now, period: now - .zero).ahead
        #expect(pipeline.isLookedAt && ahead > .zero)
    }

    @Test("the share's preset goes by that work as well")
    func stepsDown() throws {
        let told = NIOLockedValueBox<[X264Configuration.Preset]>([])
        let pipeline = try VideoPipeline.threadless { event in
            if case .preset(let preset) = event { told.withLockedValue { $0.append(preset) } }
        }
        for _ in 0..<8 {
            pipeline.work.looked(for: .seconds(1))
            pipeline.keepUp(since: SystemClock.now())
        }
        #expect(told.withLockedValue { $0 } == [.minimal])
        #expect(pipeline.counters.now.preset == .minimal)
    }

    /// Its answers take a while.
    private struct SlowServer: FrameSource {
        let size = PixelSize(width: 320, height: 240)
        let waited = Duration.seconds(1000)

        mutating func waitForChange(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> SourceEvent { .changed }

        mutating func read() throws(CaptureError) -> ScreenFrame {
            let bytes = [UInt8](repeating: 100, count: size.area * 4)
            guard let pixels = PixelBuffer(format: .bgra, size: size, copying: bytes.span.bytes) else { throw .timedOut }
            return ScreenFrame(pixels: pixels, capturedAt: SystemClock.now(), damage: PixelRect(size))
        }
    }

    @Test("what a picture is waited for is no work on it, before its slot or in it", arguments: [false, true])
    func waited(isAhead: Bool) throws {
        let pipeline = try VideoPipeline.threadless()
        pipeline.source = SlowServer()
        if isAhead {
            try pipeline.lookFirst(at: SystemClock.now() - .seconds(1), until: .distantFuture)
        } else {
            let waiting = try pipeline.readNew()
            #expect(waiting == Duration.seconds(1000))
        }
        let now = SystemClock.now()
        let (ahead, waiting) = pipeline.work.take(begun: now, ended: now, period: now - .zero)
        #expect(waiting == Duration.seconds(1000))
        // Nobody waited here: what was said to have been is taken off.
        #expect(isAhead ? ahead < Duration.seconds(-900) : ahead == Duration.zero)
    }

    /// How often the preset of a share became another, which looks at each picture for so many hundredths of a period and
    /// waits for so many.
    private func presets(looks: Int, waiting: Int) throws -> Int {
        let told = NIOLockedValueBox(0)
        let pipeline = try VideoPipeline.threadless { event in
            if case .preset = event { told.withLockedValue { $0 += 1 } }
        }
        let period = pipeline.adapter.frameRate.period
        for _ in 0..<30 {
            pipeline.work.waited(for: period * waiting / 100)
            pipeline.work.looked(for: period * looks / 100)
            pipeline.keepUp(since: SystemClock.now())
        }
        return told.withLockedValue { $0 }
    }

    @Test("a slow X server is no slow processor, but leaves less of the period for encoding")
    func slowServer() throws {
        let alone = try presets(looks: 50, waiting: 0)
        let waiting = try presets(looks: 10, waiting: 90)
        let both = try presets(looks: 50, waiting: 45)
        #expect(alone == 0 && waiting == 0)
        #expect(both > 0)
    }

    @Test("behind a slow X server slower viewers get all pictures as long as there is time for them")
    func slowerBehindASlowServer() {
        var effort = SlowerEffort(.minimal)
        var now = Instant.zero + .seconds(10)
        func run(slower: Int) {
            for _ in 0..<60 {
                now += .milliseconds(max(67, 58 + slower))
                _ = effort.spent(
                    own: .milliseconds(8), slower: .milliseconds(slower), waiting: .milliseconds(50), of: .milliseconds(33),
                    at: now)
            }
        }
        run(slower: 8)
        #expect(effort.oneOf == 1)
        run(slower: 25)
        #expect(effort.oneOf > 1)
    }

    /// As where the others' picture takes no time and slower viewers' so long.
    private func encode(on pipeline: VideoPipeline, slower: Duration, pictures: Int) {
        for _ in 0..<pictures {
            let begun = SystemClock.now() - slower
            pipeline.ownEnd = begun
            pipeline.keepUp(since: begun)
        }
    }

    @Test("slower viewers' preset is told once where it is another than the share's, and not where that comes to be theirs")
    func slower() throws {
        let told = NIOLockedValueBox<[String]>([])
        let pipeline = try VideoPipeline.threadless { event in
            switch event {
            case .preset(let preset): told.withLockedValue { $0.append(preset.rawValue) }
            case .notice(let text): told.withLockedValue { $0.append(text) }
            default: break
            }
        }
        encode(on: pipeline, slower: .seconds(1), pictures: 3)
        let notice = "Slower viewers' pictures are encoded with preset minimal now."
        #expect(told.withLockedValue { $0 } == [notice])
        #expect(pipeline.counters.now.preset == nil, "the share's own stays")
        for _ in 0..<8 {
            pipeline.ownEnd = SystemClock.now()
            pipeline.keepUp(since: SystemClock.now() - .seconds(1))
        }
        #expect(told.withLockedValue { $0 } == [notice, "minimal"], "all have it now")
    }

    /// A film of thirty pictures a second: each is begun in its slot, or once the one before is done.
    private struct Film {
        private static let period = Duration.microseconds(33_333)
        var effort: SlowerEffort
        /// What became of slower viewers' pictures, in order.
        var changes: [String] = []
        private var slot = Instant.zero + .seconds(10)
        private var now = Instant.zero + .seconds(10)

        init(_ preset: X264Configuration.Preset) { effort = SlowerEffort(preset) }

        /// - Parameters:
        ///   - rungs: what a picture takes for each of the slower ones.
        ///   - slots: of which the film has one picture.
        /// - Returns: how many pictures each of those got, and how many slots the others' missed.
        mutating func run(
            pictures: Int, own: Duration, rungs: [Duration], slots: Int = 1
        ) -> (slower: [Int], missed: Int) {
            var (made, missed) = ([Int](repeating: 0, count: rungs.count), 0)
            for _ in 0..<pictures {
                var slower = Duration.zero
                for (index, time) in rungs.enumerated() where effort.hasTurn(index + 1, period: Self.period, at: now) {
                    slower += time
                    made[index] += 1
                }
                let ended = now + own + slower
                let before = state
                _ = effort.spent(own: own, slower: slower, of: Self.period, at: ended)
                if state != before { changes.append(state) }
                slot += Self.period * slots
                while ended > slot + Self.period * 3 / 4 {
                    slot += Self.period
                    missed += 1
                }
                now = max(slot, ended)
            }
            return (made, missed)
        }

        private var state: String { "\(effort.preset.rawValue), one of \(effort.oneOf)" }
    }

    @Test("where not even the least preset leaves time for all, slower viewers get every second picture, and the others all")
    func fewer() {
        var film = Film(.minimal)
        let rungs = [Duration.milliseconds(10), .milliseconds(6)]
        _ = film.run(pictures: 30, own: .milliseconds(22), rungs: rungs)
        let (slower, missed) = film.run(pictures: 300, own: .milliseconds(22), rungs: rungs)
        #expect(slower == [150, 150] && missed == 0)
        let after = film.run(pictures: 300, own: .milliseconds(8), rungs: rungs).slower
        #expect(after.allSatisfy { $0 > 200 }, "and all again where there is room: \(after)")
    }

    @Test("slower viewers' pictures become fewer behind the least preset, and are all there again before a larger one")
    func back() {
        var film = Film(.ultrafast)
        _ = film.run(pictures: 90, own: .milliseconds(22), rungs: [.milliseconds(10), .milliseconds(6)])
        _ = film.run(pictures: 600, own: .milliseconds(5), rungs: [.milliseconds(3), .milliseconds(2)])
        #expect(film.changes == ["minimal, one of 1", "minimal, one of 2", "minimal, one of 1", "ultrafast, one of 1"])
    }

    @Test("a change behind a rest is for slower viewers as well, however few of a film they got")
    func behindARest() {
        var film = Film(.minimal)
        _ = film.run(pictures: 90, own: .milliseconds(20), rungs: [.milliseconds(60)])
        #expect(film.effort.oneOf == 8)
        _ = film.run(pictures: 1, own: .milliseconds(20), rungs: [.milliseconds(60)], slots: 6)
        let changes = film.run(pictures: 30, own: .milliseconds(20), rungs: [.milliseconds(60)], slots: 6).slower
        #expect(changes == [30])
    }

    @Test("what slower viewers are not sent for want of time is told of, and follows when the others' picture rests")
    func leftOut() throws {
        let told = NIOLockedValueBox<[String]>([])
        let pipeline = try VideoPipeline.threadless { event in
            if case .notice(let text) = event { told.withLockedValue { $0.append(text) } }
        }
        let (size, slower) = (PixelSize(width: 64, height: 48), LaneKey(packetizationMode: .nonInterleaved, rung: 1))
        pipeline.commands.lanes = [.standard, slower]
        pipeline.commands.expected = pipeline.commands.lanes
        encode(on: pipeline, slower: .seconds(1), pictures: 9)
        #expect(told.withLockedValue { $0 }.last?.contains("one picture of 8") == true)
        var made: [LaneKey: Int] = [:]
        let begin = SystemClock.now() - .seconds(2)
        for picture in 0..<16 {
            let time = Duration.milliseconds(33 * picture)
            try pipeline.encode(grey: UInt8(100 + 8 * picture), size, time, at: begin + time)
            for (key, lane) in pipeline.lanes where !lane.isBehind { made[key, default: 0] += 1 }
            encode(on: pipeline, slower: .seconds(1), pictures: 1)
        }
        #expect(made[.standard] == 16 && made[slower] == 3, "a keyframe, and two of sixteen")
        #expect(pipeline.lanes[slower]?.isBehind == true && pipeline.adapter.owesSlower)
        try pipeline.catchUp(MediaTime(elapsed: .seconds(1)), at: begin + .seconds(1))
        #expect(pipeline.lanes[slower]?.isBehind == false)
    }
}
