import Synchronization
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

    private let state = Mutex(State())

    /// One source of sound.
    final class SoundInput: Sendable {
        private let clock: EmbedderClock
        private let number: Int

        fileprivate init(_ clock: EmbedderClock, number: Int) {
            self.clock = clock
            self.number = number
        }

        deinit {
            clock.state.withLock { state in
                state.sounds[number] = nil
                state.followers.remove(number)
            }
        }

        /// When what was pushed at `now` at the latest began.
        func instant(of timestamp: Duration, arrivedAt now: Instant) -> Instant {
            clock.state.withLock { state in
                let own = state.sounds[number, default: SourceClock()].instant(of: timestamp, arrivedAt: now)
                let moment = state.moment(of: timestamp, bySound: number, dated: own, at: now)
                if moment < own { state.followers.insert(number) } else { state.followers.remove(number) }
                return moment
            }
        }
    }

    func soundInput() -> SoundInput {
        state.withLock { state in
            state.inputsMade += 1
            return SoundInput(self, number: state.inputsMade)
        }
    }

    /// The moment that a picture shows.
    ///
    /// - Parameter own: by its own timestamps alone.
    func moment(of timestamp: Duration, dated own: Instant, at now: Instant) -> Instant {
        state.withLock { state in
            let bounded = SourceClock.bounded(timestamp)
            let near = state.sounds.compactMap { number, sound in
                sound.offset(at: now).map { (number: number, at: Instant.zero + ($0 + bounded)) }
            }.filter { $0.at <= own && own - $0.at < Self.longestLag }
            guard let heard = near.min(by: { $0.at < $1.at }) else { return own }
            return state.moment(of: timestamp, bySound: heard.number, dated: heard.at, at: now)
        }
    }
}
