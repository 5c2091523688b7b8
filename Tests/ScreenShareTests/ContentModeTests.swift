import Media
import NIOConcurrencyHelpers
import PeerCore
import PixelConversion
import RTP
import SystemClock
import Testing
import Timebase
@testable import ScreenShare

@Suite("What the pictures are about")
struct ContentModeTests {
    private let size = PixelSize(width: 320, height: 240)

    @Test("WebRTC's content hints for video have their modes, and those for sound have none")
    func hints() {
        #expect(["", "text", "detail", "motion"].map { ContentMode(contentHint: $0) } == [.auto, .detail, .detail, .motion])
        for hint in ["speech", "music", "auto", "Text", " "] { #expect(ContentMode(contentHint: hint) == nil) }
    }

    @Test("in detail no pictures are left out for sharpness, nor for a pointer, at a rate that was asked for")
    func detailAtAFixedRate() throws {
        let pipeline = try VideoPipeline.threadless(size: size)
        pipeline.commands.mode = .detail
        #expect(pipeline.target(of: .standard).favoursSharpness)
        #expect(pipeline.commands.pointerPeriod == .milliseconds(100))
        pipeline.commands.fixedRate = .fps30
        #expect(!pipeline.target(of: .standard).favoursSharpness)
        #expect(pipeline.commands.pointerPeriod == .milliseconds(33))
    }

    /// Three seconds of a film, in virtual time.
    private func play(on pipeline: VideoPipeline, size: PixelSize, from second: Int = 0) throws {
        for picture in second * 24..<(second + 3) * 24 {
            let bytes = [UInt8](repeating: picture % 2 == 0 ? 100 : 200, count: size.area * 4)
            let pixels = PixelBuffer(format: .bgra, size: size, copying: bytes.span.bytes)
            let drawn = Instant.zero + FrameRate.fps24.time(ofFrame: Int64(picture))
            let frame = ScreenFrame(pixels: try #require(pixels), capturedAt: drawn, damage: PixelRect(size))
            pipeline.watch?.advance(to: drawn)
            let look = pipeline.convertWatching(frame)
            pipeline.adapter.looked(look, changedAt: drawn)
            pipeline.applyContent()
        }
    }

    @Test("a film that plays when nobody looks for one any more is told to have ended, once", arguments: [
        (.detail, nil), (.auto, .fps24), (.motion, .fps30),
    ] as [(ContentMode, FrameRate?)])
    func ended(mode: ContentMode, fixedRate: FrameRate?) throws {
        let told = NIOLockedValueBox<[Content]>([])
        let pipeline = try VideoPipeline.threadless(size: size) { event in
            if case .content(let content, _) = event { told.withLockedValue { $0.append(content) } }
        }
        try play(on: pipeline, size: size)
        #expect(pipeline.counters.now.content == .video && pipeline.counters.now.cadence != nil)
        #expect(told.withLockedValue { $0.last } == .video)
        pipeline.commands.mode = mode
        pipeline.commands.fixedRate = fixedRate
        for _ in 0..<2 { pipeline.applyContent() }
        #expect(told.withLockedValue { $0.suffix(2) } == [.video, .app])
        #expect(pipeline.counters.now.content == nil && pipeline.counters.now.cadence == nil)
    }

    @Test(
        "where whatever is shown counts as a film, a page at rest is whole for slower viewers too, and smaller when it moves",
        arguments: [(.auto, .fps30), (.motion, nil)] as [(ContentMode, FrameRate?)])
    func atRest(mode: ContentMode, fixedRate: FrameRate?) throws {
        let (slower, half) = (LaneKey(packetizationMode: .nonInterleaved, rung: 1), PixelSize(width: 160, height: 120))
        let pipeline = try VideoPipeline.threadless(size: size)
        pipeline.commands.mode = mode
        pipeline.commands.fixedRate = fixedRate
        pipeline.commands.lanes = [.standard, slower]
        pipeline.commands.expected = pipeline.commands.lanes
        pipeline.commands.rungRates = [1: 24_000]
        let begin = SystemClock.now()
        try change(pipeline, tenths: 0..<30, of: begin)
        #expect(pipeline.lanes[slower]?.size == half)
        for second in 4...7 {
            let now = begin + .seconds(second)
            try pipeline.keepalive(MediaTime(elapsed: .seconds(second)), at: now)
            if case .encode(let time) = pipeline.adapter.decide(at: now, outboxFull: false, keyframeNeeded: false) {
                try pipeline.encode(damage: .nothing, time, isNew: true, at: now)
            }
            #expect(pipeline.lanes[slower]?.size == (second == 7 ? size : half), "not twice within five seconds: \(second)")
        }
        try change(pipeline, tenths: 80..<81, of: begin)
        #expect(pipeline.lanes[slower]?.size == size, "a page that is turned is no film")
        try change(pipeline, tenths: 105..<130, of: begin)
        #expect(pipeline.lanes[slower]?.size == half)
        #expect(pipeline.lanes[.standard]?.size == size)
    }

    /// Another picture in each of these tenths of a second.
    private func change(_ pipeline: VideoPipeline, tenths: Range<Int>, of begin: Instant) throws {
        for tenth in tenths {
            let time = Duration.milliseconds(100 * tenth)
            try pipeline.encode(grey: UInt8(20 + tenth % 30 * 7), size, time, at: begin + time)
        }
    }

    @Test("what plays is known by when its source drew it, however long the pictures waited to be looked at")
    func readLate() throws {
        let pipeline = try VideoPipeline.threadless(size: size)
        let begin = SystemClock.now() - .seconds(10)
        pipeline.source = LateFilm(size: size, begin: begin)
        for picture in 0..<48 as Range<Int64> {
            let noticed = begin + FrameRate.fps24.time(ofFrame: picture) + .milliseconds(picture * 11 % 31)
            try pipeline.lookFirst(at: noticed, until: .distantFuture)
        }
        #expect(pipeline.adapter.cadence?.rate.nominal == 24)
    }

    @Test("a film goes on where its source gets another size", arguments: [
        PixelSize(width: 640, height: 480), PixelSize(width: 200, height: 150),
    ])
    func resized(to other: PixelSize) throws {
        let told = NIOLockedValueBox<[Content]>([])
        let pipeline = try VideoPipeline.threadless(size: size) { event in
            if case .content(let content, _) = event { told.withLockedValue { $0.append(content) } }
        }
        try play(on: pipeline, size: size)
        #expect(told.withLockedValue { $0.last } == .video)
        let before = told.withLockedValue { $0.count }
        try play(on: pipeline, size: other, from: 3)
        #expect(told.withLockedValue { $0.dropFirst(before) }.allSatisfy { $0 == .video })
        #expect(pipeline.converter?.source == other)
        #expect(pipeline.grid.pace == .following && pipeline.counters.now.content == .video)
        #expect(pipeline.counters.now.cadence?.rate.nominal == 24)
    }
}

/// A film whose pictures are read long after they were drawn.
private struct LateFilm: FrameSource {
    let size: PixelSize
    let begin: Instant
    private var picture: Int64 = 0

    init(size: PixelSize, begin: Instant) {
        self.size = size
        self.begin = begin
    }

    mutating func waitForChange(until deadline: Instant, wakeup: Int32) throws(CaptureError) -> SourceEvent { .idle }

    mutating func read() throws(CaptureError) -> ScreenFrame {
        defer { picture += 1 }
        let bytes = [UInt8](repeating: picture % 2 == 0 ? 100 : 200, count: size.area * 4)
        guard let pixels = PixelBuffer(format: .bgra, size: size, copying: bytes.span.bytes) else { throw .timedOut }
        let drawnAt = begin + FrameRate.fps24.time(ofFrame: picture)
        return ScreenFrame(
            pixels: pixels, capturedAt: drawnAt + .milliseconds(40), drawnAt: drawnAt, damage: PixelRect(size))
    }
}
