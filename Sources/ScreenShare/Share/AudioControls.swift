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
    /// Counts changes of each.
    var generations: [AudioKind: Int] = [:]
    var gains: [AudioKind: Gain]
    var muted: Set<AudioKind> = []
    /// Called once the commands so far are in force.
    var acknowledgements: [@Sendable () -> Void] = []
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
        if !thread.isRunning { acknowledge() }
    }

    /// Changes, and returns when the thread of sound works by it, or is gone.
    func changeAndWait(
        isolation: isolated (any Actor)? = #isolation, _ body: (inout AudioCommands) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            change { commands in
                body(&commands)
                commands.acknowledgements.append { continuation.resume() }
            }
        }
    }

    /// The thread has ended: nobody is left waiting for it.
    func end() {
        thread.end()
        acknowledge()
    }

    private func acknowledge() {
        let waiting = state.withLockedValue { state in
            defer { state.commands.acknowledgements = [] }
            return state.commands.acknowledgements
        }
        waiting.forEach { $0() }
    }

    /// The commands in force.
    var present: AudioCommands { state.withLockedValue(\.commands) }

    /// The commands in force, where they have changed since they were taken.
    func take() -> AudioCommands? {
        state.withLockedValue { state -> AudioCommands? in
            guard state.isNew else { return nil }
            state.isNew = false
            defer { state.commands.acknowledgements = [] }
            return state.commands
        }
    }
}
