import AudioCodec
import Media
import RTP

/// What the session asks of the thread of sound; taken between two packets.
struct AudioCommands: Sendable {
    var isPaused = false
    var stops = false
    /// What is encoded, of all kinds of sound together.
    var lanes: [AudioLane: OpusTarget] = [:]
    /// The kinds that somebody reads as they are captured.
    var sampled: Set<AudioKind> = []
    /// By kind; a kind that is missing is not captured.
    var sources: [AudioKind: AudioSourceFactory]
    /// Counts changes of each.
    var generations: [AudioKind: Int] = [:]
    var gains: [AudioKind: Gain]
    var muted: Set<AudioKind> = []
    /// Called once the commands so far are in force.
    var acknowledgements: [@Sendable () -> Void] = []
}

extension AudioCommands {
    /// The kinds that somebody hears or reads; no device of another is open.
    var wanted: Set<AudioKind> {
        if isPaused || stops { return [] }
        return lanes.isEmpty ? sampled : Set(AudioKind.allCases)
    }
}

/// The session's end of the thread of sound.
typealias AudioControls = ThreadControls<AudioCommands>

extension AudioCommands: ThreadCommands {
    mutating func removeRequests() { acknowledgements = [] }

    mutating func takeWaiting() -> [@Sendable () -> Void] {
        defer { acknowledgements = [] }
        return acknowledgements
    }
}
