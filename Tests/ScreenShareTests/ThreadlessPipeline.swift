import Media
import PeerCore
import RTP
import Testing
import Timebase
import VideoCodec
@testable import ScreenShare

extension VideoPipeline {
    /// A thread of pictures's work, without the thread.
    static func threadless(
        size: PixelSize = PixelSize(width: 320, height: 240),
        report: @escaping @Sendable (VideoPipelineEvent) -> Void = { _ in },
        deliver: @escaping @Sendable (PacketizedUnit, LaneKey) -> Void = { _, _ in }
    ) throws -> VideoPipeline {
        let controls = VideoControls(
            VideoCommands(size: .native, fixedRate: nil, mode: .auto, preset: .ultrafast, bitsPerSecond: 2_000_000))
        let source = try #require(TestPatternSource(size: size, wakeup: controls.wakeup))
        return VideoPipeline(
            controls: controls, counters: VideoCounters(), source: source, deliver: deliver,
            isOutboxFull: { _ in false }, isCongested: { _, _ in false }, taps: SampleTaps(), report: report)
    }

    /// The source shows one grey, and each lane that is watched has its turn.
    func encode(grey: UInt8, _ size: PixelSize, _ time: Duration, at now: Instant) throws {
        try convert(grey: grey, size, at: now)
        try encode(damage: PixelRect(size), MediaTime(elapsed: time), isNew: true, at: now)
        unsentDamage = .nothing
    }

    /// The source shows one grey, whose slot is yet to come.
    func convert(grey: UInt8, _ size: PixelSize, at now: Instant) throws {
        let bytes = [UInt8](repeating: grey, count: size.area * 4)
        let pixels = PixelBuffer(format: .bgra, size: size, copying: bytes.span.bytes)
        convert(ScreenFrame(pixels: try #require(pixels), capturedAt: now, damage: PixelRect(size)))
    }
}
