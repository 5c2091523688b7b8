import Media
import NIOConcurrencyHelpers
import PeerCore
import RTP
import SystemClock
import Testing
import Timebase
import VideoCodec
@testable import ScreenShare

@Suite("The thread that looks, converts and encodes", .serialized, .timeLimit(.minutes(1)))
struct VideoPipelineTests {
    /// Something bright that changes all the time, and what was on its way when that ended.
    private func play(_ pipeline: ScriptedPipeline, changes: Int = 40) async throws {
        for change in 0..<changes {
            pipeline.show { $0.grey = change % 2 == 0 ? 220 : 250 }
            try await Task.sleep(for: .milliseconds(9))
        }
    }

    /// The lumas of what left after `body`, which begins to show something dark.
    private func lumas(of pipeline: ScriptedPipeline, after body: () async -> Void) async throws -> ArraySlice<UInt8> {
        #expect(await pipeline.countAll())
        let before = pipeline.now.lumas.count
        pipeline.show { $0.grey = 20 }
        await body()
        _ = await pipeline.wait { $0.lumas.count > before }
        return pipeline.now.lumas[before...]
    }

    @Test("after a pause nothing of before is sent, though a picture was on its way", arguments: 1...4)
    func pause(round: Int) async throws {
        let pipeline = ScriptedPipeline(isSampled: true)
        try await play(pipeline, changes: 30 + round)
        await pipeline.controls.changeAndWait { $0.isPaused = true }
        let after = try await lumas(of: pipeline) { await pipeline.controls.changeAndWait { $0.isPaused = false } }
        #expect(!after.isEmpty && after.allSatisfy { $0 < 60 }, "bright ones are of before the pause: \(after)")
        pipeline.stop()
    }

    @Test("sizes are told when they change, not again behind a pause, nor of a source of the same size")
    func sizesToldOnce() throws {
        let told = NIOLockedValueBox<[PixelSize]>([])
        let pipeline = try VideoPipeline.threadless { event in
            if case .geometry(let source, _) = event { told.withLockedValue { $0.append(source) } }
        }
        let sizes = [PixelSize(width: 320, height: 240), PixelSize(width: 160, height: 120)]
        var now = Instant(nanoseconds: 1_000_000_000)
        for size in [sizes[0], sizes[0], sizes[1], sizes[1], sizes[0]] {
            pipeline.forget(at: now)
            try pipeline.encode(grey: 100, size, now - Instant.zero, at: now)
            now += .seconds(1)
        }
        #expect(told.withLockedValue { $0 } == [sizes[0], sizes[1], sizes[0]])
    }

    @Test("who reads pictures beside another gets the present one too, and each change is given once")
    func secondReader() async throws {
        let pipeline = ScriptedPipeline(isSampled: true)
        #expect(await pipeline.wait { !$0.lumas.isEmpty })
        #expect(await pipeline.countAll())
        let before = pipeline.now.lumas.count
        await pipeline.controls.changeAndWait { $0.samplers = 2 }
        #expect(await pipeline.wait { $0.lumas.count == before + 1 })
        pipeline.stop()
    }

    @Test("a size that comes between a look and its slot is taken, though nothing changes any more", arguments: 1...4)
    func sizeBehindLook(round: Int) async throws {
        let pipeline = ScriptedPipeline(lanes: [.standard])
        try await play(pipeline, changes: 30 + round)
        pipeline.controls.change { $0.size = .exactly(width: 160, height: 90) }
        #expect(await pipeline.wait { $0.pictureSizes.last == PixelSize(width: 160, height: 90) })
        pipeline.stop()
    }

    @Test("while nobody watches nothing counts as dropped")
    func unwatched() async {
        let pipeline = ScriptedPipeline()
        for _ in 0..<4 {
            let looks = pipeline.looks
            pipeline.show { $0.grey = $0.grey == 20 ? 220 : 20 }
            #expect(await pipeline.wait { _ in pipeline.looks > looks })
        }
        // What was counted is told with the first picture.
        pipeline.controls.change {
            $0.lanes = [.standard]
            $0.expected = [.standard]
        }
        #expect(await pipeline.wait { _ in pipeline.counters.now.pictures > 0 })
        #expect(pipeline.counters.now.drops == 0)
        pipeline.stop()
    }

    @Test("sizes that no encoder takes become the nearest that one does", arguments: [
        (.exactly(width: 8192, height: 4608), PixelSize(width: 1280, height: 720)),
        (.exactly(width: 8192, height: 8192), PixelSize(width: 1280, height: 720)),
        (.maximumPixels(40_000_000), PixelSize(width: 17_000, height: 2000)),
        (.native, PixelSize(width: 8200, height: 4344)), (.native, PixelSize(width: 30_000, height: 16)),
        (.fit(width: 8192, height: 8192), PixelSize(width: 16_000, height: 16_000)),
    ] as [(OutputSize, PixelSize)])
    func largest(size: OutputSize, source: PixelSize) {
        let picture = size.geometry(of: source, in: .auto).picture
        let level = H264Level.minimum(size: picture, frameRate: .fps30, bitsPerSecond: 4_000_000, references: 1)
        #expect(level != nil, "\(picture)")
        #expect(picture.width >= 2 && picture.height >= 2)
    }

    @Test("who watches first, after nobody did, is sent nothing of before", arguments: 1...4)
    func firstViewer(round: Int) async throws {
        let pipeline = ScriptedPipeline(isSampled: true)
        try await play(pipeline, changes: 30 + round)
        await pipeline.controls.changeAndWait { $0.samplers = 0 }
        let after = try await lumas(of: pipeline) { await pipeline.controls.changeAndWait { $0.samplers = 1 } }
        #expect(!after.isEmpty && after.allSatisfy { $0 < 60 }, "bright ones are of before: \(after)")
        pipeline.stop()
    }

    @Test(
        "a source that hides behind a change is not asked all the time, and whoever joins sees its last picture",
        arguments: [ContentMode.auto, .detail])
    func hidden(mode: ContentMode) async {
        let pipeline = ScriptedPipeline(lanes: [.standard], mode: mode)
        #expect(await pipeline.wait { !$0.units.isEmpty })
        pipeline.show { $0.isHidden = true }
        #expect(await pipeline.wait(for: \.isHidden))
        let (reads, units) = (pipeline.reads, pipeline.now.units.count)
        pipeline.controls.change { $0.keyframes[.standard] = .asked(.distantFuture) }
        #expect(await pipeline.wait { $0.units[units...].contains(where: \.isKeyframe) }, "who joins gets a keyframe")
        #expect(await pipeline.wait { $0.units.count >= units + 3 }, "and signs of life follow")
        #expect(pipeline.reads - reads <= 3, "what is hidden is left alone")
        #expect(pipeline.now.presets == 0, "waiting is no work")
        pipeline.show { $0.isHidden = false }
        #expect(await pipeline.wait { !$0.isHidden }, "and it goes on where it is there again")
        pipeline.stop()
    }

    @Test("who joins a hidden source with an encoder of its own sees its last picture too, also behind another rate")
    func hiddenFromNewLane() async {
        let pipeline = ScriptedPipeline(lanes: [.standard])
        #expect(await pipeline.wait { !$0.units.isEmpty })
        pipeline.show { $0.isHidden = true }
        #expect(await pipeline.wait(for: \.isHidden))
        for change in 0..<2 {
            let keyframes = pipeline.now.units.count(where: \.isKeyframe)
            pipeline.controls.change { commands in
                if change == 0 {
                    commands.lanes.insert(LaneKey(packetizationMode: .singleNALUnit))
                    commands.expected.formUnion(commands.lanes)
                } else {
                    commands.fixedRate = .fps24
                }
            }
            #expect(await pipeline.wait { $0.units.count(where: \.isKeyframe) > keyframes + change })
        }
        pipeline.stop()
    }

    @Test("what hides while nobody watches is told of, and so is that it is there again")
    func hiddenUnwatched() async throws {
        let pipeline = ScriptedPipeline(isSampled: true)
        #expect(await pipeline.wait { !$0.lumas.isEmpty })
        await pipeline.controls.changeAndWait { $0.samplers = 0 }
        pipeline.settle { $0.isHidden = true }
        #expect(await pipeline.wait(for: \.isHidden))
        pipeline.show { $0.isHidden = false }
        #expect(await pipeline.wait { !$0.isHidden })
        pipeline.stop()
    }

    @Test("a source that has no picture yet is not called hidden because the one before was")
    func hiddenBefore() async throws {
        let pipeline = ScriptedPipeline(lanes: [.standard])
        #expect(await pipeline.wait { !$0.units.isEmpty })
        pipeline.show { $0.isHidden = true }
        #expect(await pipeline.wait(for: \.isHidden))
        let next = CustomVideoSource()
        try await pipeline.controls.show { wakeup throws(CaptureError) in CustomFrameSource(next, wakeup: wakeup) }
        #expect(await pipeline.wait { !$0.isHidden })
        pipeline.stop()
    }

    @Test("of a source that has ended nothing is sent any more, to who joins either, until there is another")
    func ended() async throws {
        let pipeline = ScriptedPipeline(lanes: [.standard])
        #expect(await pipeline.wait { !$0.units.isEmpty })
        pipeline.show { $0.hasEnded = true }
        #expect(await pipeline.wait(for: \.hasEnded))
        #expect(pipeline.counters.now.lanes == 0, "no encoder runs")
        let units = pipeline.now.units.count
        await pipeline.controls.changeAndWait { commands in
            commands.lanes.insert(LaneKey(packetizationMode: .singleNALUnit))
            commands.expected.formUnion(commands.lanes)
            commands.keyframes[.standard] = .asked(.distantFuture)
        }
        let looks = pipeline.looks
        #expect(await pipeline.wait { _ in pipeline.looks > looks + 1 })
        let next = CustomVideoSource()
        let pixels = [UInt8](repeating: 200, count: 64 * 48 * 4)
        try next.push(pixels.span.bytes, format: .bgra, width: 64, height: 48, timestamp: .zero)
        try await pipeline.controls.show { wakeup throws(CaptureError) in CustomFrameSource(next, wakeup: wakeup) }
        #expect(await pipeline.wait { Set($0.keys.dropFirst(units)).count == 2 && !$0.hasEnded })
        #expect(pipeline.now.sizes.last == PixelSize(width: 64, height: 48))
        #expect(pipeline.now.unitsBeforeSizes.last == units)
        #expect(pipeline.counters.now.lanes == 2)
        pipeline.stop()
        await pipeline.controls.thread.ended()
        #expect(pipeline.counters.now.lanes == 0)
    }

    @Test("a pause that ends while the source is hidden sends nothing before it is there again")
    func hiddenAfterPause() async {
        let pipeline = ScriptedPipeline(lanes: [.standard])
        #expect(await pipeline.wait { !$0.units.isEmpty })
        await pipeline.controls.changeAndWait { $0.isPaused = true }
        pipeline.show { $0.isHidden = true }
        await pipeline.controls.changeAndWait { $0.isPaused = false }
        #expect(await pipeline.wait(for: \.isHidden))
        let (reads, looks, units) = (pipeline.reads, pipeline.looks, pipeline.now.units.count)
        pipeline.controls.change { $0.keyframes[.standard] = .asked(.distantFuture) }
        // Who asks ends one look; the next ones take their time.
        #expect(await pipeline.wait { _ in pipeline.looks > looks + 1 })
        #expect(pipeline.now.units.count == units && pipeline.reads - reads <= 3)
        pipeline.show { $0.isHidden = false }
        #expect(await pipeline.wait { $0.units[units...].contains(where: \.isKeyframe) })
        pipeline.stop()
    }

    @Test("a change that could not be read at once is not forgotten while the picture before it stands")
    func lateRead() async throws {
        let pipeline = ScriptedPipeline(isSampled: true, lanes: [.standard])
        try await play(pipeline, changes: 30)
        pipeline.show {
            $0.grey = 20
            $0.isBusy = true
        }
        // Behind what was on its way, the run ends with a sign of life.
        let units = pipeline.now.units.count
        #expect(await pipeline.wait { $0.units[units...].contains { !$0.isReference } })
        let sign = try #require(pipeline.now.units[units...].first { !$0.isReference }).capturedAt
        #expect(await pipeline.wait { _ in pipeline.readTimes.contains { $0 > sign } })
        let next = try #require(pipeline.readTimes.first { $0 > sign })
        let unit = pipeline.now.units.first { $0.capturedAt > sign }
        #expect(unit.map { next < $0.capturedAt } ?? true, "it is tried again at once, not with the next sign of life")
        pipeline.settle { $0.isBusy = false }
        #expect(await pipeline.wait { $0.lumas.last.map { $0 < 60 } == true })
        pipeline.stop()
    }

    @Test(
        "while a change can't be read there are signs of life, and whoever joins sees the picture before it",
        arguments: [ContentMode.auto, .detail])
    func unreadable(mode: ContentMode) async {
        let pipeline = ScriptedPipeline(isSampled: true, lanes: [.standard], mode: mode)
        // With the sign of life behind the first picture its run ends.
        #expect(await pipeline.wait { $0.units.count >= 2 && !$0.lumas.isEmpty })
        let reads = pipeline.reads
        pipeline.show { $0.isBusy = true }
        #expect(await pipeline.wait { _ in pipeline.reads > reads })
        let units = pipeline.now.units.count
        pipeline.controls.change { $0.keyframes[.standard] = .asked(.distantFuture) }
        #expect(await pipeline.wait { $0.units[units...].contains(where: \.isKeyframe) }, "who joins gets a keyframe")
        #expect(await pipeline.wait { $0.units.count >= units + 3 }, "and signs of life follow")
        let own = LaneKey(packetizationMode: .singleNALUnit)
        pipeline.controls.change { commands in
            commands.lanes.insert(own)
            commands.expected.insert(own)
        }
        #expect(await pipeline.wait { $0.keys.contains(own) }, "so does who comes with an encoder of its own")
        pipeline.settle {
            $0.grey = 200
            $0.isBusy = false
        }
        #expect(await pipeline.wait { $0.lumas.last.map { $0 > 150 } == true }, "and the change is not forgotten")
        pipeline.stop()
    }

    @Test("what a full path kept from being sharpened is sharpened when there is room, beside slower viewers as well")
    func heldBack() async {
        let slower = LaneKey(packetizationMode: .nonInterleaved, rung: 1)
        let pipeline = ScriptedPipeline(lanes: [.standard, slower])
        // Hardly ever its turn.
        pipeline.controls.change { $0.rungRates = [1: 30_000] }
        pipeline.show { $0.size = PixelSize(width: 640, height: 480) }
        #expect(await pipeline.wait { Set($0.keys).count == 2 })
        pipeline.show { $0.isNoise = true }
        func passes(_ now: ScriptedPipeline.Results) -> Int {
            zip(now.units, now.keys).count { $0.isRefinement && $1 == .standard }
        }
        #expect(await pipeline.wait { passes($0) > 0 })
        pipeline.hold([0])
        // What was being made is done then.
        await pipeline.controls.changeAndWait { _ in }
        let (held, refusals) = (passes(pipeline.now), pipeline.refusals)
        #expect(await pipeline.wait { _ in pipeline.refusals >= refusals + 20 })
        #expect(passes(pipeline.now) == held)
        pipeline.hold([])
        #expect(await pipeline.wait { passes($0) > held })
        pipeline.stop()
    }

    @Test(
        "a picture that goes on being painted after motion ends in signs of life, at a rate that was asked for too",
        arguments: [nil, .fps30] as [FrameRate?])
    func repainted(rate: FrameRate?) async throws {
        let pipeline = ScriptedPipeline(lanes: [.standard], mode: .detail)
        pipeline.controls.change { $0.fixedRate = rate }
        try await play(pipeline)
        func paint(for duration: Duration) async throws -> Int {
            let (before, end) = (pipeline.now.units.count, ContinuousClock.now + duration)
            while ContinuousClock.now < end {
                pipeline.show { $0.grey = 100 }
                try await Task.sleep(for: .milliseconds(9))
            }
            return pipeline.now.units.count - before
        }
        _ = try await paint(for: .seconds(1.5))
        let units = try await paint(for: .seconds(3))
        #expect(2...6 ~= units, "\(units) in three seconds")
        pipeline.stop()
    }

    @Test(
        "each keyframe tells how far apart those of its own lane are",
        arguments: [(2_000_000, 1.0...1.0), (20_000, 1.5...4)] as [(Int, ClosedRange<Double>)])
    func keyframeIntervals(bitsPerSecond: Int, seconds: ClosedRange<Double>) throws {
        // Black as it is, each of its 1200 macroblocks takes six bits.
        let size = PixelSize(width: 640, height: 480)
        let target = SendTarget(bitsPerSecond: bitsPerSecond, frameRate: .fps30)
        let lane = try EncoderLane(
            .standard, .constrainedBaseline, .ultrafast, size: size, frameRate: .fps30,
            maximumBitsPerSecond: bitsPerSecond)
        let unit = try lane.encode(
            I420Picture(size: size), damage: PixelRect(size), mediaTime: MediaTime(ticks: 0), capturedAt: .zero,
            target: target, at: .zero)
        #expect(unit?.isKeyframe == true)
        #expect(unit.map { seconds.contains($0.keyframeInterval.inSeconds) } == true)
    }

    @Test("a stream's level has room for the bits that it may come to have, however few it begins with, and for more later")
    func level() throws {
        let units = NIOLockedValueBox<[PacketizedUnit]>([])
        let pipeline = try VideoPipeline.threadless(deliver: { unit, _ in units.withLockedValue { $0.append(unit) } })
        pipeline.commands.lanes = [.standard]
        pipeline.commands.rungRates = [0: 300_000]
        let (size, begin) = (PixelSize(width: 320, height: 240), SystemClock.now())
        func level() throws -> UInt8 {
            let bytes = try #require(units.withLockedValue { $0.last }).bytes
            return bytes[try #require(bytes.firstIndex(of: 0x67)) + 3]
        }
        try pipeline.encode(grey: 60, size, .zero, at: begin)
        // 2 Mbit/s: level 1.3, which such pictures need, ends at 768 kbit/s.
        #expect(try level() == 20)
        pipeline.commands.bitsPerSecond = 3_000_000
        try pipeline.encode(grey: 120, size, .seconds(2), at: begin + .seconds(2))
        #expect(try level() == 21)
        pipeline.commands.bitsPerSecond = 4_000_000
        try pipeline.encode(grey: 180, size, .seconds(4), at: begin + .seconds(4))
        #expect(units.withLockedValue { $0.map(\.isKeyframe) } == [true, true, false], "there is room already")
    }

    @Test("a window whose edge is dragged costs a keyframe a second, and ends at the size it has then")
    func dragged() async throws {
        let pipeline = ScriptedPipeline(lanes: [.standard])
        #expect(await pipeline.wait { !$0.units.isEmpty })
        let begin = ContinuousClock.now
        for step in 1...60 {
            pipeline.show { $0.size = PixelSize(width: 320 + 2 * step, height: 240) }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(await pipeline.wait { $0.sizes.last == PixelSize(width: 440, height: 240) })
        let count = pipeline.now.sizes.count
        // On a busy machine the hand that drags may rest.
        let most = 2 + Int((ContinuousClock.now - begin) / .milliseconds(250))
        #expect(count <= most, "the first, the last, and what stood between them: \(count)")
        pipeline.stop()
    }

    @Test("who pauses and resumes at once from two tasks ends as the later of them said")
    func order() async throws {
        let room = try await ShareRoom()
        for _ in 0..<50 {
            async let paused: Void = room.session.pause()
            async let resumed: Void = room.session.resume()
            _ = await (paused, resumed)
            let state = await room.session.state
            let isPaused = await room.session.controls?.present.isPaused
            #expect(isPaused == (state == .paused))
            await room.session.resume()
        }
        await room.close()
    }
}
