import SignalingServer
import NIOConcurrencyHelpers

/// Time that passes only when a test says so.
final class ManualClock: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var lastSleeper = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [(duration: Duration, wake: AsyncStream<Void>.Continuation)] = []
    }

    private struct Sleeper {
        let duration: Duration
        let deadline: ContinuousClock.Instant
        let wake: AsyncStream<Void>.Continuation
    }

    private let state = NIOLockedValueBox(State())

    var clock: ServerClock {
        ServerClock(now: { self.state.withLockedValue(\.now) }, sleep: { try await self.sleep(for: $0) })
    }

    func advance(by duration: Duration) {
        let due = state.withLockedValue { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.wake)
        }
        for wake in due { wake.finish() }
    }

    /// Waits until somebody sleeps for just this long.
    func sleeper(for duration: Duration) async {
        let (stream, wake) = AsyncStream<Void>.makeStream()
        state.withLockedValue { state in
            if state.sleepers.values.contains(where: { $0.duration == duration }) {
                wake.finish()
            } else {
                state.watchers.append((duration, wake))
            }
        }
        for await _ in stream {}
    }

    private func sleep(for duration: Duration) async throws {
        let (stream, wake) = AsyncStream<Void>.makeStream()
        let (key, watchers) = state.withLockedValue { state in
            state.lastSleeper += 1
            state.sleepers[state.lastSleeper] = Sleeper(
                duration: duration, deadline: state.now + duration, wake: wake)
            let watchers = state.watchers.filter { $0.duration == duration }.map(\.wake)
            state.watchers.removeAll { $0.duration == duration }
            return (state.lastSleeper, watchers)
        }
        for watcher in watchers { watcher.finish() }
        for await _ in stream {}
        state.withLockedValue { $0.sleepers[key] = nil }
        try Task.checkCancellation()
    }
}
