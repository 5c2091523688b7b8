import NIOConcurrencyHelpers
import Timebase

/// The clock of an embedder that pushes pictures and sounds, for one share.
///
/// What has the same timestamp is of the same moment, though it may take longer to draw a picture than to play a sound: all
/// are dated by the one that comes soonest. Thread-safe.
final class EmbedderClock: Sendable {
    private struct State {
        var clocks: [Int: SourceClock] = [:]
        var inputsMade = 0
    }

    /// Beyond this the timestamps of one are not those of another, whatever the embedder was told.
    private static let sameClock = Duration.milliseconds(250)

    private let state = NIOLockedValueBox(State())

    /// One source's way to it, as long as it is held.
    final class Input: Sendable {
        private let clock: EmbedderClock
        private let number: Int

        fileprivate init(_ clock: EmbedderClock, number: Int) {
            self.clock = clock
            self.number = number
        }

        deinit { clock.state.withLockedValue { $0.clocks[number] = nil } }

        /// The moment of something that was pushed at `now` at the latest.
        func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
            clock.state.withLockedValue { state in
                let own = state.clocks[number, default: SourceClock()].instant(of: timestamp, arrivedAt: now)
                let offset = (own - .zero) - timestamp
                let others = state.clocks.values.compactMap(\.offset)
                let least = others.filter { max($0 - offset, offset - $0) < EmbedderClock.sameClock }.min() ?? offset
                return .zero + min(offset, least) + timestamp
            }
        }
    }

    func input() -> Input {
        state.withLockedValue { state in
            state.inputsMade += 1
            return Input(self, number: state.inputsMade)
        }
    }
}

/// Maps an embedder's timestamps to our clock by the smallest delay seen; starts again after a jump, and where everything
/// has come late for a while: behind a stall, for one.
struct SourceClock {
    /// Beyond this the embedder's clock was set, or the sender slept.
    private static let jump = Duration.seconds(1)
    /// A clock that runs slow is followed as fast as this: crystals are off by a twentieth of it.
    private static let drift = 0.001
    private var known: (offset: Duration, at: Instant)?
    /// All that comes in this time is late by more than this: bursts are shorter.
    private static let lateness = Duration.milliseconds(50)
    private static let patience = Duration.seconds(2)
    private var recent: (since: Instant, least: Duration)?

    /// By how much our clock is ahead of the embedder's.
    var offset: Duration? { known?.offset }

    mutating func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
        let observed = (now - .zero) - timestamp
        if let stalled = stalled(observed, at: now) { known = (stalled, now) }
        if let known, observed >= known.offset, observed - known.offset < Self.jump {
            let followed = min(observed, known.offset + max(.zero, now - known.at) * Self.drift)
            self.known = (followed, max(now, known.at))
            return .zero + followed + timestamp
        }
        known = (observed, now)
        recent = nil
        return now
    }

    /// The least delay of a while in which all was late.
    private mutating func stalled(_ observed: Duration, at now: Instant) -> Duration? {
        let least = min(recent?.least ?? observed, observed)
        let since = recent?.since ?? now
        recent = (since, least)
        guard now - since >= Self.patience else { return nil }
        recent = nil
        guard let known, least - known.offset > Self.lateness else { return nil }
        return least
    }
}
