import NIOConcurrencyHelpers
import Timebase

/// What an embedder's pictures and sounds have in common, for one share: timestamps. Thread-safe.
///
/// What has the same timestamp is of the same moment, though a picture may take longer to draw than a sound to play, and a
/// program's sound longer to come than a microphone's. So sounds are dated by the one that comes soonest, and a picture shows
/// the moment that the sound of its timestamp was dated with. Pictures date no sound: what they moved would be heard. A sound
/// that begins and comes sooner than the other moves that once; where it comes no more, that moves back too slowly to be heard.
final class EmbedderClock: Sendable {
    private struct State {
        var sounds: [Int: SourceClock] = [:]
        /// The sounds that go by another.
        var followers: Set<Int> = []
        var inputsMade = 0

        /// When what a sound has with a timestamp was heard.
        ///
        /// - Parameter own: by its own timestamps alone.
        func moment(of timestamp: Duration, bySound number: Int, dated own: Instant, at now: Instant) -> Instant {
            let slack = followers.contains(number) ? EmbedderClock.slack : .zero
            let lag = EmbedderClock.longestLag + slack
            let bounded = SourceClock.bounded(timestamp)
            let heard = sounds.values.compactMap { sound -> Instant? in
                // By what it last said itself: a sound that is silent for long does not come nearer by that.
                guard let told = sound.toldOffset, let lasting = sound.lastingOffset(at: now),
                    own - (Instant.zero + (told + bounded)) < lag
                else { return nil }
                return Instant.zero + (lasting + bounded)
            }
            return heard.filter { $0 <= own }.min() ?? own
        }
    }

    /// What seems to come later than this behind a sound has timestamps of its own, whatever the embedder was told.
    private static let longestLag = Duration.milliseconds(100)
    /// Who went by another goes on until it is later by so much more.
    private static let slack = Duration.milliseconds(20)

    private let state = NIOLockedValueBox(State())

    /// One source of sound.
    final class SoundInput: Sendable {
        private let clock: EmbedderClock
        private let number: Int

        fileprivate init(_ clock: EmbedderClock, number: Int) {
            self.clock = clock
            self.number = number
        }

        deinit {
            clock.state.withLockedValue { state in
                state.sounds[number] = nil
                state.followers.remove(number)
            }
        }

        /// When what was pushed at `now` at the latest began.
        func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
            clock.state.withLockedValue { state in
                let own = state.sounds[number, default: SourceClock()].instant(of: timestamp, arrivedAt: now)
                let moment = state.moment(of: timestamp, bySound: number, dated: own, at: now)
                if moment < own { state.followers.insert(number) } else { state.followers.remove(number) }
                return moment
            }
        }
    }

    func soundInput() -> SoundInput {
        state.withLockedValue { state in
            state.inputsMade += 1
            return SoundInput(self, number: state.inputsMade)
        }
    }

    /// The moment that a picture shows.
    ///
    /// - Parameter own: by its own timestamps alone.
    func moment(of timestamp: Duration, dated own: Instant, at now: Instant) -> Instant {
        state.withLockedValue { state in
            let bounded = SourceClock.bounded(timestamp)
            let near = state.sounds.compactMap { number, sound in
                sound.offset(at: now).map { (number: number, at: Instant.zero + ($0 + bounded)) }
            }.filter { $0.at <= own && own - $0.at < Self.longestLag }
            guard let heard = near.min(by: { $0.at < $1.at }) else { return own }
            return state.moment(of: timestamp, bySound: heard.number, dated: heard.at, at: now)
        }
    }
}

/// Maps an embedder's timestamps to our clock by the smallest delay seen; starts again after a jump, and where everything
/// has come late for a while: behind a stall, for one.
struct SourceClock {
    /// Beyond this the embedder's clock was set, or the sender slept.
    private static let jump = Duration.seconds(1)
    /// Thirty million years: no clock counts from further away, and more could not be subtracted.
    private static let furthest = Duration.seconds(1_000_000_000_000_000)
    /// A clock that runs slow is followed as fast as this: crystals are off by a twentieth of it.
    private static let drift = 0.001
    private var known: (offset: Duration, at: Instant)?
    /// All that comes in this time is late by more than this: bursts are shorter.
    private static let lateness = Duration.milliseconds(50)
    private static let patience = Duration.seconds(2)
    private var recent: (since: Instant, least: Duration)?

    /// By how much our clock is ahead of the embedder's; nil where nothing has come for a while.
    func offset(at now: Instant) -> Duration? {
        known.flatMap { max(now - $0.at, $0.at - now) < Self.patience ? $0.offset : nil }
    }

    /// The same, however long ago it was.
    var toldOffset: Duration? { known?.offset }

    /// And where nothing has come for a while what it would be by now if the clock ran as slow as can be.
    func lastingOffset(at now: Instant) -> Duration? {
        guard let known else { return nil }
        let silence = now - known.at
        return known.offset + max(.zero, silence - Self.patience) * Self.drift
    }

    static func bounded(_ timestamp: Duration) -> Duration { min(max(.zero - furthest, timestamp), furthest) }

    mutating func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
        let timestamp = Self.bounded(timestamp)
        let observed = (now - .zero) - timestamp
        if let stalled = stalled(observed, at: now) { known = (stalled, now) }
        if let known, observed >= known.offset, observed - known.offset < Self.jump {
            let followed = min(observed, known.offset + max(.zero, now - known.at) * Self.drift)
            self.known = (followed, max(now, known.at))
            return .zero + (followed + timestamp)
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
