/// Pauses between attempts: doubling, bounded, and scattered so that many clients don't come back in the same instant.
package struct Backoff: Sendable {
    private static let first = Duration.milliseconds(250)
    private static let longest = Duration.seconds(8)

    private var ceiling = Self.first

    package init() {}

    /// The next pause: between half of the ceiling and all of it.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        defer { ceiling = min(ceiling * 2, Self.longest) }
        return ceiling * Double.random(in: 0.5...1, using: &generator)
    }

    mutating func reset() {
        ceiling = Self.first
    }
}
