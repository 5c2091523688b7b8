/// Pauses between attempts: doubling and bounded, and scattered where many may try, so that they don't come back in the same
/// instant.
package struct Backoff: Sendable {
    private let range: ClosedRange<Duration>
    private let scatter: ClosedRange<Double>
    private var pause: Duration

    /// - Parameters:
    ///   - range: from the first pause to the longest.
    ///   - scatter: how much of a pause is waited, at the least and at the most.
    package init(_ range: ClosedRange<Duration>, scatter: ClosedRange<Double> = 1...1) {
        self.range = range
        self.scatter = scatter
        pause = range.lowerBound
    }

    /// The next pause, scattered.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        next() * Double.random(in: scatter, using: &generator)
    }

    /// The next pause as it is.
    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, range.upperBound) }
        return pause
    }

    /// The next attempt after this is a first one.
    package mutating func reset() { pause = range.lowerBound }
}
