import Media
import Synchronization

/// How each source of sound fares, as of the last packet; none while nobody listens. Written by the thread of sound, read
/// by the session. Thread-safe.
final class AudioCounters: Sendable {
    private let values = Mutex<[AudioKind: AudioInputStatistics]>([:])

    func set(_ statistics: [AudioKind: AudioInputStatistics]) { values.withLock { $0 = statistics } }
    var now: [AudioKind: AudioInputStatistics] { values.withLock { $0 } }
}
