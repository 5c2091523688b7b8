import Media
import Testing
import VideoCodec
@testable import ScreenShare

extension MediaLine {
    /// A media thread's work, without the thread.
    static func threadless(
        size: PixelSize = PixelSize(width: 320, height: 240), report: @escaping @Sendable (LineEvent) -> Void = { _ in }
    ) throws -> MediaLine {
        let controls = LineControls(
            LineCommands(size: .native, fixedRate: nil, mode: .auto, preset: .ultrafast, bitsPerSecond: 2_000_000))
        let source = try #require(TestPatternSource(size: size, wakeup: controls.wakeup))
        return MediaLine(
            controls: controls, counters: LineCounters(), source: source, deliver: { _, _ in }, isOutboxFull: { _ in false },
            isCongested: { _, _ in false }, taps: SampleTaps(), report: report)
    }
}
