/// Frames per second as an exact fraction, so that 23.976 (24000/1001) stays exact for hours.
package struct FrameRate: Hashable, Sendable {
    package let numerator: Int64
    package let denominator: Int64

    /// - Precondition: both are positive; rates from outside are checked where they come in.
    package init(_ numerator: Int64, per denominator: Int64 = 1) {
        precondition(numerator > 0 && denominator > 0, "a frame rate is positive")
        self.numerator = numerator
        self.denominator = denominator
    }

    package static let fps15 = FrameRate(15)
    package static let fps24 = FrameRate(24)
    package static let fps30 = FrameRate(30)

    package var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// The time from frame 0 to frame `index`; computed from the index, so that no error adds up.
    package func time(ofFrame index: Int64) -> Duration {
        let (seconds, rest) = index.multipliedReportingOverflow(by: denominator).partialValue
            .quotientAndRemainder(dividingBy: numerator)
        return .seconds(seconds) + .nanoseconds((rest * 1_000_000_000 + numerator / 2) / numerator)
    }

    /// One frame's duration, rounded to the nanosecond.
    package var period: Duration { time(ofFrame: 1) }
}
