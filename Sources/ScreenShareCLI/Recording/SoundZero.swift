import ScreenShare
import Timebase

/// Where a file's zero is on the sound's clock, as far as it is known.
struct SoundZero {
    private var ticks: Int64?

    /// - Returns: whether it turns out to be later than it was for the piece before: sound so far was placed too late.
    mutating func isLater(by piece: AudioPiece, at timestamp: Int64) -> Bool {
        let next = piece.position.subtractingSaturating(timestamp)
        defer { ticks = next }
        return ticks.map { next > $0 } ?? false
    }
}
