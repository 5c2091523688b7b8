import AudioCodec
import Media
import RTP

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

/// The session's end of the thread of sound.
typealias AudioControls = ThreadControls<AudioCommands>

extension AudioCommands: ThreadCommands {
    mutating func removeRequests() { acknowledgements = [] }

    mutating func takeWaiting() -> [@Sendable () -> Void] {
        defer { acknowledgements = [] }
        return acknowledgements
    }
}
