import AudioCodec
import Media
import NIOConcurrencyHelpers
import RTP
import SystemClock

/// What the session asks of the thread of sound; taken between two packets.
struct AudioCommands: Sendable {
    var isPaused = false
    var stops = false
    /// What is encoded; no device is open while it is nothing.
    var lanes: [AudioLane: OpusTarget] = [:]
    /// Somebody reads sound as it is captured.
    var isSampled = false
    /// By kind; a kind that is missing is not captured.
    var sources: [AudioKind: AudioSourceFactory]
    /// Counts changes of `sources`.
    var generation = 0
    var gains: [AudioKind: Gain]
    var muted: Set<AudioKind> = []
}

/// The session's end of the thread of sound. Thread-safe.
final class AudioControls: Sendable {
    let wakeup = Wakeup()
    let thread = ThreadLife()
    private let state: NIOLockedValueBox<(commands: AudioCommands, isNew: Bool)>
    /// How each source fares, as of the last packet; none while nobody listens.
    let statistics = NIOLockedValueBox<[AudioKind: AudioInputStatistics]>([:])

    init(_ initial: AudioCommands) {
        state = NIOLockedValueBox((initial, true))
    }

    func change(_ body: (inout AudioCommands) -> Void) {
        state.withLockedValue {
            body(&$0.commands)
            $0.isNew = true
        }
        wakeup.fire()
    }

    /// The commands in force.
    var present: AudioCommands { state.withLockedValue(\.commands) }

    /// The commands in force, where they have changed since they were taken.
    func take() -> AudioCommands? {
        state.withLockedValue { state in
            defer { state.isNew = false }
            return state.isNew ? state.commands : nil
        }
    }
}
