import Timebase

/// The timing a stream claims. A tick is a field's time: a frame of a progressive stream takes two (§ E.2.1).
package struct VideoTiming: Hashable, Sendable {
    package var unitsInTick: UInt32
    package var timeScale: UInt32
    package var isFixedFrameRate: Bool

    package init(unitsInTick: UInt32, timeScale: UInt32, isFixedFrameRate: Bool) {
        self.unitsInTick = unitsInTick
        self.timeScale = timeScale
        self.isFixedFrameRate = isFixedFrameRate
    }

    /// A constant frame rate; nil for one that 32 bits can't express.
    package init?(_ rate: FrameRate) {
        let (doubled, overflow) = rate.numerator.multipliedReportingOverflow(by: 2)
        guard !overflow, let scale = UInt32(exactly: doubled), let units = UInt32(exactly: rate.denominator) else {
            return nil
        }
        self.init(unitsInTick: units, timeScale: scale, isFixedFrameRate: true)
    }

    /// Nil where a field is zero.
    package var frameRate: FrameRate? {
        guard unitsInTick > 0, timeScale > 0 else { return nil }
        return FrameRate(Int64(timeScale), per: Int64(unitsInTick) * 2)
    }
}

extension VideoTiming {
    init(_ reader: inout BitReader) throws(H264SyntaxError) {
        unitsInTick = try reader.bits(32)
        timeScale = try reader.bits(32)
        isFixedFrameRate = try reader.flag()
    }

    /// With `timing_info_present_flag`.
    func write(to writer: inout BitWriter) {
        writer.flag(true)
        writer.bits(unitsInTick, 32)
        writer.bits(timeScale, 32)
        writer.flag(isFixedFrameRate)
    }
}
