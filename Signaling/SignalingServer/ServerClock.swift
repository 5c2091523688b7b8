/// The time the server goes by; tests bring their own and let it pass at will.
package struct ServerClock: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package var now: @Sendable () -> Instant
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Runs on while the machine is suspended, so that what was to end in the meantime has ended.
    package static let continuous = ServerClock(
        now: { ContinuousClock.now }, sleep: { try await Task.sleep(for: $0, clock: .continuous) })
}
