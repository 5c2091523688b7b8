import ScreenShare
import Timebase

/// Sound that came before it was known where in a file it belongs: its last seven seconds.
struct EarlyAudio {
    private var pieces: [AudioPiece] = []

    /// Keeps a piece; what it does not follow belongs to an earlier connection, and never gets a place.
    mutating func keep(_ piece: AudioPiece) {
        leaveOut(before: piece)
        pieces.append(piece)
        let end = piece.position.addingSaturating(Int64(piece.frames))
        let tooOld = pieces.prefix { end.subtractingSaturating($0.position) > Self.longestSpan }.count
        pieces.removeFirst(max(tooOld, pieces.count - Self.mostPieces))
    }

    /// What was kept, in order and with its place, and then the piece that tells it.
    mutating func placed(by piece: AudioPiece) -> [(piece: AudioPiece, timestamp: Int64)] {
        guard let timestamp = piece.timestamp else { return [] }
        leaveOut(before: piece)
        let placed = (pieces + [piece]).map { ($0, timestamp &+ ($0.position &- piece.position)) }
        pieces = []
        return placed
    }

    private mutating func leaveOut(before piece: AudioPiece) {
        guard let last = pieces.last else { return }
        let step = piece.position.subtractingSaturating(last.position)
        // What was guessed while a packet was waited for: here it is.
        if (-Self.longestWait..<0).contains(step) { return pieces.removeAll { $0.position >= piece.position } }
        // Positions of two connections have nothing to do with each other.
        if !(0...Self.longestPause).contains(step) { pieces = [] }
    }

    /// Its place may take six seconds to be known, where the sharer tells nothing. In ticks of 1/48000 s, and in pieces of
    /// 2.5 ms, the shortest of Opus (RFC 6716 § 2.1.4).
    private static let longestSpan: Int64 = 7 * 48_000
    private static let mostPieces = 2800
    /// In ticks.
    private static let longestPause: Int64 = 5 * 48_000
    private static let longestWait: Int64 = 48_000
}
